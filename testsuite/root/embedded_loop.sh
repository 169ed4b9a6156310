# SPDX-License-Identifier: GPL-2.0-or-later
# A loop of embedded C whose end the verifier does not see: the message names its line, and what to do. Bounded, or outside of the
# kernel, it runs.
. "$SUITE/lib.sh"
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cat >loop.stp <<S
function spin:long (n:long)
%{
	long s = STAP_ARG_n;
	for (long i = 0; i < STAP_ARG_n; i++) {
		s += i;
		if (s > 100000)
			s -= 77;
	}
	STAP_RETVALUE = s;
%}
probe process("$PROGS/ticks").function("tock") { println(spin(pid() - pid() + \$1)) }
S
expect 1 timeout 100 "$SPILE" --engine=kernel -g -c "$PROGS/ticks" loop.stp 5
says '^ERROR: the kernel refused the handler of process\(.*\)\.function\("tock@.*"\) at loop\.stp:[4-7]:[0-9]+: .*; a loop of the embedded C that the handler calls has to end after a number of rounds that the verifier can see, such as for \(i = 0; i < 1000 && i < n; i\+\+\); outside of the kernel \(begin, timers, --engine=user\) any loop will do$'
expect 0 timeout 100 "$SPILE" --engine=user -g -c "$PROGS/ticks" loop.stp 5
is 15
sed -i 's/i < STAP_ARG_n;/i < 100 \&\& i < STAP_ARG_n;/' loop.stp
expect 0 timeout 100 "$SPILE" --engine=kernel -g -c "$PROGS/ticks" loop.stp 5
is 15
