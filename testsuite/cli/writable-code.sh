# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel sets no uprobes in code that a program may write to, and says nothing: that is told, once a point. The user engine probes it.
. "$SUITE/lib.sh"
cc -g -O1 -o prog -x c - 2>/dev/null <<'C' || fail "not compiled"
#define WRITABLE __attribute__((noinline, section(".wtext,\"awx\",@progbits#")))
WRITABLE int first(int x) { return x * 3 + 1; }
WRITABLE int second(int x) { return first(x) * 5; }
__attribute__((noinline)) int third(int x) { return second(x) + 2; }
int main(void) { return third(1) != 22; }
C
kernel() { "$SPILE_RUN" --describe | grep -q "^features .*\<uprobe\>"; }
told() # FUNCTION
{
	! kernel || says "^WARNING: the kernel sets no probe in $1 of $PWD/prog: the program may write to its code there \[W211\]$"
	! kernel || [ "$(grep -c WARNING err)" = 1 ] || fail "said more than once"
}
expect 0 "$SPILE" -p4 -o x.spo -e "probe process(\"$PWD/prog\").function(\"second\").return { exit() }"
told second
expect 0 "$SPILE" -p4 -o x.spo -e "probe process(\"$PWD/prog\").function(\"*\") { exit() }"
told '(first|second)'
expect 0 "$SPILE" -p4 -o x.spo -e "probe process(\"$PWD/prog\").function(\"third\") { exit() }"
quiet
expect 0 "$SPILE" -l "process(\"$PWD/prog\").function(\"first\")"
quiet
expect 0 "$SPILE" --engine=user -c ./prog -e "global n probe process(\"$PWD/prog\").function(\"first\"), process(\"$PWD/prog\").function(\"second\"), process(\"$PWD/prog\").function(\"third\") { n++ } probe end { println(n) }"
quiet
is 3
