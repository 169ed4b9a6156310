# SPDX-License-Identifier: GPL-2.0-or-later
# A handler of more than 30,000 instructions: the kernel takes it, and it does what the user engine's does.
. "$SUITE/lib.sh"
own_programs once
large_script "process(\"$PROGS/once\").function(\"tick\")" 1600 >large.stp
expect 0 "$SPILE" --engine=kernel --cost -p4 -o large.spo large.stp
n=$(($(sed -nE 's/^  (kernel|functions|outlined|callbacks): ([0-9]+) instructions.*/\2 +/p' out) 0))
[ $n -gt 30000 ] || fail "only $n instructions"
agrees() # COMMAND...
{
	expect 1 "$@"
	prints '^2002 400 1883 2$'
	says "ERROR: division by 0 near operator '/' at large.stp:1607:"
}
agrees "$SPILE_RUN" --engine=kernel -c "$PROGS/once" large.spo
agrees "$SPILE" --engine=user -c "$PROGS/once" large.stp
