# SPDX-License-Identifier: GPL-2.0-or-later
# probe iter.NAME: the handler runs for each object that the kernel has, once, when all probes are attached.
. "$SUITE/lib.sh"
[ -e /sys/kernel/btf/vmlinux ] || skip "the kernel does not describe itself"
expect 0 "$SPILE" -l 'iter.*'
prints '^iter\.task$'
! grep -q '__' out || fail "structures that no iterator gives"
expect 0 "$SPILE" -L 'iter.task_f*'
is 'iter.task_file $meta:struct bpf_iter_meta* $task:struct task_struct* $fd:u32 $file:struct file*'
expect 1 "$SPILE" -l 'iter.tas'
says '^semantic error: nothing matches iter\.tas '
says "^    hint: did you mean 'task'\\?\$"
expect 1 "$SPILE" -p4 -e 'probe iter.task { println($tsk) }'
says '^semantic error: there is no \$tsk in iter\.task '
says '^    note: visible here: \$meta \$task$'

# Of one process: another case may run programs of that name. Behind the begin handlers, and not for "no more objects", which the kernel tells by a last call.
cp "$(command -v sleep)" iterated
./iterated 100 &
sleeper=$!
trap 'kill $sleeper' EXIT
wait_for 5 grep -q iterated "/proc/$sleeper/comm"
cat >seen.stp <<'S'
global n, none, began
probe begin { began = 1 }
probe iter.task { none += $task == 0 || !began; n += task_pid($task) == $1 }
probe iter.task_file { if (task_pid($task) == $1 && $file) printf("%d\n", $fd) }
probe timer.ms(200) { exit() }
probe end { println(pn(), " ", none, " ", n) }
S
expect 0 "$SPILE" -v seen.stp $sleeper
prints '^end 0 1$'
for fd in 0 1 2; do prints "^$fd\$"; done
says '^probe iter\.task: iterator: once, when all probes are attached, and when run_iter\(\) asks for it$'
expect 0 "$SPILE" -p4 -o seen.spo seen.stp $sleeper
expect 0 "$SPILE_RUN" seen.spo
prints '^end 0 1$'

# More than the buffer has room for: nothing is lost.
expect 0 "$SPILE" -s 1 -T 1 -e 'probe iter.ksym { printf("%s %x\n", kernel_string($ksym->name), $ksym->value) }' 
quiet
[ "$(wc -l <out)" -gt $(($(wc -l </proc/kallsyms) - 100)) ] || fail "$(wc -l <out) of $(wc -l </proc/kallsyms) symbols"
# exit() ends it at once.
expect 0 "$SPILE" -e 'global n probe iter.task { if (++n == 3) exit() } probe end { println(n) }'
is 3
# The control groups, from the root on.
"$SPILE" -l iter.cgroup >groups 2>&1 && {
	expect 0 "$SPILE" -T 1 -e 'global n probe iter.cgroup { if (!n++) println("level ", $cgroup->level) }'
	is 'level 0'
}
# The elements of one map, which a script cannot name: some kernels refuse the handler, others its link.
expect 1 "$SPILE" -e 'probe iter.bpf_map_elem { println(1) }'
says '^semantic error: nothing matches iter\.bpf_map_elem '
says '^    note: the kernel has it for the elements of one BPF map, which a script cannot name$'
expect 0 "$SPILE" -l 'iter.bpf_*'
prints '^iter\.bpf_map$'
! grep -q elem out || fail "an iterator through one map"
# run_iter() runs the handler once more, behind the handler that asks for it: in the runtime, and in the kernel.
expect 0 "$SPILE" -e 'global rounds, n
probe begin { run_iter("task"); println("begin") }
probe iter.task { if ($task && task_pid($task) == $1) { n++; println("seen") } }
probe timer.ms(100) { if (rounds++ < 2) { run_iter("task"); println("timer") } else if (n >= 4) exit() }' $sleeper
is 'begin
seen
seen
timer
seen
timer
seen'
expect 0 "$SPILE" -e 'global asked, n probe kernel.trace("sched:sched_switch") { if (!asked++) run_iter("task") }
probe iter.task { if ($task && task_pid($task) == $1) n++ } probe timer.ms(20) { if (n == 2) exit() } probe end { println(n) }' $sleeper
is 2
# The kernel's stack begins with what calls the iterator, in all forms; its key, too.
expect 0 "$SPILE" -e 'global n, keys
probe iter.task { if ($task != task_current() || n++) next println(symname(stack(0))) print_backtrace() keys[backtrace()]++ }
probe timer.ms(20) { if (n) { foreach (k in keys) println(symname(strtol(k, 16))) exit() } }'
[ "$(sed -nE '1p; 2s/^ 0x[0-9a-f]+ : ([a-z_]+)\+.*/\1/p; $p' out | paste -sd' ')" = "task_seq_show task_seq_show task_seq_show" ] ||
	fail "the stack in an iterator"
# A signal ends it while it waits for a reader of its output that does not read.
mkfifo pipe
sleep 1000 <>pipe &
target=$!
trap 'kill -KILL $sleeper $target $spile 2>/dev/null' EXIT
expect 0 "$SPILE" -p4 -o flood.spo -e 'probe iter.task { for (i = 0; i < 40; i++) printf("%0400d\n", i) }
probe timer.ms(100) { run_iter("task") }'
"$SPILE_RUN" flood.spo >pipe 2>err &
spile=$!
is_full() { [ "$(sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' /proc/$spile/status)" -gt 20000 ]; }
wait_for 60 is_full
sleep 1
stop_unread
