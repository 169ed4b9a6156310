# SPDX-License-Identifier: GPL-2.0-or-later
# bench/run reads this: what handlers cost, each beside the same by hand in C (by_hand.bpf.c).

by_hand=$work/by_hand.o

# busiest PID: id, name, instructions, runs and ns of the program that has run most.
busiest() { "$meter" progs "$1" 2>/dev/null | sort -k4,4nr | head -n 1; }

# together PID: the same of all its programs, which run once each for an event.
together() { "$meter" progs "$1" 2>/dev/null | awk '{ insns += $3; ns += $5 } $4 > runs { runs = $4 } END { if (NR) print "-", "-", insns, runs, ns }'; }
tally=busiest n_programs=1 # how many of them an event runs

# once NAME LOAD COMMAND...: attaches a program, makes events, and notes NAME INSNS NS. Its stdin stays open until then.
once()
{
	local name=$1 load=$2 pid insns runs_before ns_before runs_now=0 ns_now
	shift 2
	"$@" <"$work/stdin" >"$work/log.$name" 2>&1 8>&- &
	pid=$!
	children="$children $pid"
	exec 8>"$work/stdin"
	for _ in $(seq 100); do
		"$meter" progs "$pid" >/dev/null 2>&1 && break
		sleep 0.1
	done
	sleep 0.3 # attached, too
	"$meter" "$load" $((calls / 4)) # warm
	read -r _ _ _ runs_before ns_before < <($tally "$pid") || runs_before=-
	"$meter" "$load" "$calls"
	read -r _ _ insns runs_now ns_now < <($tally "$pid")
	[ "$runs_before" = - ] || [ $((runs_now - runs_before)) -lt "$calls" ] ||
		awk -v ns=$((ns_now - ns_before)) -v runs=$((runs_now - runs_before)) -v what="$name $insns" \
			'BEGIN { printf "%s %.2f\n", what, ns / runs }' >>"$work/round"
	kill -INT "$pid" 2>/dev/null
	exec 8>&-
	wait "$pid" 2>/dev/null
}

