# SPDX-License-Identifier: GPL-2.0-or-later
# A large function that reads values of the context, and that many places call: the verifier follows it once, and it has what the
# handler has, in a loop and in the walk of an array, too.
. "$SUITE/lib.sh"

# script WHERE VALUES: the sum of VALUES is asked for in many places, each of which counts when it is not the handler's.
script() {
	echo 'global a, m, s, begun, wrong, calls'
	echo 'function big:long(x:long, t:string) {'
	for i in $(seq 0 15); do
		echo "s = sprintf(\"%d %s\", x + $i, substr(s, $((i % 3)), 5)) . str_replace(s, \"1\", \"b\") a[x, s] += $i"
	done
	echo "calls++ foreach (k in m) if (m[k] != ($2)) wrong++"
	echo "return strlen(t) + ($2) } probe $1 { if (begun++) next m[1] = m[2] = $2"
	for i in $(seq 0 15); do echo "t = \"t\" . s if (big($i, t) != ($2) + strlen(t)) wrong += 100"; done
	echo 'for (i = 0; i < 3; i++) if (big(i + 20, "") != m[1]) wrong += 10000'
	echo 'println(calls, " ", wrong, " ", m[1] != 0) exit() } probe end { if ([0, ""] in a) println("empty") }'
}

# agrees WHERE VALUES [OPTION ...]
agrees() {
	local where=$1

	script "$where" "$2" >followed.stp
	shift 2
	expect 0 "$SPILE" -w --engine=kernel --cost -p4 -o followed.spo followed.stp
	! grep -q "outside of the kernel" out || fail "$where: the test is of what the kernel runs"
	expect 0 "$SPILE_RUN" -w --engine=kernel "$@" followed.spo
	is "19 0 1"
}

tick="process(\"$PROGS/once\").function(\"tick\")"
agrees "$tick" 'addr() ^ uaddr() ^ register("rsp") ^ register("rip") ^ register("r8") + user_mode() + strlen(ppfunc())' -c "$PROGS/once"
parts=$(for r in a b c d; do echo "^ register(\"r${r}x\") ^ register(\"e${r}x\") ^ register(\"${r}x\") ^ register(\"${r}l\")"; done
	for r in 8 9 10 11 12 13 14 15; do echo "^ register(\"r$r\") ^ register(\"r${r}d\") ^ register(\"r${r}w\") ^ register(\"r${r}b\")"; done)
agrees "$tick" "addr() $(echo $parts)" -c "$PROGS/once" # more names than values that are kept
agrees "$tick.return" 'addr() ^ returnval() + user_mode()' -c "$PROGS/once"
agrees 'perf.type(1).config(0)' 'addr() ^ user_mode()'
grep -q ' register_kprobe$' /proc/kallsyms || exit 0
agrees 'kprobe.function("vfs_read").return' 'addr() ^ returnval()'
agrees 'kernel.function("vfs_read")' 'addr()'
