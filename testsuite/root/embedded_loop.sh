# SPDX-License-Identifier: GPL-2.0-or-later
# A loop of embedded C whose end the verifier does not see is run outside of the kernel, with what the handler in the kernel gives it.
. "$SUITE/lib.sh"
own_programs ticks
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"
cp "$SUITE/progs/endless.stp" loop.stp
expect 0 timeout 100 "$SPILE" --engine=kernel -v -g -c "$PROGS/ticks" loop.stp "$PROGS/ticks" 5
is 15
says 'function\("tock@.*"\): the rest of the handler runs outside of the kernel: embedded C has a loop whose end the verifier does not see at '
expect 0 timeout 100 "$SPILE" --engine=user -g -c "$PROGS/ticks" loop.stp "$PROGS/ticks" 5
is 15

# A bounded one stays in the kernel, in whatever way it is written.
for bound in 'i < 100 \&\& i < STAP_ARG_n;' 'i < STAP_ARG_n \&\& i != 100;' 'i < 100;'; do
	sed "s/i < STAP_ARG_n;/$bound/; s/s += i;/s += i; if (i == 4) break;/" loop.stp >bounded.stp
	expect 0 timeout 100 "$SPILE" --engine=kernel -v -g -c "$PROGS/ticks" bounded.stp "$PROGS/ticks" 5
	is 15
	! grep -q 'the rest of' err || fail "a bounded loop leaves the kernel: $bound"
done

# A check that some rounds pass by does not bound it.
cat >passed.stp <<'END'
function rounds:long(s:string) %{ /* pure */
	long i = 0;
	while (1) {
		i++;
		if (STAP_ARG_s[i & 15] == 'k')
			continue;
		if (i > 10)
			break;
	}
	STAP_RETURN(i);
%}
probe process(@1).function("tick") { println(rounds(execname() . "kkkkkkkkkkkkkkkkk")) }
END
expect 0 timeout 100 "$SPILE" --engine=kernel -v -g -c "$PROGS/ticks" passed.stp "$PROGS/ticks"
is $'16\n16'
says 'function\("tick@.*"\): the rest of the handler runs outside of the kernel: embedded C has a loop whose end the verifier does not see at passed\.stp:'

# Of a loop of two rounds LLVM makes one without a counter.
for call in 'strnlen(STAP_ARG_s, 2)' 'strncmp("ti", STAP_ARG_s, 2) + 2'; do
	expect 0 timeout 100 "$SPILE" --engine=kernel -v -g -c "$PROGS/ticks" -e "function two:long(s:string) %{ /* pure */ STAP_RETURN($call); %}
		probe process(@1).function(\"tick\") { println(two(execname())) }" "$PROGS/ticks"
	is $'2\n2'
	! grep -q 'the rest of' err || fail "two rounds leave the kernel: $call"
done

# One that only the kernel can run stays there: the message names its line.
sed 's/i++)/i = bpf_get_current_cgroup_id() \& 1)/; s/s += i;/s ^= i;/' loop.stp >kernel.stp
expect 1 timeout 100 "$SPILE" --engine=kernel -g -c "$PROGS/ticks" kernel.stp "$PROGS/ticks" 5
says '^ERROR: the kernel refused the handler of process\(.*\)\.function\("tock@.*"\) at kernel\.stp:[6-9]:[0-9]+: .*; a loop of the embedded C that the handler calls has to end after a number of rounds that the verifier can see, such as for \(i = 0; i < 1000 && i < n; i\+\+\); outside of the kernel \(begin, timers, --engine=user\) any loop will do$'
