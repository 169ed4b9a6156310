# SPDX-License-Identifier: GPL-2.0-or-later
# Values in registers for floating point, which the user engine reads; the kernel's probes say that they cannot.
. "$SUITE/lib.sh"
same() # PROGRAM
{
	expect 0 timeout 60 "$SPILE" --engine=user -c "$1" "$SUITE/progs/xmm.stp" "$1"
	quiet
	diff "$SUITE/progs/xmm.out" out || fail "$1: that is not what it has"
}
compiled() # COMPILER OPTIONS
{
	command -v "$1" >/dev/null || return 0
	"$@" -std=gnu11 -g -w -o compiled "$SUITE/progs/xmm.c" || fail "$*"
	same ./compiled
}
same "$PROGS/xmm"
expect 0 "$SPILE" --engine=user -c "$PROGS/xmm" -e "probe process(\"$PROGS/xmm\").function(\"third\") { println(fp_to_string(fp32_to_fp64(\$f), 2)) }"
is '1.00
2.00'
compiled gcc -O2
compiled clang -O1
refuses() # POINT VALUE REASON
{
	expect 1 "$SPILE" -p3 -e "probe process(\"$PROGS/xmm\").$1 { println($2) }"
	says "$3"
}
refuses 'function("half").return' '$return' 'is in %xmm0, which the kernel.s probes cannot read \(those of --engine=user can\)'
refuses 'function("mix").return' '$return->g' 'it is in %xmm0, which the kernel.s probes cannot read \(those of --engine=user can\)'
refuses 'function("more").return' '$return' 'is in %st0, which'
expect 0 "$SPILE" -p2 -e "probe process(\"$PROGS/xmm\").function(\"half\").return { println(@defined(\$return)) }"
prints 'println\(0\)'
