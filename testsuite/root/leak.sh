# SPDX-License-Identifier: GPL-2.0-or-later
# Killed while it attaches or detaches, spile leaves no breakpoint of a uprobe behind: the kernel's log tells of none, and the user engine, which
# sees the breakpoints of others, gets every event.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
dmesg >log 2>/dev/null || skip "dmesg may not be read"
n=2000
"$SPILE_RUN" --describe | grep -q uprobe-multi || n=40 # one after the other, so many take minutes in an emulated guest
last_leak() { dmesg | grep 'leaking uprobe' | tail -1; }
{
	echo '#include <unistd.h>'
	for i in $(seq $n); do echo "__attribute__((noinline)) void f$i(void) { __asm__ volatile(\"nop\"); }"; done
	echo 'int main(void) { for (;;) { f1(); f'$n'(); usleep(1000); } }'
} >many.c
gcc -g -O1 many.c -o many || fail "the program does not compile"
./many &
target=$!
trap 'kill -KILL $target 2>/dev/null' EXIT
cat >many.stp <<S
global n
probe timer.ms(20) { if (n) println("hit") }
probe process("$PWD/many").function("f*") { n++ }
S
expect 0 "$SPILE" --engine=kernel -p4 -o many.spo many.stp
before=$(last_leak)
for pause in 0 0.002 0.004 0.006 0.008 0.01 0.015 0.02 0.03 0.04; do
	rm -f out # the shell that becomes spile-run makes it anew: until then, what is waited for is that of the one before
	"$SPILE_RUN" many.spo >out 2>err &
	pid=$!
	wait_for 30 grep -q hit out
	kill -TERM $pid
	sleep $pause
	kill -KILL $pid 2>/dev/null
	wait $pid
done
for pause in 0.01 0.02 0.03 0.04 0.05 0.06 0.08 0.1; do
	"$SPILE_RUN" many.spo >out 2>err &
	pid=$!
	sleep $pause
	kill -KILL $pid
	wait $pid
done
is_free()
{
	expect 0 timeout 60 "$SPILE" --engine=user -x $target -T 1 -e "probe process(\"$PWD/many\").function(\"f*\") { n++ } global n probe end { println(n > 0) }"
	! grep -q 'another tracer' err
}
wait_for 30 is_free
is 1
[ "$(last_leak)" = "$before" ] || fail "the kernel's log: $(last_leak)"
kill -0 $target || fail "the program has died"
