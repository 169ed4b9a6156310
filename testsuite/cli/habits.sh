# SPDX-License-Identifier: GPL-2.0-or-later
# What people write who come from bpftrace or C: each message says how it is written here.
. "$SUITE/lib.sh"
cp "$PROGS/calls" . || fail "no copy"
tried()
{
	echo "== $1"
	expect "${2:-1}" "$SPILE" -p2 -e "$1"
	sed -E '/^ {8}/d' err
}
# What is offered instead is there.
"$SPILE" --dump-functions | sed 's/[: (].*//' | sort -u >functions
for name in $(grep -oE '(^|[^@a-z_0-9])[a-z_0-9]+\(\)' "$TOP/compiler/front/habit.def" | grep -oE '[a-z_0-9]+' | sort -u); do
	case $name in printf | println) ;; *) grep -qx "$name" functions || fail "there is no $name()" ;; esac
done
{
	for point in 'kprobe:vfs_read' 'kretprobe:vfs_read' 'uprobe:/bin/bash:readline' 'usdt:/bin/x:p:m' 'tracepoint:a:b' \
		'interval:s:1' 'profile:hz:99' 'BEGIN' 'kprobe' 'kprobe:a:b:c'; do
		tried "$point { }"
	done
	tried 'kprobe:vfs_read /pid == 1/ { }'
	tried 'probe kprobe:vfs_read { }'
	tried 'probe begin /pid == 1/ { }'
	tried 'probe begin { @[1]++ }'
	tried 'probe begin { @x[2]++ }'
	tried 'probe begin { @y = 1 }'
	tried 'probe begin { @z }'
	tried "probe begin { println('x') }"
	tried 'probe begin { println(comm, pid, nsecs, retval) }' 0
	tried 'probe begin { println(hist(1), str(2), printx(3)) }'
	tried 'global s probe begin { s <<< 1 println(@stddev(s), @quantize(s)) }'
	tried 'probe begin { println("n" . string(1)) }'
	tried 'probe begin { println(max(1, 2), strcmp("a", "b"), atoi("7"), sizeof("int")) }'
	for statement in 'do { i++ } while (i < 3)' 'switch (1) { case 1: println(1) }' 'for (int i = 0; i < 3; i++) println(i)' \
		'long x = 3' 'struct foo *p = 3' 'if 1 > 2 println(1)' 'if (1) println(1) elsif (2) println(2)' 'if (1 and 2) println(1)' \
		'if (not 1) println(1)' 'print "hello"' 'println(1.5)' 'println(seen ?: 1)' 'foreach (x in [1, 2]) println(x)' 'seen[1][2] = 3'; do
		tried "global seen probe begin { $statement }"
	done
	tried 'probe begin { int x = 1 + true; let y = x; println(y) }' 0
	tried 'function f(int a) { return a } probe begin { println(f(1)) }'
	tried 'function f(string a) { return a } probe begin { println(f(1)) }'
	tried 'function f:long:1(a) { return a } probe begin { println(f(1)) }'
	tried 'function f(a) -> int { return a } probe begin { println(f(1)) }'
	tried 'probe begin, { println(1) exit() }'
	tried 'def f(a) { return a } probe begin { println(f(1)) }'
	for point in 'user.function("main")' 'tracepoint("sched:sched_switch")' 'kernel.vfs_read' 'kernel.func("vfs_read")' 'timer' \
		'process("./calls")' 'begin.first' 'kernel.function("vfs_read").return.late'; do
		tried "probe $point { println(1) }"
	done
	tried 'probe process("./calls").function("l{oo,ea}k").call { }'
	tried 'probe process("./calls").function("look").ret { }'
	tried 'probe process("./calls").function("look").entry { }'
	for point in 'process("./calls").exit' process.create 'syscall.*.entry' syscall.close.enter; do
		tried "probe $point { println(1) }"
	done
	tried 'probe end { println(print_stack("1"), print_ubacktrace()) }'
	for point in process_exit tcp.connect scheduler.process_exec; do
		tried "probe $point { println(1) }"
	done
	tried 'probe syscall.close { println(name()) }'
	tried 'probe timer.10s { println(1) }'
	tried 'probe syscall.open { println(user_string(filename)) }'
	tried 'probe begin if (pid() == target()) { println(1) }'
	tried 'probe begin { t = 1 } probe end { println(t) }' 0
	tried 'probe begin { t++ } probe end { println(t) t = 2 }' 0
	tried 'n = 3 probe begin { println(n) }'
	tried 'global n probe begin { printf("%d", n * 1.5 / 2) }'
	tried "probe process(\"./calls\").function(\"look\") { println(u) }" 0
	tried "probe process(\"./calls\").function(\"look\") { println(\$o.u) }"
}
