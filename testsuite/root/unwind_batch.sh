# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel gets the unwind tables that are known before the probes are attached in one call: it waits once for each.
. "$SUITE/lib.sh"
command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null || skip "needs strace"

cp "$PROGS/calls" deep
expect 0 "$SPILE" -p4 -o x.spo -e 'probe process("./deep").function("main") { print_ubacktrace() }'
expect 0 env ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=bpf "$SPILE_RUN" --engine=kernel -v -c ./deep x.spo
tables=$(sed -nE 's/.*unwind tables of ([0-9]+) files.*/\1/p' err)
[ "${tables:-0}" -gt 1 ] || fail "$(cat err)"
grep -q 'BPF_MAP_UPDATE_BATCH.* = -1' trace && skip "this kernel takes tables one by one"
n=$(grep -c 'BPF_MAP_UPDATE_BATCH' trace)
[ "$n" -ge 1 ] && [ "$n" -le $((1 + tables / 2)) ] || fail "$tables tables in $n calls"
