# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers of one place run in the order of the script in the kernel, too, whatever hook they have.
engine=kernel
. "$SUITE/cli/order.sh"
order "cat /dev/null" 'kernel.trace("sched:sched_process_exec")'
order "cat /dev/null" "process(\"$(command -v cat)\").begin"
# One of many functions, which one link serves where the kernel has such, between plain ones.
expect 0 timeout 60 "$SPILE" --engine=kernel -c "$PROGS/calls 1" -e "
	probe $calls.function(\"add\") { println(1) }
	probe $calls.function(\"ad[d]\"), $calls.function(\"mai[n]\") { println(2, ppfunc()) }
	probe $calls.function(\"add\").return { println(4) }
	probe $calls.function(\"add\") { println(3) }
	probe $calls.function(\"add\").return { println(5) }"
is '2main
1
2add
3
4
5'
