# SPDX-License-Identifier: GPL-2.0-or-later
# A handler of a return that is too large for the kernel: it takes what the function's entry has kept there, and the rest of it runs outside.
. "$SUITE/lib.sh"
own_programs calls

cat >deep.stp <<'END'
global n
probe process(@1).function("add").return {
	k = (@entry($a) & 1) + 2
	t = @entry(user_string($b, "text"))
	i1 = 0 while (i1++ < k) { i2 = 0 while (i2++ < k) { i3 = 0 while (i3++ < k) { i4 = 0 while (i4++ < k) { i5 = 0 while (i5++ < k) {
	i6 = 0 while (i6++ < k) { i7 = 0 while (i7++ < 1) { i8 = 0 while (i8++ < 1) { i9 = 0 while (i9++ < 1) n += strlen(t) } } } } } } } }
	println(n, " ", k, " ", t, " ", @entry($a), " ", $return)
}
END
for engine in user kernel; do
	expect 0 "$SPILE" -v --engine=$engine -c "$PROGS/calls" deep.stp "$PROGS/calls"
	[ $engine = user ] || says '.*: the rest of the handler runs outside of the kernel: its loops and calls nest deeper than the kernel allows at .*'
	grep -E '^[0-9]+ [23] text ' out >$engine || fail "$engine prints nothing"
done
cmp -s user kernel || fail "$(diff user kernel)"
