# SPDX-License-Identifier: GPL-2.0-or-later
# Flags that are set beside a call of the kernel's, and printed at the end: before Linux 6.8 each doubled the paths that the verifier
# followed, up to more than 1,000,000 instructions.
. "$SUITE/lib.sh"
script() # NAME STATEMENTS, in which N is a number from 0 to 15 and BIT that bit
{
	{
		echo 'global m'
		echo 'probe process(@1).function("add") {'
		for n in $(seq 0 15); do
			echo "$2" | sed "s/BIT/$((1 << n))/g; s/N/$n/g"
		done
		echo 'm[-1] = 0; println(m[-1], " ", f0, f1, f2, f3, f4, f5, f6, f7, " ", f8, f9, f10, f11, f12, f13, f14, f15) exit() }'
	} >"$1.stp"
}

script either 'if ($a & BIT) { m[N] = tid(); fN = 1 } else fN = 0'
script number 'fN = 0; if ($a & BIT) { m[N] = tid(); fN = uid() }'
script tried 'fN = 0; try { m[N] = user_long_error($a & BIT) } catch { fN = 1 }'
script compared 'm[N] = tid(); fN = uid() > $a + N'
script chosen 'm[N] = tid(); fN = uid() > $a + N ? tid() : 0'
expect 0 "$SPILE" -c "$PROGS/calls 1" either.stp "$PROGS/calls"
prints '^0 [01]{8} [01]{8}$'
expect 0 "$SPILE" -c "$PROGS/calls 1" number.stp "$PROGS/calls"
prints '^0 [0-9]+ [0-9]+$'
expect 0 "$SPILE" -c "$PROGS/calls 1" tried.stp "$PROGS/calls"
is '0 11111111 11111111'
expect 0 "$SPILE" -c "$PROGS/calls 1" compared.stp "$PROGS/calls"
prints '^0 [01]{8} [01]{8}$'
expect 0 "$SPILE" -c "$PROGS/calls 1" chosen.stp "$PROGS/calls"
prints '^0 [0-9]+ [0-9]+$'
