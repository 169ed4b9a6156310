# SPDX-License-Identifier: GPL-2.0-or-later
# Stacks that were kept without their process get the names of the program that they are of, also when the process ran before, and another
# program has the same addresses; of two with the same code there nobody can say, and no name is told.
. "$SUITE/lib.sh"
compgen -c gcc | grep -qx gcc || skip "needs gcc"

# main() calls what does not return: the address behind is no longer its own.
cat >prog.c <<'C'
#include <unistd.h>
#define FRAME __attribute__((noipa, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))
volatile int sink;
__attribute__((noipa)) void leaf(int n) { sink = n; }
FRAME void inner(int n) { leaf(n + 1); sink++; }
#ifdef TWO
FRAME void second(int n) { sink += 3; inner(n + 1); sink *= 3; }
#define inner second
#endif
FRAME void outer(int n) { inner(n + 1); sink++; }
FRAME __attribute__((noreturn)) void forever(void) { for (;;) { outer(1); usleep(10000); } }
FRAME int main(void) { forever(); }
C
build() { gcc -O1 -no-pie -Wl,-Ttext-segment=0x34560000 "$@" prog.c; }
build -o one
build -DTWO -o two
./one & one=$!
./two & two=$!
trap 'kill $one $two $three $four 2>/dev/null' EXIT

cat >kept.stp <<'STP'
global stacks, again, n
probe process(@1).function("leaf"), process(@2).function("leaf") {
	if (pid() != $3 && pid() != $4)
		next
	stacks[ubacktrace()] <<< 1
	again[ubacktrace()] <<< 1
	n <<< pid()
}
probe timer.ms(100) { if (@count(n) && @min(n) != @max(n)) exit() }
probe end { foreach (stack in again) print_usyms(stack) }
STP
names() # FILE: the names in it, without what differs from kernel to kernel: how a stack goes on behind main()
{
	sed -nE 's/^ +(0x[0-9a-f]+ : )?(main|forever|outer|second|inner|leaf)\+0x[0-9a-f]+.*\[.*(one|two|three|four|past)\]$/\2 \3/p
		s/^ +0x3456[0-9a-f]*( : 0x3456[0-9a-f]*)?$/none/p' "$1" | sort | uniq -c | sed 's/^ *//'
}
expect 0 timeout 60 "$SPILE" --engine=kernel kept.stp "$PWD/one" "$PWD/two" $one $two
names out >got
cat >want <<'TEXT'
2 forever one
2 forever two
2 inner one
2 inner two
2 leaf one
2 leaf two
2 main one
2 main two
2 outer one
2 outer two
2 second two
TEXT
diff -u want got || fail "names"

# Also when the process that ran before has ended.
gcc -O1 -no-pie -Wl,-Ttext-segment=0x35670000 prog.c -o past
./past & gone=$!
expect 0 timeout 60 "$SPILE" --engine=kernel -e 'global stacks, n
	probe process(@1).function("leaf") { if (pid() == $2) { stacks[ubacktrace()] <<< 1; if (n++ == 3) system("kill " . @2) } }
	probe kernel.trace("sched:sched_process_free") { if ($p->pid == $2) exit() }' "$PWD/past" $gone
names out >got
printf '1 %s past\n' forever inner leaf main outer | diff -u - got || fail "names of a process that has ended"

# So do those of programs beside the one that is run, and our own.
cat >beside.stp <<'STP'
global stacks, n
probe kernel.trace("syscalls:sys_enter_clock_nanosleep") {
	if (pid() != $1 && pid() != $2)
		next
	stacks[ubacktrace()] <<< 1
	n <<< pid()
}
probe timer.ms(100) { if (@count(n) && @min(n) != @max(n)) exit() }
STP
expect 0 timeout 60 "$SPILE" --engine=kernel beside.stp $one $two -c 'sleep 60'
names out >got
printf '1 %s\n' 'forever one' 'forever two' 'main one' 'main two' | diff -u - got || fail "names beside a target"
expect 0 timeout 60 "$SPILE" --engine=kernel -c 'sleep 60' -e 'probe timer.ms(10) { n++ }
	probe kernel.trace("syscalls:sys_enter_read") { if (pid() == stp_pid()) { println(usymname(uaddr())); exit() } }
	global n'
prints '^(__GI___)?(libc_)?(__)?read'
# What is no code of the target is still the target's, though another program has code there.
printf '#include <unistd.h>\nint datum = 1; int main(void) { return pause(); }' | gcc -g -no-pie -Wl,-Tdata=0x34561000 -o data -x c -
expect 0 timeout 60 "$SPILE" -c ./data -e 'probe process("./data").function("main") { exit() } probe end { println(usymname(&@var("datum", "./data"))) }'
printf 'datum\n' | diff -u - out || fail "the name of a datum"
kill $one $two

build -static -o three
cp three four
./three & three=$!
./four & four=$!
expect 0 timeout 60 "$SPILE" --engine=kernel kept.stp "$PWD/three" "$PWD/four" $three $four
prints '^ +0x3456[0-9a-f]+$'
grep -cE '\[.*(three|four)\]$' out >got
echo 0 | diff -u - got || fail "names of one of two"

# A number among the keys that is a process says which.
expect 0 timeout 60 "$SPILE" --engine=kernel -e 'global by, n
	probe process(@1).function("leaf") { if (pid() == $2) { by[pid(), ubacktrace()] <<< 1; n <<< 1 } }
	probe timer.ms(100) { if (@count(n)) exit() }' "$PWD/three" $three
names out >got
printf '1 %s three\n' forever inner leaf main outer | diff -u - got || fail "names of a process"

# In a handler it is the process that runs.
expect 0 timeout 60 "$SPILE" --engine=kernel -e 'global done
	probe process(@1).function("leaf") {
		if (done++)
			next
		printf("%d\n%s\n%s\n", __ustack_owner(ubacktrace()) == pid(), usymdata(uaddr()), __usymdata(uaddr(), pid()))
		exit()
	}' "$PWD/three"
head -n 1 out | grep -qx 1 || fail "the owner in a handler"
[ "$(sed 1d out | sort | uniq -c | grep -c '^ *2 leaf+0x0/')" = 1 ] || fail "names in a handler"
