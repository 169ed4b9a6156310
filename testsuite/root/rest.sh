# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers in the kernel that need what only the runtime can do: the rest of them runs there, with the values of the event.
. "$SUITE/lib.sh"
calls="process(\"$PROGS/calls\")"

# both COMMAND SCRIPT: the kernel's handlers and those of the user engine print the same, in the order of events.
both()
{
	mkdir -p other && cp -u "$PROGS/calls" "$PROGS/whole" "$PROGS/xmm" other/ # uprobes leave a program some time after their script
	sed "s|$PROGS/|$PWD/other/|g" "$2" >"other/$2"
	expect 0 timeout 60 "$SPILE" --engine=user -w -c "${1//"$PROGS/"/"$PWD/other/"}" "other/$2"
	quiet
	sed 's|other/||g' out >user
	expect 0 timeout 60 "$SPILE" --engine=kernel -w -c "$1" "$2"
	diff out user >difference || fail "the engines differ: $(cat difference)"
}

# Names as keys and values, text of floating point numbers, and a large array in order; filters stay in the kernel.
cat >keys.stp <<S
global seen, order, n
probe $calls.function("add") {
	if (\$a == 3) next
	if (pid() != target()) next
	a = \$a
	seen[usymname(ustack(0)), usymname(ustack(1))] <<< \$b
	order[sprintf("<%d>", a)] = a
	foreach (text in order-) { last = text break }
	printf("%d %d %s %s %s %d\n", n++, a, last, execname(), ppfunc(), pid() == target())
	if (a == 4) { println("four"); next }
}
probe end {
	foreach ([x, y] in seen) println(x, " ", y, " ", @count(seen[x, y]), " ", @sum(seen[x, y]))
}
S
both "$PROGS/calls 6" keys.stp
is '0 0 <0> calls add 1
1 1 <1> calls add 1
2 2 <2> calls add 1
3 4 <4> calls add 1
four
4 5 <5> calls add 1
add round_trip 5 5000'

# What comes before stays in the kernel: a time that a global keeps is read, and taken away, before the next event sets it again.
# What the rest does not change it has as it was at the event; what rests change they see in their order.
cat >order.stp <<S
global start, n, wrong, last, rests
probe $calls.function("add") { start[tid()] = gettimeofday_ns(); n++ }
probe $calls.function("look") { if (\$o->in->small % 2) { rests = rests . sprintf("%d", n) . usymname(\$o) } }
probe $calls.function("text") {
	if (!(tid() in start)) next
	t = gettimeofday_ns() - start[tid()]
	delete start[tid()]
	if (pid() == target()) {
		if (usymname(ustack(0)) != "text" || t <= 0 || n <= last) wrong++
		last = n
	}
}
probe end { println(n, " ", wrong, " ", last, " ", strlen(rests) > 8) }
S
both "$PROGS/calls 40" order.stp
is '40 0 40 1'
cat >last.stp <<S
probe $calls.function("add") { if (\$a == 4) { exit() println("the last is ", usymname(uaddr()) . "") } }
probe $calls.function("text") { println("text ", usymname(uaddr()) . "") }
S
expect 0 timeout 60 "$SPILE" --engine=kernel -w -c "$PROGS/calls 9" last.stp
is 'text text
text text
text text
text text
the last is add'

# Handlers with rests see what rests change in the order of events: what comes to that is in the rest, also in front of what only the
# runtime can do. A filter stays in the kernel.
cat >changed.stp <<S
global seen, state = "none", n
probe $calls.function("add") {
	if (\$a == 2) next
	known = "add" in seen
	was = state
	state = sprintf("add %d", n)
	printf("%d %d %s\n", \$a, known, was)
	if (usymname(ustack(0)) == "add") n++
	seen[usymname(uaddr())]++
}
probe $calls.function("look") { printf("look %d %s\n", n, state) state = "look" . usymname(0) }
S
both "$PROGS/calls 5" changed.stp
is '0 0 none
look 1 add 0
1 1 look0x0
look 2 add 1
look 2 look0x0
3 1 look0x0
look 3 add 2
4 1 look0x0
look 4 add 3'

