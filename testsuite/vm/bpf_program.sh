# SPDX-License-Identifier: GPL-2.0-or-later
# bpf.program("NAME"): BPF programs that somebody else has loaded, where they are entered and left.
. "$SUITE/lib.sh"
target() # [RESULT]
{
	rm -f id
	"$PROGS/bpf_targets" "$@" >id &
	target=$!
	wait_for 20 test -s id
}
target
trap 'kill $target' EXIT
expect 0 "$SPILE" -l 'bpf.program("spile_*")'
is 'bpf.program("spile_counts_packets")
bpf.program("spile_sums_args")'
# By its number, and by the 15 letters that the kernel shows.
expect 0 "$SPILE" -l "bpf.program($(cat id))"
is 'bpf.program("spile_counts_packets")'
expect 0 "$SPILE" -l 'bpf.program("spile_counts_pa").return'
is 'bpf.program("spile_counts_packets").return'
expect 0 "$SPILE" -L 'bpf.program("spile_*").return'
is 'bpf.program("spile_counts_packets").return $return:int $packet:struct sk_buff*
bpf.program("spile_sums_args").return $return:int $arguments:struct spile_args*'
expect 1 "$SPILE" -l 'bpf.program("spile_traces")'
says '^    note: program [0-9]+, `spile_traces`, cannot be probed: it traces the kernel or another program itself '

expect 1 "$SPILE" -l 'bpf.program("spile_bare")'
says '^    note: program [0-9]+, `spile_bare`, cannot be probed: it was loaded without types \(BTF\)$'

# The packet is the kernel's; the other argument is of a structure that the program alone knows.
cat >both.stp <<'S'
global n
probe bpf.program("spile_counts*") { if (!n++) printf("%s %s %d %d %s\n", pp(), ppfunc(), $ctx->len, $packet == $ctx, probe_type()) }
probe bpf.program("spile_sums_args") { if (n == 1) { printf("%d %s\n", $arguments->first, $arguments$) n = 10 } }
probe bpf.program("spile_counts_packets").return { if (n >= 10) { printf("%s %d %d\n", pn(), $return, $packet->len) n = 20 } }
probe bpf.program("spile_sums_args").return { if (n >= 20) { println($return, " ", $$return) exit() } }
S
cat >want <<'W'
bpf.program("spile_counts_packets") spile_counts_packets 64 1 fentry
40 {.first=40}
bpf.program("spile_counts_packets").return 7 64
-3 return=0xfffffffffffffffd
W
expect 0 timeout 100 "$SPILE" -v both.stp
diff want out || fail "other events"
says '^probe bpf\.program\("spile_counts_packets"\)\.return: fexit: BPF program [0-9]+, sched_cls$'
expect 0 "$SPILE" -p4 -o both.spo both.stp
expect 0 timeout 100 "$SPILE_RUN" both.spo
diff want out || fail "other events of the compiled script"

# The same program, loaded anew; another one of that name, which only handlers without variables take; none.
expect 0 "$SPILE" -p4 -o name.spo -e 'probe bpf.program("spile_counts_packets") { println(ppfunc()) exit() }'
kill $target
target
expect 0 timeout 100 "$SPILE_RUN" both.spo
diff want out || fail "other events of a program that was loaded anew"
kill $target
target 8
expect 4 timeout 100 "$SPILE_RUN" both.spo
says '^ERROR: probe bpf\.program\("spile_counts_packets"\) \(fentry\): the BPF program `spile_counts_packets` has other code than where the script was compiled; compile it here$'
expect 0 timeout 100 "$SPILE_RUN" name.spo
is spile_counts_packets
# Two of a name: both are probed.
"$PROGS/bpf_targets" 8 >id2 &
second=$!
trap 'kill $target $second' EXIT
wait_for 20 test -s id2
expect 0 timeout 100 "$SPILE" -v -e 'global n probe bpf.program("spile_counts_packets").return { if ((n += $return) > 100) exit() }'
[ "$(grep -c '^probe bpf\.program("spile_counts_packets")\.return: fexit: BPF program' err)" = 2 ] || fail "one of two programs is probed"
kill $second
trap 'kill $target' EXIT
expect 0 "$SPILE" -p4 -o gone.spo -e "probe bpf.program($(cat id)) { println(1) }"
kill $target
wait $target
trap - EXIT
expect 3 timeout 100 "$SPILE_RUN" gone.spo
says '^ERROR: probe bpf\.program\("spile_counts_packets"\) \(fentry\): no BPF program `spile_counts_packets` is loaded$'
