# SPDX-License-Identifier: GPL-2.0-or-later
# kernel.trace: what is listed, and what is said of names that are wrong.
. "$SUITE/lib.sh"
[ -r /sys/kernel/tracing/events ] || skip "tracefs cannot be read"
expect 0 "$SPILE" -L 'kernel.trace("sched:sched_switch")'
prints '^kernel\.trace\("sched:sched_switch"\) .*\$next_pid'
expect 0 "$SPILE" -l 'kernel.trace("sched:sched_process_*")'
[ "$(wc -l <out)" -ge 4 ] || fail "too few sched_process_* tracepoints"
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_swich") { exit() }'
says 'did you mean .*sched_switch'
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { println($nosuch) exit() }'
says 'next_pid'
[ "$(grep -o '[$]prev_state\>' err | wc -l)" = 1 ] || fail "a name is listed twice"
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { println($perv) exit() }'
says "did you mean '.prev'"
expect 1 "$SPILE" -e 'probe kernel.trace("sched:sched_switch") { printf("%s", $next_comm) exit() }'
says 'hint: kernel_string\(.next_comm\) is the text'
expect 0 "$SPILE" -L 'kernel.trace("syscalls:sys_enter_openat")'
prints '\$dfd:int \$filename:.*\$flags:int \$mode:umode_t$'
expect 1 "$SPILE" -e 'probe kernel.trace("syscalls:sys_enter_openat") { printf("%s", $filename) exit() }'
says 'hint: user_string\(.filename\) is the text'
expect 1 "$SPILE" -e 'probe kernel.trace("syscalls:sys_enter_openta") { exit() }'
says "did you mean 'syscalls:sys_enter_openat'"
expect 0 "$SPILE" -l 'kernel.trace("*")'
! grep -q '"syscalls:' out || fail "the events of system calls are no tracepoints"
# @defined is decided for the hook that the handler gets: both lists are there when both are used.
switch='probe kernel.trace("sched:sched_switch")'
expect 0 "$SPILE" --stop-after=context --dump=context -e "$switch { println(@defined(\$prev), \$prev_pid > 0) }"
prints '^	println\(1, \(@entry1 > 0\)\)$'
expect 0 "$SPILE" --stop-after=context --dump=context -e "$switch { if (@defined(\$prev)) println(\$prev) println(\$prev_pid) }"
prints '^	println\(\{\$prev: struct task_struct'
prints '^	println\(@entry1\)$'
expect 0 "$SPILE" --stop-after=context --dump=context -e "$switch { println(@defined(\$prev) ? 1 : \$prev_pid) }"
prints '^	println\(1\)$'
# Both lists: what is said of names that the other place has.
both="$switch { println(\$prev) "
expect 1 "$SPILE" -e "$both println(\$prev_comm) }"
says '^semantic error: \$prev_comm is an array in the record, which is gone where arguments of the prototype are \[E407\]$'
says '^    hint: the argument of a function can be the array itself: kernel_string\(\$prev_comm\)$'
expect 1 "$SPILE" -e "$both n = 3 println(kernel_string_n(\$prev_comm, n)) }"
says "^semantic error: local variable 'n' has no value where fields of the record are read \[E510\]$"
says '^    hint: only globals, functions and other fields can be used there$'
expect 1 "$SPILE" -e "function f() { return \$prev_pid } $both f() }"
says "^semantic error: a function cannot ask for a field of the tracepoint's record, when the handler uses arguments of its prototype \[E510\]$"
expect 1 "$SPILE" -e "$both println(@entry(\$prev_pid)) }"
says '^semantic error: @entry stands outside of a \.return probe \[E510\]$'
