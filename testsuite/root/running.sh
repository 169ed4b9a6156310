# SPDX-License-Identifier: GPL-2.0-or-later
# process.begin is for the processes that run already, too: for each of them once, before anything else that happens to them.
. "$SUITE/lib.sh"
cp "$(type -P sleep)" here
trap 'kill $pids 2>/dev/null; wait' EXIT
./here 600 & pids=$!
./here 600 & pids="$pids $!"
both=$(printf 'here %d 1\n' $pids)

expect 0 timeout 60 "$SPILE" -v -e 'probe begin { println("begin") }
probe process("./here").begin { printf("%s %d %d\n", execname(), pid(), pid() == tid() && ppid() > 0 && uid() == 0 && euid() == 0) }
probe timer.ms(1) { exit() }'
is "begin
$both"
says '^process\.begin: 2 processes that ran already$'

# Those of -x alone, by either engine; process without a path means it.
for engine in kernel user; do
	expect 0 timeout 60 "$SPILE" --engine=$engine -x "${pids##* }" -e 'probe process.begin { printf("%s %d 1\n", execname(), pid()) exit() }'
	is "here ${pids##* } 1"
done
expect 0 timeout 60 "$SPILE" -e "probe process(${pids##* }).begin { printf(\"%s %d 1\\n\", execname(), pid()) exit() }"
is "here ${pids##* } 1"

# Its memory can be read; its stack cannot.
address=$(sed -n '\,/here$,{s/-.*//p;q}' "/proc/${pids##* }/maps") # the user engine has mapped something, too
expect 0 timeout 60 "$SPILE" -e "probe process(${pids##* }).begin { printf(\"%x\n\", user_uint32(0x$address)) exit() }"
is 464c457f
expect 0 timeout 60 "$SPILE" -e 'probe process("./here").begin { println(ubacktrace()) } probe timer.ms(1) { exit() }'
is ''
says '^WARNING: processes that run already are left out of process\(".*/here"\)\.begin \[W410\]$'
says '^ *note: the handler asks for ubacktrace, which is only known in the task that hits a probe$'

# While processes come and go no begin is missed, none is told twice, and each comes before the end of its process.
cp "$(type -P true)" short
for _ in 1 2 3; do
	while ./short; do :; done & pids="$pids $!"
done
for _ in 1 2 3 4 5; do
	expect 0 timeout 60 "$SPILE" -e '
global begun, n
probe process("./short").begin { if (begun[pid()]++) println("twice") }
probe process("./short").end { if (!begun[pid()]) println("no begin") else n++; delete begun[pid()]; if (n == 20) exit() }'
	is ''
done
