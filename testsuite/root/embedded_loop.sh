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

# Sums that grow in some rounds alone have another value on each path, and are compared: the verifier does not follow them all. Some
# are an index that is cut by a mask.
cat >sums.stp <<'END'
function sums:long(s:string) %{ /* pure */
	int i, j, n = 0, depth = 0, most = 0, quoted = 0, last = -1, in = 0, low = 0, high = 15;
	unsigned crc = ~0u;
	for (i = 0; i < 200; i++) {
		if (STAP_ARG_s[i & 31] != 'x')
			n++;
		if (n > 300)
			break;
	}
	for (i = 0; i < 200; i++) {
		if (STAP_ARG_s[i & 31] == '(')
			depth++;
		if (STAP_ARG_s[i & 31] == ')' && depth > 0)
			depth--;
		if (depth > most)
			most = depth;
		if (STAP_ARG_s[i & 31] == '"')
			quoted = !quoted;
		else if (quoted)
			in++;
		if (in > 100 && quoted)
			break;
	}
	for (i = 0; i < 20; i++)
		for (j = 0; j < 20; j++) {
			n += STAP_ARG_s[i] == STAP_ARG_s[j];
			if (n > 999)
				goto found;
		}
found:
	for (i = 0; i < 100 && STAP_ARG_s[i & 31]; i++)
		if (STAP_ARG_s[i & 31] == 'c')
			last = i;
	for (i = 0; i < 32; i++) {
		crc ^= (unsigned char)STAP_ARG_s[i];
		for (j = 0; j < 8; j++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	for (i = 0; i < 4 && low < high; i++) {
		static const int steps[16] = { 1, 3, 5, 7, 9, 20, 30, 40, 50, 60, 70, 80, 90, 110, 120, 130 };
		int middle = (low + high) / 2;
		if (steps[middle & 15] < STAP_ARG_s[1])
			low = middle + 1;
		else
			high = middle;
	}
	STAP_RETURN(((((long)n * 100 + most) * 300 + in) * 40 + (last > 2 ? STAP_ARG_s[last & 31] : last)) * 2000 + (crc > 99 ? crc % 100 : crc) * 20 + low);
%}
probe process(@1).function("tick") {
	println(sums(execname() . " (\"((quoted)\" and) so on, x"))
	println(sums("a (b)) and \"c\" " . execname()))
}
END
for engine in user kernel; do
	expect 0 timeout 100 "$SPILE" --engine=$engine -v -g -c "$PROGS/ticks" sums.stp "$PROGS/ticks"
	! grep -q 'the rest of' err || fail "sums leave the kernel"
	cp out $engine
done
cmp user kernel || fail "sums differ"
prints '^[0-9]{10,}$'

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
