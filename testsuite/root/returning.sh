# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes; and a stack that is named when its process, which nobody waits for, is gone.
. "$SUITE/lib.sh"
[ "$(printf '%s\n' 6.6 "$(uname -r)" | sort -V | head -n 1)" = 6.6 ] || skip "the function that returns is known since Linux 6.6"
ENGINE=kernel . "$SUITE/cli/returning.sh"

# Where addresses are not random, other programs lie at the same ones, and nothing is said: this one has some of its own.
compgen -c gcc | grep -qx gcc || skip "needs gcc"
gcc -no-pie -Wl,-Ttext-segment=0x34560000 -o stack "$SUITE/progs/stack.c"
cat >late.stp <<'STP'
global stacks
probe begin { println("ready") }
probe process(@1).function("leaf") { stacks[ubacktrace()]++ }
probe timer.ms(100) { if (@count(ends)) exit() }
global ends
probe process(@1).end { ends <<< 1 }
probe end { foreach (stack in stacks) print_usyms(stack) }
STP
"$SPILE" --engine=kernel late.stp "$PWD/stack" >out 2>err &
spile=$!
wait_for 20 grep -q ready out
for i in $(seq 20); do
	./stack
	sleep 0.2
	kill -0 $spile 2>/dev/null || break
done
wait $spile || fail "status $?"
prints "^ 0x[0-9a-f]+ : leaf\+0x0/0x[0-9a-f]+ \[$PWD/stack\]$"
prints "^ 0x[0-9a-f]+ : main\+0x[0-9a-f]+/0x[0-9a-f]+ \[$PWD/stack\]$"

# At an entry nothing returns.
expect 0 timeout 30 "$SPILE" --engine=kernel -c "$PROGS/stack" -e "probe process(\"$PROGS/stack\").function(\"main\") { println(__returning_from()) }"
is 0

# At the return of a program's function none of the kernel's returns.
expect 0 timeout 30 "$SPILE" --engine=kernel -c "$PROGS/stack" -e "probe process(\"$PROGS/stack\").function(\"leaf\").return { print_backtrace() println(1) exit() }"
! grep Returning out || fail "the program's function is in the kernel's stack"
