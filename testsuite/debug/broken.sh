# SPDX-License-Identifier: GPL-2.0-or-later
# Wrong debug information gives an error, or less information: never a crash, a hang, or memory that is not ours (see
# the sanitizers' runs).
. "$SUITE/debug/lib"

for case in 1 2 3 4 5 6 10 11 12 13 14 15 16 17 20 21 22 23 24 25 26 27 28; do
	echo "=== $case$(sed -n "s/.*CASE == $case # \(.*\)/: \1/p" "$fixtures/broken.s")"
	as -I "$fixtures" --defsym CASE=$case -o broken.o "$fixtures/broken.s" || fail "cannot assemble case $case"
	ld -Ttext=0x1000 -e 0x1000 -o broken broken.o || fail "cannot link case $case"
	dump ./broken --inlines vars f
	dump ./broken --at +1 vars f >out
	grep -q 'exit status [^1]' out && fail "case $case: vars"
	[ $case != 20 ] || cat out
	dump ./broken --inlines count '*'
	dump ./broken type 'struct loop'
	dump ./broken type loop
	dump ./broken ret '*' >out
	grep -q 'exit status [^1]' out && fail "case $case: ret"
done
exit 0
