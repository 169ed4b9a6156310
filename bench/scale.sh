# SPDX-License-Identifier: GPL-2.0-or-later
# bench/run reads this: cost against size, at four sizes. The exponent is the slope of log(cost) over log(size): 1 is linear.

# scaled WHAT GOAL-S SIZE...: `at SIZE` sets `ours`; the goal is that of the largest size.
scaled()
{
	local what=$1 goal=$2 size values=
	shift 2
	wanted "$what" || return 0
	for size in "$@"; do
		at "$size"
		race
		values="$values $size ${our_s% *}"
		[ "$size" != "${!#}" ] || row "$what" s "$goal" "$our_s" "" -
	done
	awk -v values="$values" 'BEGIN {
		n = split(values, v, " ") / 2
		for (i = 1; i <= n; i++) {
			x = log(v[2 * i - 1]); y = log(v[2 * i]); sx += x; sy += y; sxx += x * x; sxy += x * y
			line = line sprintf("%s%d: %.3f s", i > 1 ? ", " : "", v[2 * i - 1], v[2 * i])
		}
		printf "  %s; exponent %.2f\n", line, (n * sxy - sx * sy) / (n * sxx - sx * sx)
	}'
}

at_probes()
{
	local n
	for n in $(seq "$1"); do
		cat <<-END
		global calls$n, cpus$n, last$n
		probe kernel.trace("sched:sched_switch") {
		  calls$n[pid(), execname()]++
		  cpus$n <<< cpu()
		  if (calls$n[pid(), execname()] > 100) {
		    printf("%s %d\n", execname(), pid())
		  }
		  last$n[tid()] = execname() . "."
		}
		END
	done >"$work/many.stp"
	ours=("${cold[@]}" "$spile" -w -p4 -o "$work/many.spo" "$work/many.stp")
}

# Arrays, each with a probe that counts in it.
at_arrays()
{
	seq "$1" | awk '{ printf "global a%d probe kernel.trace(\"sched:sched_switch\") { a%d[pid()]++ }\n", $1, $1 }' >"$work/many.stp"
	ours=("${cold[@]}" "$spile" -w -p4 -o "$work/many.spo" "$work/many.stp")
}

at_keys()
{
	ours=("$spile" -D MAXACTION_INTERRUPTIBLE=20000000 -e "global a[1100000] probe begin {
		for (i = 0; i < $1; i++) a[i] = (i * 7919) % 1000003 exit() }
		probe end { foreach (k in a-) n += a[k] println(n) }")
}

at_lines()
{
	seq "$1" | awk '{ printf "function f%d(a) { return a + %d }\n", $1, $1 } END { print "probe begin { println(f1(2)) exit() }" }' >"$work/long.stp"
	ours=("${cold[@]}" "$spile" -w -p2 "$work/long.stp")
}

# Each function calls the next one.
at_chain()
{
	seq "$1" | awk -v n="$1" '{ printf "function f%d(a) { return %s + %d }\n", $1, $1 < n ? "f" ($1 + 1) "(a)" : "a", $1 } END { print "probe begin { println(f1(2)) exit() }" }' >"$work/long.stp"
	ours=("${cold[@]}" "$spile" -w -p3 "$work/long.stp")
}

# The lines of one handler, all of which become code.
at_statements()
{
	seq "$1" | awk 'BEGIN { print "global n probe begin {" } { printf "  n += %d\n", $1 } END { print "  println(n) exit() }" }' >"$work/long.stp"
	ours=("${cold[@]}" "$spile" -w -p4 -o "$work/many.spo" "$work/long.stp")
}

# As many stacks, each of 30 functions; what is measured has the program's run in it, of which each call costs microseconds.
at_stacks()
{
	[ -x "$work/deep" ] || ${CC:-cc} -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$work/deep" -x c - <<-'C'
	#include <stdlib.h>
	#define STEP { if (!depth) leaf(); else if (path & 1) one(path >> 1, depth - 1); else other(path >> 1, depth - 1); sink++; }
	volatile int sink;
	__attribute__((noipa)) void leaf(void) { sink++; }
	__attribute__((noipa)) void one(unsigned path, int depth);
	__attribute__((noipa)) void other(unsigned path, int depth) STEP
	__attribute__((noipa)) void one(unsigned path, int depth) STEP
	int main(int argc, char **argv) { for (int i = 0; i < atoi(argv[argc - 1]); i++) one(i, 24); return 0; }
	C
	ours=("$spile" -D MAXMAPENTRIES=100000 -e "global s probe process(\"$work/deep\").function(\"leaf\") { s[ubacktrace()]++ }" -c "$work/deep $1")
}

scale_rows()
{
	local ours=() our_s our_mb their_s their_mb
	at() { at_probes "$1"; }
	scaled "compile 40 probes, 320 lines" 0.12 5 10 20 40
	at() { at_arrays "$1"; }
	scaled "compile 3,000 arrays" - 375 750 1500 3000
	at() { at_keys "$1"; }
	scaled "fill 1,000,000 elements, read them sorted" 0.5 8000 40000 200000 1000000
	at() { at_stacks "$1"; }
	scaled "10,000 stacks of 30 functions, by their names" 0.3 1250 2500 5000 10000
	at() { at_lines "$1"; }
	scaled "a script of 100,000 lines, passes 1-2" 0.3 1000 5000 20000 100000
	at() { at_chain "$1"; }
	scaled "a chain of 8,000 functions, passes 1-3" - 1000 2000 4000 8000
	at() { at_statements "$1"; }
	scaled "a handler of 2,000 lines, passes 1-4" - 250 500 1000 2000
}
