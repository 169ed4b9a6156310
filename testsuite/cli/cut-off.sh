# SPDX-License-Identifier: GPL-2.0-or-later
# A program becomes shorter while it is read, as when it is linked anew: that is said with its name.
. "$SUITE/lib.sh"
ln -s "$BUILD/testsuite/faults/fault.so" . # LD_PRELOAD takes no blanks
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"

told=0 at=1 ended=
while [ -z "$ended" ]; do
	cp "$PROGS/calls" program
	size=$(stat -c %s program)
	LD_PRELOAD=$PWD/fault.so FAULT_KIND=memory FAULT_CUT=$PWD/program FAULT_AT=$at \
		"$SPILE" --no-cache -L "process(\"$PWD/program\").function(\"*\")" >out 2>err
	status=$?
	[ $status -le 1 ] || fail "call $at: status $status, $(cat err)"
	[ $status = 0 ] || [ -s err ] || fail "call $at: nothing was said"
	! grep -qx "ERROR: $PWD/program became shorter while it was read: try again" err || told=$((told + 1))
	[ "$(stat -c %s program)" != "$size" ] || ended=yes
	at=$((at + 45))
done
[ $told -gt 0 ] || fail "nothing was told at all"

# spile-run reads what a process has mapped, and its symbols; the process may die of it. (system() keeps truncate(2) allowed.)
mkdir lib
libc=$(ldd "$PROGS/busy" | sed -n 's/.*libc\.so\.6 => \([^ ]*\) .*/\1/p')
expect 0 "$SPILE" --engine=user -p4 -m cut -e \
	"probe process(\"$PROGS/busy\").function(\"tick\") { print_ubacktrace() if (target() == 1) system(\"\"); exit() }"
at=60 ended= whole=$(stat -c %s "$libc")
while [ -z "$ended" ]; do
	cp "$libc" lib/libc.so.6
	LD_PRELOAD=$PWD/fault.so FAULT_KIND=memory FAULT_CUT=$PWD/lib/libc.so.6 FAULT_AT=$at \
		"$SPILE_RUN" -c "env LD_LIBRARY_PATH=$PWD/lib $PROGS/busy ticks" cut.spo >out 2>err
	status=$?
	[ $status -le 1 ] || fail "spile-run, call $at: status $status, $(cat err)"
	[ "$(stat -L -c %s lib/libc.so.6)" != "$whole" ] || ended=yes
	at=$((at + 20))
done
[ $at -gt 200 ] || fail "spile-run had ended after $at calls"
