# SPDX-License-Identifier: GPL-2.0-or-later
# A program that the verifier gives up after a million instructions is explained as any other: before Linux 6.4 the log is full of
# what it did before it comes to the reason.
. "$SUITE/lib.sh"
[ "$(printf '%s\n' 6.4 "$(uname -r)" | sort -V | head -n 1)" != 6.4 ] || skip "logs are complete from Linux 6.4 on: root/embedded_loop has what is said there"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
sed 's/i++)/i = i + 1 + (bpf_get_current_cgroup_id() \& 1))/' "$SUITE/progs/endless.stp" >long.stp
expect 1 timeout 400 "$SPILE" --engine=kernel -vv -g -c "$PROGS/ticks" long.stp "$PROGS/ticks" 5
says '^ERROR: the kernel refused the handler of process\(.*\)\.function\("tock@.*"\) at long\.stp:[6-9]:[0-9]+: there are too many paths through the program \(verifier, instruction [0-9]+: BPF program is too large\. Processed 1000001 insn\); a loop of the embedded C that the handler calls has to end after .* any loop will do$'
says '^processed 1000001 insns'
