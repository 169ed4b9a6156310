# SPDX-License-Identifier: GPL-2.0-or-later
# A large function that asks for stacks, and that many places call: the verifier follows it once, and its stacks are the handler's, whole
# and in parts. The frames of tracing are looked for in all of them: that is less than half of what the verifier takes.
. "$SUITE/lib.sh"

# script WHERE STACK ADDRESS: the function's stack and address count when they are not the handler's.
script() {
	echo 'global a, s, begun, wrong, calls, whole, first'
	echo 'function big:long(x:long, t:string) {'
	for i in $(seq 0 15); do
		echo "s = sprintf(\"%d %s\", x + $i, substr(s, $((i % 3)), 5)) . t a[x, s] += strlen($2) + $3"
	done
	echo "calls++ if ($2 != whole || $3 != first) wrong++"
	echo "return strlen(t) + $3 } probe $1 { if (begun++) next whole = $2 first = $3"
	for i in $(seq 0 15); do echo "t = \"t\" . s if (big($i, t) != first + strlen(t)) wrong += 100"; done
	echo 'for (i = 0; i < 3; i++) if (big(i + 20, "") != first) wrong += 10000'
	echo 'println(calls, " ", wrong, " ", first != 0, " ", strlen(whole) > 20) exit() } probe end { if ([0, ""] in a) println("empty") }'
}

# agrees WHERE STACK ADDRESS [OPTION ...]
agrees() {
	local where=$1

	script "$where" "$2" "$3" >followed.stp
	shift 3
	expect 0 "$SPILE" -w --engine=kernel --cost -p4 -o followed.spo followed.stp
	! grep -q "outside of the kernel" out || fail "$where: the test is of what the kernel runs"
	expect 0 "$SPILE_RUN" -w --engine=kernel "$@" followed.spo
	is "19 0 1 1"
	expect 0 "$SPILE" -w --engine=kernel --explain followed.stp
	followed=$(sed -n 's/.*loaded: .* \([0-9]*\) followed by the verifier.*/\1/p' out)
	((followed > 0 && followed < 500000)) || fail "$where: the verifier follows $followed instructions"
}

agrees 'kernel.trace("sched_switch")' 'backtrace()' 'stack(1)'
# Before Linux 6.12 the trace events of one system call have no stack of the kernel.
uname -r | grep -qE '^[1-5]\.|^6\.([0-9]|1[01])\.' || agrees 'kernel.trace("syscalls:sys_enter_read")' 'backtrace()' 'stack(0)'
