# SPDX-License-Identifier: GPL-2.0-or-later
# Uprobes are made by another process than the one that may be killed: the kernel takes back only half of what that one has begun, and the
# breakpoint stays in the programs that run.
. "$SUITE/lib.sh"
watch='global makes, own, apart
	probe kernel.trace("syscalls:sys_enter_bpf") { if ($cmd == 28) makes[tid()] = 1 }
	probe kernel.trace("syscalls:sys_exit_bpf") {
		if (!makes[tid()]) next
		delete makes[tid()]
		if ($ret < 0) next
		if (pid() == target()) own++
		else if (ppid() == target()) apart++
	}
	probe end { println(own, " ", apart) }'
# makes N POINT...: so many links, all by the other process.
makes()
{
	expect 0 "$SPILE" --engine=kernel -p4 -o made.spo -e "global n probe $2 { n++ } ${*:3} probe timer.ms(1) { exit() }"
	expect 0 "$SPILE" --engine=kernel -c "$SPILE_RUN made.spo" -e "$watch"
	prints "^0 $1\$"
}
ticks="process(\"$PROGS/ticks\").function"
makes 1 "$ticks(\"tock\")"
makes 2 "$ticks(\"tock\").return" # the other counts calls that are nested too deeply
for i in 1 2 3 4; do each="$each probe $ticks(\"main\") { n += $i }"; done
makes 5 "$ticks(\"tock\")" "$each" # with a link of many each, where the kernel has these