# measure LOAD SCRIPT [PEER COMMAND...]: in turn, an empty program, $program by hand, spile and the peer. net_of NAME and
# insns_of NAME (hand, spile, peer) tell of them.
measure()
{
	local load=$1 script=$2 empty=empty name
	shift 2
	[ "$load" = calls ] || empty=empty_$load
	[ "$load" = calls ] || load=work
	: >"$work/rounds"
	for _ in $(seq "$runs"); do
		: >"$work/round"
		once empty "$load" "$meter" hold "$by_hand" "$empty"
		[ -z "$program" ] || once hand "$load" "$meter" hold "$by_hand" "$program"
		once spile "$load" "$spile" $options -e "$script"
		[ $# = 0 ] || once peer "$load" "$@"
		awk -v n="$n_programs" '$1 == "empty" { floor = $3 * n } { printf "%s %d %.2f\n", $1, $2, $3 - floor }' "$work/round" >>"$work/rounds"
	done
	for name in spile ${program:+hand}; do
		grep -q "^$name " "$work/rounds" || note "no events: $name of $script ($(head -n 1 "$work/log.$name"))"
	done
}

net_of() { awk -v name="$1" '$1 == name { print $3 }' "$work/rounds" | median; }
insns_of() { awk -v name="$1" '$1 == name { n = $2 } END { print n ? n : "-" }' "$work/rounds"; }

event_row() # LOAD WHAT GOAL SCRIPT THEIR-SCRIPT PROGRAM-BY-HAND [GOAL-INSNS]; the goal is a factor of C by hand
{
	local what="$2 (net)" program=$6 options='' peer=()
	wanted "$what" || return
	command -v "$bpftrace" >/dev/null && peer=("$bpftrace" -e "$5")
	measure "$1" "$4" "${peer[@]}"
	row "$what" ns "$(times "$(net_of hand)" "$3")" "$(net_of spile)" "C by hand" "$(net_of hand)"
	row "" insns "${7:--}" "$(insns_of spile)" "C by hand" "$(insns_of hand)"
	row "" ns - "$(net_of spile)" bpftrace "$(net_of peer)"
	row "" insns - "$(insns_of spile)" bpftrace "$(insns_of peer)"
}

# Of a script of two probes, together. The goal is a factor of the peer's.
pair_row() # WHAT GOAL SCRIPT THEIR-SCRIPT
{
	local what="$1 (net)" program='' options='' peer=() tally=together n_programs=2
	wanted "$what" || return
	command -v "$bpftrace" >/dev/null && peer=("$bpftrace" -e "$4")
	measure calls "$3" "${peer[@]}"
	row "$what" ns "$(times "$(net_of peer)" "$2")" "$(net_of spile)" bpftrace "$(net_of peer)"
	row "" insns - "$(insns_of spile)" bpftrace "$(insns_of peer)"
}

at='kernel.trace("raw_syscalls:sys_enter")' theirs='tracepoint:raw_syscalls:sys_enter'

# beside WHAT FACTOR SCRIPT OTHER-NAME OTHER-SCRIPT [OPTIONS]: what a script costs, at most FACTOR of what the other does.
beside()
{
	local what=$1 program='' options=${6:-} other ours
	wanted "$what" || return
	measure calls "$5"
	other=$(net_of spile)
	measure calls "$3"
	ours=$(net_of spile)
	row "$what" ns "$(times "$other" "$2")" "$ours" "$4" "$other"
}

# handler_ns COMMAND...: the ns of a handler, as spile -t tells them, in some runs.
handler_ns()
{
	for _ in $(seq "$runs"); do
		"$@" 2>/dev/null | sed -n 's/.*time: \([0-9]*\)avg ns.*/\1/p'
	done | median 0
}

# Stacks of 20 functions, printed: by .eh_frame, and by frame pointers, which is what spile does for a kernel without bpf_loop.
stack_row()
{
	local deep=$build/testsuite/progs/omit pointers script='{ print_ubacktrace_brief() }' what="print a stack of 20 functions"
	wanted "$what" || return
	[ -x "$deep" ] || { note "stacks: make check-programs makes $deep"; return; }
	${CC:-cc} -std=gnu11 -O2 -g -DFRAME_POINTERS -fno-omit-frame-pointer -o "$work/pointers" "$here/../testsuite/progs/omit.c" || return
	"$build/spile-run" --describe | sed 's/ bpf-loop//' >"$work/pointers.target"
	"$spile" --target "$work/pointers.target" -p4 -o "$work/pointers.spo" \
		-e "probe process(\"$work/pointers\").function(\"stop_here\") $script" >/dev/null || return
	pointers=$(handler_ns "$build/spile-run" -t "$work/pointers.spo" -c "$work/pointers 14 300")
	row "$what" ns "$(times "$pointers" 2)" \
		"$(handler_ns "$spile" -t -c "$deep 14 300" -e "probe process(\"$deep\").function(\"stop_here\") $script")" \
		"frame pointers" "$pointers"
}

# printed COMMAND...: the seconds from the first of a million system calls until all that it prints about them is in a
# file, "-" when lines are missing that it does not own up to.
printed()
{
	local pid start lines lost
	"$@" >"$work/printed" 2>"$work/printed.log" &
	pid=$!
	children="$children $pid"
	for _ in $(seq 100); do
		"$meter" progs "$pid" >/dev/null 2>&1 && break
		sleep 0.1
	done
	sleep 0.5 # attached, too
	start=$EPOCHREALTIME
	"$meter" calls 500000 & "$meter" calls 500000
	wait $!
	kill -INT "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	lines=$(grep -c '^event ' "$work/printed")
	lost=$(cat "$work/printed.log" "$work/printed" | sed -nE 's/.*(Lost|WARNING:) ([0-9]+) events.*/\2/p' |
		awk '{ n += $1 } END { print n + 0 }')
	[ $((lines + lost)) -ge 1000000 ] || return
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f ", b - a }'
	echo "$lost"
}

throughput_row()
{
	local what="printf of 1,000,000 events from 2 CPUs"
	wanted "$what" || return
	: >"$work/ours" >"$work/theirs"
	for _ in $(seq "$runs"); do
		printed "$spile" -e "probe $at { if (execname() == \"meter\") printf(\"event %d %d\\n\", pid(), \$id) }" >>"$work/ours"
		command -v "$bpftrace" >/dev/null &&
			printed "$bpftrace" -e "$theirs /comm == \"meter\"/ { printf(\"event %d %d\\n\", pid, args->id) }" >>"$work/theirs"
	done
	row "$what" s - "$(cut -d' ' -f1 "$work/ours" | median 2)" bpftrace "$(cut -d' ' -f1 "$work/theirs" | median 2)"
	row "  lost, and told" lines 0 "$(cut -d' ' -f2 "$work/ours" | median 0)" bpftrace "$(cut -d' ' -f2 "$work/theirs" | median 0)"
}

kernel_rows()
{
	event_row calls "n++ in a tracepoint handler" 1 \
		"global n probe $at { n++ } probe end { printf(\"%d\\n\", n) }" "$theirs { @ = count() }" scalar 20
	event_row calls "n[pid()]++ in a tracepoint handler" 1 \
		"global n probe $at { n[pid()]++ } probe end { foreach (p in n) printf(\"%d %d\\n\", p, n[p]) }" \
		"$theirs { @[pid] = count() }" by_pid 40
	beside "a[1] = a[1] + 1, under a lock" 2.5 "global a probe $at { a[1] = a[1] + 1 }" "a[1]++" "global a probe $at { a[1]++ }"
	beside "printf in the rest of a cut handler" 1.5 "probe $at { s = sprintf(\"%.0f\", \$id) printf(\"%d %s %s\\n\", pid(), execname(), s) }" \
		direct "probe $at { printf(\"%d %s %d\\n\", pid(), execname(), \$id) }" "-s 128"
	stack_row
	event_row calls "n[pid()] <<< \$id, four extractors" 1 \
		"global n probe $at { n[pid()] <<< \$id }
		probe end { foreach (p in n) printf(\"%d %d %d %d %d\\n\", p, @count(n[p]), @avg(n[p]), @min(n[p]), @max(n[p])) }" \
		"$theirs { @c[pid] = count(); @a[pid] = avg(args->id); @l[pid] = min(args->id); @g[pid] = max(args->id); }" \
		sums_by_pid
	event_row calls "n[execname()] <<< \$id, average" 1 \
		"global n probe $at { n[execname()] <<< \$id }
		probe end { foreach (p in n) printf(\"%s %d\\n\", p, @avg(n[p])) }" \
		"$theirs { @[comm] = avg(args->id) }" average_by_name
	event_row calls "n[pid()] <<< \$id, logarithmic histogram" 0.9 \
		"global n probe $at { n[pid()] <<< \$id } probe end { foreach (p in n) print(@hist_log(n[p])) }" \
		"$theirs { @[pid] = hist(args->id) }" histogram_by_pid
	event_row calls "time since the last event, by tid" 0.5 \
		"global last, d probe $at { now = ktime_get_ns() if (tid() in last) d <<< now - last[tid()] last[tid()] = now }
		probe end { print(@hist_log(d)) }" \
		"$theirs { if (@last[tid]) { @d = hist(nsecs - @last[tid]); } @last[tid] = nsecs; }" gap_by_thread
	pair_row "time of a system call, two probes" 0.4 \
		"global start, d probe $at { start[tid()] = ktime_get_ns() }
		probe kernel.trace(\"raw_syscalls:sys_exit\") {
			if (tid() in start) { d <<< ktime_get_ns() - start[tid()]; delete start[tid()] }
		}
		probe end { println(@count(d), \" \", @avg(d)) }" \
		"$theirs { @start[tid] = nsecs; }
		tracepoint:raw_syscalls:sys_exit /@start[tid]/ { @d = stats(nsecs - @start[tid]); delete(@start[tid]); }"
	event_row calls "a filter that fails, with a printf" 0.7 \
		"probe $at { if (pid() == 0) printf(\"%d %s\\n\", pid(), execname()) }" \
		"$theirs /pid == 0/ { printf(\"%d %s\\n\", pid, comm) }" filter
	event_row calls "printf of pid, command and time" 1.3 \
		"probe $at { printf(\"%d %s %d\\n\", pid(), execname(), ktime_get_ns()) }" \
		"$theirs { printf(\"%d %s %lld\\n\", pid, comm, nsecs) }" record
	event_row calls "syscall.* { n[name]++ }" 1.2 \
		"global n probe syscall.* { n[name]++ } probe end { foreach (s in n) printf(\"%s %d\\n\", s, n[s]) }" \
		"$theirs { @[args->id] = count() }" by_call
}

user_rows()
{
	event_row entry "a user function, count by argument" 1 \
		"global n probe process(\"$meter\").function(\"work\") { n[\$i]++ }
		probe end { foreach (i in n) printf(\"%d %d\\n\", i, n[i]) }" \
		"uprobe:$meter:work { @[arg0] = count() }" by_argument
	event_row return "a user function, count by return value" 1 \
		"global n probe process(\"$meter\").function(\"work\").return { n[\$return]++ }
		probe end { foreach (i in n) printf(\"%d %d\\n\", i, n[i]) }" \
		"uretprobe:$meter:work { @[retval] = count() }" by_result
	event_row entry "a user function, count by string" 1.2 \
		"global n probe process(\"$meter\").function(\"work\") { n[user_string(\$name)]++ }
		probe end { foreach (s in n) printf(\"%s %d\\n\", s, n[s]) }" \
		"uprobe:$meter:work { @[str(arg1)] = count() }" by_string
	event_row entry "a user function, count by stack" 1.1 \
		"global n probe process(\"$meter\").function(\"work\") { n[ubacktrace()]++ }
		probe end { foreach (s in n) { print_usyms(s) printf(\"%d\\n\", n[s]) } }" \
		"uprobe:$meter:work { @[ustack] = count() }" by_stack
}

handler_rows()
{
	[ "$(id -u)" = 0 ] || { note "no events measured: this needs root"; return; }
	throughput_row
	coproc "$meter" stats
	children="$children $COPROC_PID"
	read -r _ <&"${COPROC[0]}" || { note "no events measured: the kernel does not count"; return; }
	clang -O2 -g -target bpf -D__TARGET_ARCH_x86 -DMETER="\"$meter\"" -I/usr/include/x86_64-linux-gnu \
		-c -o "$by_hand" "$here/by_hand.bpf.c" || note "nothing written by hand is measured: apt-get install clang"
	mkfifo "$work/stdin" || return
	kernel_rows
	user_rows
	kill "$COPROC_PID"
}
