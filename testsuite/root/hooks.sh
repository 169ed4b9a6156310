# SPDX-License-Identifier: GPL-2.0-or-later
# -v names the hook chosen for each probe, and why.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe | grep -q '^features .*\<uprobe-multi\>' && multi=.multi || multi=
expect 0 timeout 120 "$SPILE" -v --engine=kernel -c "$PROGS/calls 1" -e "global n
probe process(\"$PROGS/calls\").function(\"add\") { n++ }
probe kernel.trace(\"sched:sched_process_fork\") { n++ }
probe kernel.trace(\"sched:sched_process_exit\") { n += \$pid }
probe kernel.trace(\"syscalls:sys_enter_write\") { n++ }
probe timer.profile { n++ }"
hook() { says "^probe $1: $2\$"; }
hook 'process\(".*/calls"\)\.function\("add@.*"\)' "uprobe$multi: a function of a program"
hook 'kernel\.trace\("sched:sched_process_fork"\)' 'raw tracepoint: no field of the record is used'
hook 'kernel\.trace\("sched:sched_process_exit"\)' 'tracepoint: trace event: \$pid is a field of its record'
hook 'kernel\.trace\("syscalls:sys_enter_write"\)' 'tracepoint: trace event: no tracepoint has its name'
hook 'timer\.profile' 'perf event: on every processor'
