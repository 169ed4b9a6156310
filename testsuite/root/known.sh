# SPDX-License-Identifier: GPL-2.0-or-later
# Arrays whose texts are known in advance have the same elements as those whose texts are made at run time, whoever changes them:
# several processes in the kernel, a timer's handler and `end` outside of it.
. "$SUITE/lib.sh"
need_32_bit_calls
cat >many.sh <<'END'
for i in 1 2 3 4; do "$1" 20000 & done >/dev/null
wait
END
cat >known.stp <<'END'
global direct, made, of_two, of_two_made, sums, sums_made, set, set_made, one, runs, short
probe process(@1).function("add"), process(@1).function("add").return {
	runs++
	short[cpu() ? "b" : "a"]++
	side = cpu() ? "odd" : "even"
	direct[ppfunc()]++
	made[sprintf("%s", ppfunc())]++
	direct[side == "odd" ? "odd" : "even"] += 2
	made[sprintf("%s", side)] += 2
	of_two[pn(), 7]++
	of_two_made[sprintf("%s", pn()), 7]++
	sums[pn()] <<< 3
	sums_made[sprintf("%s", pn())] <<< 3
	set["gone"] = 5
	delete set["gone"]
	set[pn()] = 9
	set_made[sprintf("%s", pn())] = 9
	if ("gone" in set) one["is there"]++
	if (!(pn() in set)) one["is not there"]++
}
probe timer.us(300) {
	direct["late"] += 3
	made[sprintf("%s", "late")] += 3
	delete direct["never"]
	short["c"]++
	delete sums["never"]
}
probe end {
	direct["end"] = 4
	made[sprintf("%s", "end")] = 4
	foreach (s in made) if (direct[s] != made[s] || !(s in direct)) printf("%s: %d, not %d\n", s, direct[s], made[s])
	foreach (s in direct) if (direct[s] != made[s] || !(s in made)) printf("%s: %d, and %d\n", s, direct[s], made[s])
	foreach ([s, n] in of_two) if (of_two[s, n] != of_two_made[s, n]) printf("%s: of two\n", s)
	foreach ([s, n] in of_two_made) if (of_two[s, n] != of_two_made[s, n]) printf("%s: of two made\n", s)
	foreach (s in sums_made) if (@sum(sums[s]) != @sum(sums_made[s])) printf("%s: sums\n", s)
	foreach (s+ in set_made) printf("%s ", set[s] == 9 ? "set" : "not set")
	printf("%d %d %d %d\n", direct["nothing"], "nothing" in direct, "nothing" in sums, "gone" in set)
	foreach (s- in direct limit 2) printf("%s ", s)
	delete direct
	foreach (s in direct) println("left: ", s)
	foreach (s in one) println(s)
	printf("%d runs, %d, %s\n", runs, short["a"] + short["b"], short["c"] > 0 ? "c" : "no c")
}
END
expect 0 "$SPILE" --engine=kernel -c "sh many.sh $PROGS/calls" known.stp "$PROGS/calls"
quiet
is 'set set 0 0 0 0
odd late 160000 runs, 160000, c'
expect 0 "$SPILE" --cost -p4 --engine=kernel known.stp "$PROGS/calls"
prints '^  array direct: a place for each of the [0-9]+ texts that are its keys: [0-9]+ bytes$'
prints '^  array of_two: 2048 elements, 16 bytes of key, 8 of value: 49152 bytes$'
# How long its texts may be depends on where this tree is: they are points of probes with the paths of programs.
prints '^  array made: 2048 elements, [0-9]+ bytes of key( or 64 where its text is short)?, 8 of value: [0-9]+ bytes$'

# Every system call by its name, and by its number.
cat >calls.stp <<'END'
global by_name, by_text
probe syscall.* { if (pid() == target()) { by_name[name]++ by_text[sprintf("%s", name)]++ } }
probe end {
	foreach (s in by_text) if (by_name[s] != by_text[s]) printf("%s: %d, not %d\n", s, by_name[s], by_text[s])
	printf("%d %d\n", by_name["getppid"], by_name["lseek"])
}
END
expect 0 "$SPILE" -c "exec $PROGS/syscalls 50" calls.stp
quiet
prints '^(51 1|151 2)$'
[ "$(wc -l <out)" = 1 ] || fail "differences"
