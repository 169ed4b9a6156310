# SPDX-License-Identifier: GPL-2.0-or-later
# A histogram of nothing prints nothing, in the kernel, too, and ends no script.
. "$SUITE/lib.sh"
cp "$PROGS/calls" calls
expect 0 "$SPILE" --engine=kernel -w -c "./calls 2 >calls.out" -e '
	global s, t
	probe process(@1).function("add") { println("add") print(@hist_log(s)) if ($a < 0) s <<< $a t <<< 5 print(@hist_linear(t, 0, 9, 5)) }' \
	"$PWD/calls"
quiet
is 'add
value |-------------------------------------------------- count
    0 |                                                   0
    5 |@                                                  1

add
value |-------------------------------------------------- count
    0 |                                                   0
    5 |@@                                                 2'
