# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays whose keys end in a text have two maps in the kernel, one for short texts alone. They have the same elements as arrays
# that have one map since the text is no last part, whoever changes them: several processes in the kernel, a timer's handler and
# `end` outside of it.
. "$SUITE/lib.sh"
cat >many.sh <<'END'
for i in 1 2 3 4; do "$1" 60 & done
wait
END
cat >texts.stp <<'END'
global a, b, sums, sums_b, n_timers, set, set_b, first, first_b, of_two, of_two_b, gone, gone_b, wrong, names, large = "y"
probe begin { for (i = 0; i < 6; i++) large .= large }
probe process(@1).function("take") {
	text = user_string($text)
	a[user_string($text)]++
	b[user_string($text), 1]++
	of_two[cpu(), user_string($text)] += 2
	of_two_b[cpu(), text, 1] += 2
	set[text] = strlen(text)
	set_b[text, 1] = strlen(text)
	first[text . "z"]++
	first_b[text . "z", 1]++
	names[text] = text
	sums[pid(), user_string($text)] <<< cpu() + 1
	sums_b[user_string($text), pid()] <<< cpu() + 1
	gone[tid(), text] = 1
	gone_b[text, tid()] = 1
	delete gone[tid(), text]
	delete gone_b[text, tid()]
	if (!(text in a)) wrong++
	if ([tid(), text] in gone || [text, tid()] in gone_b) wrong++
}
probe timer.us(300) {
	a["timer"] += 3
	b["timer", 1] += 3
	a[large] += 5
	b[large, 1] += 5
	set["timer"] = 7
	set[large] = 8
	delete a["never"]
	sums[1, "timer"] <<< 2
	sums[1, large] <<< 3
	n_timers++
}
probe timer.ms(20) { delete set["timer"] delete set[large] delete names[large] }
probe end {
	delete set[large]
	delete set["timer"]
	a["end"] = 4
	b["end", 1] = 4
	foreach ([s, n] in b) if (b[s, n] != a[s] || !(s in a)) printf("%s: %d, not %d\n", s, a[s], b[s, n])
	foreach (s in a) if (a[s] != b[s, 1]) printf("%s: %d, and %d\n", s, a[s], b[s, 1])
	foreach ([c, s, n] in of_two_b) if (of_two[c, s] != of_two_b[c, s, n]) println("of two: ", s)
	foreach ([s, n] in set_b) if (set[s] != set_b[s, n]) println("set: ", s)
	foreach ([s, n] in first_b) if (first[s] != first_b[s, n]) println("first: ", s)
	foreach ([s, p] in sums_b)
		if (@count(sums[p, s]) != @count(sums_b[s, p]) || @sum(sums[p, s]) != @sum(sums_b[s, p])) println("sums: ", s)
	foreach ([p, s] in sums) if (p == 1) printf("%d ", @sum(sums[p, s]) == n_timers * (s == "timer" ? 2 : 3))
	delete sums[1, large]
	foreach ([p, s] in sums limit 10000) if (p == 1) printf("%s ", s)
	foreach (s in names) if (names[s] != s) println("names: ", s)
	foreach ([t, s] in gone) println("still there: ", s)
	n = 0
	foreach (s in a) { n++ all += strlen(s) }
	foreach (s in names) m++
	foreach (s- in set) { printf("%d ", strlen(s)) if (k++ == 1) break }
	printf("%d elements of %d bytes, %d names, %d wrong, %d\n", n, all - strlen(large), m, wrong, a["x"])
	delete a[""]
	delete a[large]
	n = 0
	foreach (s in a) n++
	printf("%d left, ", n)
	delete a
	foreach (s in a) println("left: ", s)
	a["again"]++
	foreach (s in a) println(s, a[s])
}
END
# An emulated processor may be stopped for long while its handler has the lock.
patience="-D MAXTRYLOCK=8192 -D TRYLOCKDELAY=100"
expect 0 "$SPILE" $patience --engine=kernel -c "sh many.sh $PROGS/texts" texts.stp "$PROGS/texts"
is '1 1 timer 511 149 154 elements of 11694 bytes, 151 names, 0 wrong, 240
152 left, again1'

# Aggregates, in handlers that only the kernel runs.
cat >sums.stp <<'END'
global a, b
probe kernel.trace("syscalls:sys_enter_access") {
	if (execname() != "texts" || user_char($filename) == 47) next // not that of ld.so.preload
	a[pid(), user_string($filename)] <<< cpu() + 1
	b[user_string($filename), pid()] <<< cpu() + 1
	if (!@count(b["", pid()])) delete a[pid(), ""]
}
probe end {
	foreach ([s, p] in b) {
		if (@count(a[p, s]) != @count(b[s, p]) || @sum(a[p, s]) != @sum(b[s, p])) println("not the same: ", s)
		n++
		count += @count(a[p, s])
	}
	printf("%d, %d\n", n, count)
}
END
expect 0 "$SPILE" $patience -D MAXSTRINGLEN=128 -c "sh many.sh $PROGS/texts" sums.stp
is '512, 36240'

# The limit is that of both maps together; elements that are deleted make room.
cat >limit.stp <<'END'
global a[100], n
probe process(@1).function("take") {
	text = user_string($text)
	a[text]++
	if (n++ < 200) delete a[text]
}
probe error { foreach (s in a) left++; printf("%d of %d", left, n) }
END
for engine in kernel user; do
	expect 1 "$SPILE" --engine=$engine -c "$PROGS/texts 3" limit.stp "$PROGS/texts"
	is '100 of 300'
	says '^ERROR: Array overflow, check size limit \(a has 100 elements; .*'
done
