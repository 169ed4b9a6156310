# SPDX-License-Identifier: GPL-2.0-or-later
# Which arrays the kernel keeps with threads: numbers that only tid() indexes, of handlers in the kernel alone, of a kernel that can.
. "$SUITE/lib.sh"
target() # FEATURE...
{
	printf '%s\n' 'spile-target 1' 'arch x86_64' 'release 6.12.0' 'cpus 2' 'hz 250' \
		"features bpf btf uprobe raw-tracepoint tracepoint perf-event ringbuf attach-cookie kernel-read bounded-loops bpf-loop snprintf atomics map-walk percpu-lookup global-data $*"
}
target task-storage >new.target
target >old.target
arrays() { "$SPILE" --cost --target "$1" -e "$2" | sed -n 's/^  array \([^:]*\): \([0-9]*\) \([a-z]*\).*/\1: \2 \3/p' | sort -u | paste -sd' '; }
check() # SCRIPT ARRAYS
{
	local got
	got=$(arrays new.target "$1") || fail "$1"
	[ "$got" = "$2" ] || fail "$1: $got, not $2"
}
probe='probe process(@1).function("tick")'
probe=${probe/@1/\"$PROGS/once\"}
check "global t $probe { t[tid()] = 1 } $probe.return { if (tid() in t) delete t[tid()] }" 't: 16 bytes'
check "global t function f() { return t[tid()]++ } $probe { println(f()) }" 't: 16 bytes'
check "global t $probe { me = tid(); t[me] = 1 } $probe.return { me = tid(); if (me in t) delete t[me] }" 't: 16 bytes'
check "global t $probe { if (pid() == 7) me = tid(); t[me] = 1; println(t[me]) }" 't: 2048 elements'
# Another key, another type, printed, walked, cleared, by user space
check "global t $probe { if (!t[tid()]) t[pid()] = 1 }" 't: 2048 elements'
check "global t $probe { if (!t[tid()]) t[tid() + 1 - 1] = 1 }" 't: 2048 elements'
check "global t $probe { if (!t[tid(), 1]) t[tid(), 1] = 1 }" 't: 2048 elements'
check "global t $probe { if (t[tid()] == \"\") t[tid()] = \"a\" }" 't: 2048 elements'
check "global t[9]% $probe { if (!t[tid()]) t[tid()] = 1 }" 't: 9 elements'
check "global t $probe { t[tid()] = 1 }" 't: 2048 elements'
check "global t $probe { t[tid()] = 1 foreach (i in t) println(i) }" 't: 2048 elements'
check "global t $probe { t[tid()]++ } probe timer.s(1) { delete t }" 't: 2048 elements'
check "global t $probe { t[tid()]++ } probe end { println(t[tid()]) }" 't: 2048 elements'
check "global t probe begin { t[tid()] = 3 } $probe { println(t[tid()]) }" 't: 2048 elements'
got=$(arrays old.target "global t $probe { t[tid()] = 1 println(t[tid()]) }")
[ "$got" = 't: 2048 elements' ] || fail "a kernel without: $got"
