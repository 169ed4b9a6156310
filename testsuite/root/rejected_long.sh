# SPDX-License-Identifier: GPL-2.0-or-later
# A program that the verifier gives up after a million instructions is explained as any other: before Linux 6.4 the log is full of
# what it did before it comes to the reason.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >long.stp <<S
function spin:long (n:long)
%{
	long s = STAP_ARG_n;
	for (long i = 0; i < STAP_ARG_n; i = i + 1 + (bpf_get_current_cgroup_id() & 1)) {
		s += i;
		if (s > 100000)
			s -= 77;
	}
	STAP_RETVALUE = s;
%}
probe process("$PROGS/ticks").function("tock") { println(spin(pid() - target() + \$1)) }
S
expect 1 timeout 400 "$SPILE" --engine=kernel -vv -g -c "$PROGS/ticks" long.stp 5
says '^ERROR: the kernel refused the handler of process\(.*\)\.function\("tock@.*"\) at long\.stp:[4-7]:[0-9]+: there are too many paths through the program \(verifier, instruction [0-9]+: BPF program is too large\. Processed 1000001 insn\); a loop of the embedded C that the handler calls has to end after .* any loop will do$'
says '^processed 1000001 insns'
