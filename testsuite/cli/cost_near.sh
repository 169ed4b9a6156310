# SPDX-License-Identifier: GPL-2.0-or-later
# A handler that had more stack than the kernel keeps no addresses there: those of its texts are computed where they are used.
. "$SUITE/lib.sh"

text='execname()'
for i in $(seq 0 47); do text="sprintf(\"%s|%d\", $text, n + $i) . user_string_n(n, $((i + 2)))"; done
script="probe process(@1).function(\"add\").return { n = \$return m = @entry(\$a) println(strlen($text), m) }"
expect 0 "$SPILE" -w --engine=kernel -p4 -o /dev/null --cost -e "$script" "$PROGS/calls"
! grep -q "outside of the kernel" out || fail "the handler leaves the kernel"
together=$(sed -n 's/.* (\([0-9]*\) with what it calls).*/\1/p' out | sort -n | tail -n 1)
[ "${together:-999}" -le 256 ] || fail "the handler and what it calls take ${together:-?} bytes of stack"
