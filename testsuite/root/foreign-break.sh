# SPDX-License-Identifier: GPL-2.0-or-later
# Two tracers at one function: the user engine says that a uprobe of the kernel has it, and leaves its breakpoint alone, in
# whatever order they come and go.
. "$SUITE/lib.sh"
cp "$PROGS/busy" . # a uprobe is in each process that runs the file
count() { od -An -t u8 -N 8 ticks | tr -d ' '; }
counts_on() { [ "$(count)" -gt "$1" ]; }
hits() { grep -q 00 "$1"; }
traced() { ! grep -q '^TracerPid:[[:space:]]*0$' /proc/$target/status; }
ended() { ! kill -0 "$1"; }
p="process(\"./busy\").function(\"tick\")"
every="global n probe $p { if (++n % 100 == 0) println(n) }"
"./busy" ticks &
target=$!
trap 'kill -KILL $target $kernel $user 2>/dev/null' EXIT
wait_for 20 test -s ticks
lives()
{
	kill -0 $target || fail "the target died $1"
	wait_for 20 counts_on "$(count)"
}
start() # KIND: in the file KIND.out; its pid is in the variable KIND
{
	rm -f $1.out
	"$SPILE" --engine=$1 -x $target -e "$every" >$1.out 2>$1.err &
	eval "$1=$!"
}
stop() { kill -INT $1; wait_for 60 ended $1; }
start user
wait_for 60 hits user.out
stop $user
[ ! -s user.err ] || { cat user.err; fail "there is no other tracer"; }
start kernel
wait_for 60 hits kernel.out
start user
wait_for 60 test -s user.err
grep -qE '^WARNING: probe .*: no breakpoint can be set at 0x[0-9a-f]+ in process [0-9]+: another tracer has one there \(a uprobe in the kernel, or a debugger\), which takes its events$' user.err ||
	{ cat user.err; fail "the uprobe is not told"; }
wait_for 60 traced
lives "with both"
stop $kernel
lives "when the uprobe had gone"
stop $user
lives "when both had gone"
start user
wait_for 60 hits user.out
start kernel
wait_for 60 hits kernel.out
lives "with both, the user engine first"
stop $user
lives "when the user engine had gone"
stop $kernel
lives "when both had gone again"
start user
wait_for 60 hits user.out
start kernel
wait_for 60 hits kernel.out
stop $kernel
lives "when the uprobe had gone first"
stop $user
lives "at the end"
grep -qE '^WARNING: 1 breakpoint had been taken out by another tracer or the program: events there were lost$' user.err || { cat user.err; fail "the lost breakpoint is not told"; }
start kernel
wait_for 60 hits kernel.out
stop $kernel
lives "after a last uprobe"
start user
wait_for 60 hits user.out
start kernel
wait_for 60 hits kernel.out
stop $kernel
kill -TERM $target
wait_for 60 ended $user
grep -qE '^WARNING: 1 breakpoint had been taken out by another tracer or the program: events there were lost$' user.err || { cat user.err; fail "the lost breakpoint is not told when the process has ended"; }

# While both are there the two breakpoints look the same: what the kernel has mapped to run the instruction tells.
"./busy" ticks &
target=$!
wait_for 20 counts_on 0
start user
wait_for 60 hits user.out
start kernel
wait_for 60 hits kernel.out
stop $user
grep -qE '^WARNING: uprobes of another tracer came: they have taken the events of places that both probe$' user.err || { cat user.err; fail "the uprobe that came is not told"; }
stop $kernel
lives "with a uprobe that came last"
