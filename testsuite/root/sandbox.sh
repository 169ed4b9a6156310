# SPDX-License-Identifier: GPL-2.0-or-later
# When all is attached, spile-run, and spile, has the privileges alone that the script needs, in each of its threads, and few system calls; the
# command has the user's, and what runs commands keeps all.
. "$SUITE/lib.sh"
grep -q SP_NO_SANDBOX "$BUILD/Makefile" && skip "a build that watches itself has no filter"
own=$(grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status)
all=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
trap 'kill $run 2>/dev/null' EXIT
value() { sed -n "s/^$2:[[:space:]]*//p" "$1"; }
has_filter() { [ "$(value /proc/$run/status Seccomp)" = 2 ]; }
# start SCRIPT [OPTIONS]: runs it as $run, until its filter is on.
start()
{
	expect 0 "$SPILE" -p4 -o x.spo -e "$1"
	"$SPILE_RUN" -v -o out "${@:2}" x.spo 2>err &
	run=$!
	wait_for 60 has_filter
	for task in /proc/$run/task/*/status; do
		[ "$(value $task NoNewPrivs) $(value $task Seccomp)" = '1 2' ] || fail "$task: $(cat $task)"
	done
}
stop()
{
	kill -INT $run
	wait $run || fail "exit status $?"
	prints '^end 1$'
}
has_only() { [ $((0x$(value $1 CapPrm) & ~$2)) = 0 ]; }
# only MASK: no thread has a capability that is not in the mask.
only()
{
	for task in /proc/$run/task/*/status; do
		wait_for 20 has_only $task $1
	done
	[ $((0x$(value /proc/$run/status CapEff) & 1 << 39)) != 0 ] || fail "no CAP_BPF"
}
bpf=$((1 << 39)) perfmon=$((1 << 38)) admin=$((1 << 21)) ptrace=$((1 << 19)) search=$((1 << 2)) syslog=$((1 << 34)) nice=$((1 << 23))
switches='probe kernel.trace("sched:sched_switch") { n++ } global n'
start "$switches"' probe end { println("end ", n > 0) }'
only $((bpf | ptrace | search | syslog))
says '^privileges were given up, but those to read of other processes, use arrays in the kernel$'
stop
start "$switches probe process(\"$PROGS/ticks\").function(\"tick\") { n++ } probe end { println(\"end \", n > 0) }"
only $((bpf | perfmon | admin | ptrace | search | syslog))
says ' attach probes,'
stop
# Handlers on both sides of one lock: while one here holds it, those in the kernel wait, so that it must not be preempted.
start 'global n, m probe kernel.trace("sched:sched_process_exec") { t = n; m += t; n = t + 1 } probe timer.ms(1) { t = n; m += t; n = t + 1 }
	probe end { println("end ", n > 0) }'
only $((bpf | ptrace | search | syslog | nice))
[ $((0x$(value /proc/$run/status CapEff) & nice)) != 0 ] || fail "no CAP_SYS_NICE"
says ' hold locks in one go,'
stop
# Scripts that do not end by themselves read nothing of others.
start 'global n probe kernel.trace("sched:sched_switch") { n = 1 }'
only $bpf
kill -INT $run
wait $run
is 'n=1'
# spile itself, but when it is to read debug information meanwhile.
"$SPILE" -v -o out -e "$switches"' probe end { println("end ", n > 0) }' 2>err &
run=$!
wait_for 60 has_filter
only $((bpf | ptrace | search | syslog))
says '^privileges were given up, but those to read of other processes, use arrays in the kernel$'
stop
expect 0 "$SPILE" -v -T 0.1 -e "$switches"' global told probe timer.profile { if (!told++) println(symfileline(addr())) }'
says '^privileges are kept: debug information names addresses$'
# --monitor, where keys switch probes off and on: the command goes on until it has seen the filter.
printf 'wait ^seen=1\ntype q\n' >keys
python3 "$SUITE/term.py" 12 80 keys "$SPILE" --monitor=0.2 -c 'until grep -q "^Seccomp:.*2" status; do cat /proc/$PPID/status >status; done 2>/dev/null
		/bin/true; sleep 100' -e 'global seen probe kernel.trace("sched:sched_process_exec") { if (execname() == "true") seen = 1 }' >shown || fail "$(cat shown)"
[ "$(value status Seccomp)" = 2 ] || fail "no filter with --monitor"
has_only status $((bpf | perfmon | admin | ptrace | search | syslog | 1 << 5)) || fail "with --monitor: $(cat status)"
# The command.
expect 0 "$SPILE" -p4 -o x.spo -e "$switches"
expect 0 "$SPILE_RUN" -c "cat /proc/self/status" x.spo
[ "$(grep -E '^(CapEff|NoNewPrivs|Seccomp):' out)" = "$own" ] || fail "the command has not the user's privileges"
# A program that becomes another user's, in the user engine.
cp "$PROGS/ticks" ticks
chmod 755 . ticks
expect 0 "$SPILE" --engine=user -c "setpriv --reuid=65534 --clear-groups $TMP/ticks" -e "
	global n probe process(\"$TMP/ticks\").function(\"tick\") { n++ } probe end { println(n) }"
quiet
[ "$(cat out)" -gt 0 ] || fail "no events"
# Commands of the script.
expect 0 "$SPILE" -p4 -o x.spo -e "$switches"' probe timer.ms(10) { system("grep ^CapEff: /proc/self/status") exit() }'
expect 0 "$SPILE_RUN" -v x.spo
wait_for 20 grep -qE "^CapEff:[[:space:]]+$all$" out
says '^privileges are kept: the script has commands or files$'
exit 0
