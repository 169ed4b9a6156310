# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel puts values at the ends of each bucket of a logarithmic histogram where the machine outside of it does.
. "$SUITE/lib.sh"
cat >values.stp <<E
global kernel, outside

function value(i) {
	v = 1 << i % 64
	if (i >= 64) v--
	if (i >= 128) v = -v
	if (i >= 192) v -= 2
	return v
}
probe process("$PROGS/calls").function("add") { kernel <<< value(\$a) }
probe end {
	for (i = 0; i < 256; i++) outside <<< value(i)
	println(@count(kernel), " ", @count(outside))
	print(@hist_log(SHOWN))
}
E
for global in kernel outside; do
	sed "s/SHOWN/$global/" values.stp >$global.stp
	expect 0 "$SPILE" --engine=kernel -c "$PROGS/calls 256" $global.stp
	mv out $global
done
grep -qx '256 256' outside || fail "values are missing"
diff kernel outside || fail "the kernel has others"
