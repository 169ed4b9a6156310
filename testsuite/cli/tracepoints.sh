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
# @defined is decided for the hook that the handler gets, which has either the arguments or the fields.
switch='probe kernel.trace("sched:sched_switch")'
expect 0 "$SPILE" --stop-after=context --dump=context -e "$switch { println(@defined(\$prev), \$prev_pid > 0) }"
prints '^	println\(0, '
expect 0 "$SPILE" --stop-after=context --dump=context -e "$switch { if (@defined(\$prev)) println(\$prev) println(\$prev_pid) }"
prints '^	println\(\{\$prev_pid'
! grep -q 'task_struct' out || fail "an argument is read, where fields are"
expect 0 "$SPILE" --stop-after=context --dump=context -e "$switch { println(@defined(\$prev) ? 1 : \$prev_pid) }"
prints '^	println\(1\)$'
expect 1 "$SPILE" -e "$switch { println(@defined(\$prev) ? \$prev_pid : \$prev) }"
says '^semantic error: \$prev is an argument of .* prototype, but the handler also uses fields of its record \[E407\]$'
