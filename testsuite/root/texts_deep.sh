# SPDX-License-Identifier: GPL-2.0-or-later
# Loops as deep in each other as the kernel has frames for: there is none left for functions that go over texts, so that is done in place.
. "$SUITE/lib.sh"

script='global n, last, zero
probe process(@1).function("add") {
	s = substr(last, 0, zero) . execname()'
for i in a b c d e f g; do script+="
	for ($i = zero; $i < 2; $i++) {"; done
script+='
		last = s
		if (last == s) n += strlen(last)
	}}}}}}}
	println(n, " ", last)
	exit()
}'
expect 0 "$SPILE" -w --engine=kernel --cost -p4 -o deep.spo -e "$script" "$PROGS/calls"
! grep -q "outside of the kernel" out || fail "the handler leaves the kernel"
prints '  loop at .*: bpf_loop'
expect 0 "$SPILE_RUN" -w --engine=kernel -c "$PROGS/calls" deep.spo
prints '640 calls'
