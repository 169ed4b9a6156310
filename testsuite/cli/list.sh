# SPDX-License-Identifier: GPL-2.0-or-later
# -l and -L of a program's functions, in SystemTap's format.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -l "process(\"$PROGS/calls\").function(\"add\")"
prints "^process\(\"$PROGS/calls\"\)\.function\(\"add@.*calls\.c:[0-9]+\"\)\$"
[ "$(wc -l <out)" = 1 ] || fail "more than one line"
expect 0 "$SPILE" -L "process(\"$PROGS/calls\").function(\"look\")"
prints '\.function\("look@.*calls\.c:[0-9]+"\) \$o:struct outer const\* \$u:unsigned char \$s:(signed )?char$'
expect 0 "$SPILE" -l "process(\"$PROGS/calls\").function(\"*\")"
for f in add look text main; do
	prints "\"$f@"
done
sort -c out || fail "not sorted"
expect 0 "$SPILE" --json -L "process(\"$PROGS/calls\").function(\"look\")"
prints '^\{"point":"process\(.*\.function\(.*look@.*calls\.c:43.*\)","variables":\[\{"name":"\$o","type":"struct outer const\*"\},\{"name":"\$u","type":"unsigned char"\},\{"name":"\$s","type":"signed char"\}\]\}$'
expect 0 "$SPILE" --json -l 'begin'
is '{"point":"begin"}'
expect 0 "$SPILE" --json -E 'probe mine = begin { a = 1 b = "x" }' -L mine
is '{"point":"mine","variables":[{"name":"a","type":"long"},{"name":"b","type":"string"}]}'
expect 1 "$SPILE" -l "process(\"$PROGS/calls\").function(\"nosuch\")"
# However a program is named, its path is that of the file.
mkdir links
ln -s "$PROGS/calls" links/aka-calls
for name in aka-calls links/aka-calls; do
	expect 0 env PATH="$PWD/links:$PATH" "$SPILE" -l "process(\"$name\").begin"
	is "process(\"$(readlink -f "$PROGS/calls")\").begin"
done
# An inlined function with several instances is one line, with the variables that all of them have.
# What an alias takes at the entry of its function is its own variable; the entry's handler is not what is listed.
mkdir -p tapset
echo "probe kept.entry = process(\"$PROGS/calls\").function(\"look\").return { before = @entry(\$u) after = 1 }" >tapset/kept.stp
expect 0 "$SPILE" -I tapset -L kept.entry
prints '^kept\.entry before:long after:long \$'
command -v gcc >/dev/null || exit 0
cat >many.c <<'END'
static inline __attribute__((always_inline)) int twice(volatile int *place, int unused)
{
	(void)unused;
	*place += 1;
	return *place * 2;
}
volatile int a, b;
int main(int argc, char **argv)
{
	double real = argc * 1.5;
	(void)argv;
	return twice(&a, 3) + twice(&b, (int)real) + twice(&a, argc + 1);
}
END
gcc -g -O2 -o many many.c || fail "gcc"
expect 0 "$SPILE" -L 'process("./many").function("twice")'
[ "$(wc -l <out)" = 1 ] || fail "more than one line"
prints 'function\("twice@[^)]*\) \$place:int volatile\*$'
# With -v each instance is, with its address, and its own variables; so it can be probed.
for cached in no yes; do
	expect 0 "$SPILE" -v -L 'process("./many").function("twice")'
	[ "$(grep -cE 'function\("twice@[^)]*\) /\* pc=0x[0-9a-f]+ \*/ \$place:int volatile\*' out)" = 3 ] || fail "not each instance ($cached)"
	prints ' \$unused:int$'
done
point=$(sed -n '1s/ \$.*//p' out)
expect 0 "$SPILE" --engine=user -w -c "./many || true" -e "probe $point { println(\"there\") }"
prints '^there$'

# A function without a line, as Go has them: what is listed can be probed.
cat >lineless.c <<'END'
int main(void) { extern int f(int); return f(0); }
#line 0 "lineless.c"
__attribute__((noipa)) int f(int x) { return x; }
END
gcc -g -o lineless lineless.c || fail "gcc"
expect 0 "$SPILE" -l 'process("./lineless").function("f")'
is "process(\"$TMP/lineless\").function(\"f@$TMP/lineless.c\")"
expect 0 "$SPILE" --engine=user -c ./lineless -e "probe $(cat out) { println(\$x) }"
is 0
