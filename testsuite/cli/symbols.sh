# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of which only the ELF symbol is known: a wildcard finds those that have no debug information where they are.
. "$SUITE/lib.sh"
command -v as >/dev/null || skip "there is no assembler"
cat >parts.s <<'S'
	.text
	.globl in_assembly
	.type in_assembly, @function
in_assembly:
	ret
	.size in_assembly, .-in_assembly
	.type local_assembly, @function
local_assembly:
	ret
	.size local_assembly, .-local_assembly
	.section .note.GNU-stack,"",@progbits
S
cat >main.c <<'C'
void in_assembly(void);
int other(int n) __attribute__((alias("in_c")));
__attribute__((noinline)) int in_c(int n) { in_assembly(); return n; }
int main(int argc, char **argv) { return in_c(argc) - 3; }
C
as -o parts.o parts.s && gcc -w -g -O1 -o symbols main.c parts.o || fail "gcc failed"
S="process(\"$PWD/symbols\")"
expect 0 "$SPILE" -l "$S.function(\"*_*\")"
grep -v '"_\|tm_clones\|frame_dummy' out >found
printf '%s\n' "$S.function(\"in_assembly\")" "$S.function(\"in_c@$PWD/main.c:3\")" "$S.function(\"local_assembly\")" | diff - found ||
	fail "they are not what a wildcard finds"
# What has a file, a line or an inlined instance is never one of them.
expect 0 "$SPILE" -l "$S.function(\"*@*\")"
[ "$(wc -l <out)" = 2 ] || fail "those have no file"
expect 1 "$SPILE" -p2 -e "probe $S.function(\"in_assembly\") { println(\$n) }"
says 'in_assembly has no debug information'
says '^    hint: function\("\*@\*"\) leaves out functions that have no debug information$'
# The first function of a program has nowhere to return to: a probe there would overwrite the number of its arguments.
expect 1 "$SPILE" -p2 -e "probe $S.function(\"_start\").return { println(1) }"
says '_start cannot be probed: the program begins with it, so that it does not return'
expect 0 "$SPILE" -l "$S.function(\"*\").return"
! grep -q '"_start"' out || fail "_start does not return"
expect 0 timeout 60 "$SPILE" --engine=user -c "./symbols 1 2" -e "probe $S.function(\"in_*\").return { println(ppfunc()) }"
is 'in_assembly
in_c'