# What was kept at the entry is taken in the kernel, before the next call keeps its own.
cat >entry.stp <<S
global n, s
probe $calls.function("look").return { n[usymname(uaddr())] += @entry(\$o->in->small) * 1000 + @entry(\$u) + \$return }
probe end { foreach (name in n) println(name, " ", n[name]) }
S
both "$PROGS/calls 50 threads" entry.stp
is 'round_trip 1228775'

# A function that a key or an address needs is called at the event. What it fails with is an error where it is used, if it is: it ended the
# script in front of a condition that was not true.
cat >failing.stp <<S
global named
function some:long(n:long) { if (n != 2) error(sprintf("some %d", n)) return n }
function rounds:long(n:long) { for (i = 0; i < n; i++) t += i ^ n return t & 3 }
probe begin { named[2] = 7 }
probe $calls.function("look") {
	here = usymname(uaddr()) . ""
	i = \$o->in->small
	if (i == 2) println(here, named[some(i)], [some(i)] in named, user_int16(some(\$u - 198) - 2 + &\$o->in->small))
	if (i == 9) println(named[rounds(20000 + i)], @task(some(i))->pid, user_int(named[some(i)]))
	try { println(named[some(i)]) } catch (m) { println(m) }
}
probe end { named[3] = 4; println(named[3]) }
S
both "$PROGS/calls 4" failing.stp
is 'some 0
some 1
look712
7
some 3
4'

# What is read of the program is what was there at the event, along pointers, too; what could not be read is an error there.
cat >values.stp <<S
probe $calls.function("look") {
	o = \$o
	s = sprintf("%.1f", \$o->in->small)
	println(s, " ", user_string(\$o->name), " ", \$o->ref->small, " ", \$o->mid, " ", \$u, " ", \$s, " ", user_string(o->next->name))
	if (\$o->in->small == 2) println(\$o->next->next->high)
}
probe $calls.function("text") { s = sprintf("%g", 0x3ff8000000000000) println(s, " ", user_string(\$s), " ", \$s\$, " ", user_string2(16, "gone"), user_string_n(\$s, strlen("abc"))) }
S
expect 1 timeout 60 "$SPILE" --engine=kernel -w -c "$PROGS/calls 4" values.stp
is '0.0 first -100 -3 200 -2 second
1.5 hello "hello" gonehel
0.0 first -101 -3 200 -2 second
1.5 hello "hello" gonehel
0.0 first -102 -3 200 -2 second'
says '^ERROR: read fault at 0x[0-9a-f]+ near identifier .\$o->next->next->high. at .*values.stp:5:[0-9]+ \(probe process\(".*calls"\)\.function\("look@'

# Many sites of one program: each record tells its own. Stacks as text, time and task of the event, exit().
cat >sites.stp <<S
global n
probe $calls.function("*") { if (++n <= 3) println(ppfunc(), " ", pn() == pp(), " ", substr(sprint_ubacktrace(), 0, 3) == substr(ppfunc(), 0, 3), sprintf("%.0f", 0)) }
S
expect 0 timeout 60 "$SPILE" --engine=kernel -w -c "$PROGS/calls 1" sites.stp
quiet
is '_start 1 10
_init 1 10
frame_dummy 1 10'
cat >time.stp <<'S'
global last, n
probe kernel.trace("sys_enter") {
	if (pid() != target()) next
	now = gettimeofday_ns()
	s = sprintf("%.0f", 1)
	if (now <= last || tid() != pid() || task_pid(task_current()) != pid() || s != "0") println("wrong")
	last = now
	if (++n == 20) { println("twenty"); exit() }
	if (n > 20) println("more")
}
S
expect 0 timeout 60 "$SPILE" -w -c "$PROGS/calls 30" time.stp
quiet
is twenty

