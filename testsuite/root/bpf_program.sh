# SPDX-License-Identifier: GPL-2.0-or-later
# bpf.program("NAME"): what is loaded is listed, and what cannot be probed is told.
. "$SUITE/lib.sh"
[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel does not describe itself"
"$PROGS/bpf_targets" >id &
target=$!
trap 'kill $target' EXIT
wait_for 20 test -s id
expect 0 "$SPILE" -L 'bpf.program("spile_*")'
is 'bpf.program("spile_counts_packets") $packet:struct sk_buff*
bpf.program("spile_sums_args") $arguments:struct spile_args*'
# By the 15 letters that the kernel shows, and by its number.
expect 0 "$SPILE" -l 'bpf.program("spile_counts_pa")'
is 'bpf.program("spile_counts_packets")'
expect 0 "$SPILE" -L "bpf.program($(cat id)).return"
is 'bpf.program("spile_counts_packets").return $return:int $packet:struct sk_buff*'
expect 1 "$SPILE" -l 'bpf.program("spile_bare")'
says '^    note: program [0-9]+, `spile_bare`, cannot be probed: it was loaded without types \(BTF\)$'
expect 1 "$SPILE" -l 'bpf.program("spile_count_packets")'
says '^semantic error: nothing matches bpf\.program\("spile_count_packets"\) \[E401\]$'
says '^    note: [0-9]+ BPF programs are loaded now; one that is loaded later is not probed: start the script when it is there$'
says "^    hint: did you mean 'spile_counts_packets'\\?\$"
expect 1 "$SPILE" -p4 -e 'probe bpf.program("spile_counts_packets") { println($skb) }'
says '^semantic error: there is no \$skb in bpf\.program\("spile_counts_packets"\) \[E501\]$'
says '^    note: visible here: \$packet$'
expect 1 "$SPILE" -p4 -e 'probe bpf.program("spile_counts_packets") { println($return) }'
says '^semantic error: \$return is only known in a \.return probe \[E501\]$'
expect 0 "$SPILE_RUN" --describe
mv out here.target
expect 1 "$SPILE" --target here.target -p4 -e 'probe bpf.program("spile_counts_packets") { println(1) }'
says '^    note: the script is compiled for another machine, and which BPF programs that has loaded, it alone knows$'
# What is loaded may change: nothing of it is kept.
expect 0 "$SPILE" -v -p4 -o kept.spo -e 'probe bpf.program("spile_counts_packets") ? { println($ctx->len, $packet->len, $$parms$) }'
says '^the result is not kept in the cache: the BPF programs that are loaded now were asked for$'
kill $target
wait $target
trap - EXIT
expect 1 "$SPILE" -p4 -e 'probe bpf.program("spile_counts_packets") { println(1) }'
