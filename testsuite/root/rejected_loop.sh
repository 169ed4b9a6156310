# SPDX-License-Identifier: GPL-2.0-or-later
# The same of code that a helper calls back: the bodies of foreach and of a loop are functions of their own, and a refusal in
# them is at their lines. They are broken by hand: the first instruction becomes `r0 = *(u64 *)(r5 + 0)`, with r5 not set.
. "$SUITE/lib.sh"
command -v readelf >/dev/null || skip "no readelf"
# broken NAME LINE: what begins at the symbol NAME is refused at LINE.
broken()
{
	local symbol text
	"$SPILE" -p4 -o x.spo loops.stp >/dev/null || fail "not compiled"
	text=$(readelf -SW x.spo | sed -n 's/.* \.text *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
	symbol=$(readelf -sW x.spo | sed -n "s/.*: *\([0-9a-f]*\) .* FUNC .*__$1_.*/\1/p" | head -n 1)
	[ -n "$text" ] && [ -n "$symbol" ] || fail "no function $1"
	printf '\171\120\0\0\0\0\0\0' | dd of=x.spo bs=1 seek=$((0x$text + 0x$symbol)) conv=notrunc 2>/dev/null
	expect 5 "$SPILE_RUN" x.spo
	says "sched_switch.* at loops.stp:$2:[0-9]+: a register is used that was not set"
}
cat >loops.stp <<'END'
global n, a
probe kernel.trace("sched:sched_switch") {
  foreach (k in a)
    n += k * 3
  for (i = 0; i < a[7]; i++)
    a[i] = i
  a[1] = 1
}
probe end { println(n) }
END
broken foreach '[34]'
broken loop '[56]'