# A handler that only reads or sets what a rest changes has a rest for that reason; what it reads for itself is that of the event. One
# that adds stays in the kernel.
cat >agree.stp <<S
global last, n, adds
probe $calls.function("add") { last = sprintf("%.0f", n) . usymname(uaddr()); n = n + 1 }
probe $calls.function("look") { adds++ }
probe $calls.function("text") { println(last, " ", n, " ", ppfunc()); last = "none" }
probe $calls.function("text").return { if (pid() == target()) println(last) }
probe end { println(last, " ", n, " ", adds) }
S
both "$PROGS/calls 3" agree.stp
is '0add 1 text
none
0add 2 text
none
0add 3 text
none
none 3 3'
expect 0 "$SPILE" --engine=kernel -v -p4 -o agree.spo agree.stp
says 'function\("text@.*"\): the rest of the handler runs outside of the kernel: the rest of a handler changes .last., which this one comes to at '
! grep -qE 'W640|"look@.*: the rest of' err || fail 'adding is not late'

# It is told.
expect 0 "$SPILE" -w -v -p4 -o keys.spo keys.stp
says '^  process\(.*\.function\("add@.*"\): the rest of the handler runs outside of the kernel: the name of an address is kept as a value at .*keys\.stp:6:7$'
expect 0 "$SPILE" -w --cost -p4 -o cost.spo keys.stp
prints '^outside of the kernel, the rest of probe process\(.*\.function\("add@.*: the name of an address is kept as a value at .*keys\.stp:6:7$'
expect 0 "$SPILE_RUN" -c "$PROGS/calls 2" keys.spo
prints '^add round_trip 2 2000$'
# A record of more than 32 kB, which is further than a load's offset reaches.
expect 0 timeout 60 "$SPILE" -D MAXSTRINGLEN=4000 -c "$PROGS/calls 1" -e "probe process(\"$PROGS/calls\").function(\"text\") {
	if (usymname(uaddr()) == \"there is none\") next
	printf(\"%s %s %s %s %s %s %s %s %s\\n\", user_string(\$s), user_string(\$s + 1), user_string(\$s + 2), user_string(\$s + 3),
		user_string(\$s + 4), user_string(\$s), user_string(\$s + 1), user_string(\$s + 2), user_string(\$s + 3))
	println(strlen(user_string(\$s + 4)))
}"
prints '^hello ello llo lo o hello ello llo lo$'
prints '^1$'

# A text that is cut is counted where the rest uses it, once, though the kernel has captured it each time.
cut()
{
	expect 0 timeout 60 "$SPILE" --engine=kernel -D MAXSTRINGLEN=16 -c "$PROGS/calls 1 123456789abcdefg" -e "global kept
probe $calls.function(\"main\") {
	names = sprint_ubacktrace()
	if ($1) kept = user_string(user_long(\$argv + 16))
	println(strlen(names) > 0)
}
probe end { println(kept) }"
}
cut 'pid() == 0'
is 1
quiet
cut 'pid() > 0'
is '1
123456789abcdef'
[ "$(grep -c WARNING err)" = 1 ] || fail "one warning"
says '^WARNING: 1 string of process\(.*\)\.function\("main@.*"\) was cut \(-D MAXSTRINGLEN=N makes room\)$'

# What runs outside has the rounds of a handler in the kernel, not those of a timer.
sorted="global a, n probe begin { for (i = 0; i < 6; i++) a[i] = i } probe $calls.function(\"main\") { foreach (k- in a) n++; println(n) }"
expect 1 timeout 60 "$SPILE" --engine=kernel -D MAXACTION=5 -c "$PROGS/calls 1" -e "$sorted"
says "^ERROR: MAXACTION exceeded .* near keyword 'foreach' at <input>:1:"
expect 0 timeout 60 "$SPILE" --engine=kernel -D MAXACTION=6 -c "$PROGS/calls 1" -e "$sorted"
prints '^6$'
