# SPDX-License-Identifier: GPL-2.0-or-later
# A handler of more than 30,000 instructions: the kernel takes it, and it does what the user engine's does.
. "$SUITE/lib.sh"
large_script "process(\"$PROGS/once\").function(\"tick\")" 1600 >large.stp
expect 0 "$SPILE" --engine=kernel --cost -p4 -o /dev/null large.stp
n=$(($(sed -nE 's/^  (kernel|functions|outlined|callbacks): ([0-9]+) instructions.*/\2 +/p' out) 0))
[ $n -gt 30000 ] || fail "only $n instructions"
for engine in kernel user; do
	expect 1 "$SPILE" --engine=$engine -c "$PROGS/once" large.stp
	prints '^2002 400 1883 2$'
	says "ERROR: division by 0 near operator '/' at large.stp:1607:"
done
