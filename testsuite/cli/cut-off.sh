# SPDX-License-Identifier: GPL-2.0-or-later
# A program becomes shorter while it is read, as when it is linked anew: that is said with its name.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"

told=0 at=1 ended=
while [ -z "$ended" ]; do
	cp "$PROGS/calls" program
	size=$(stat -c %s program)
	LD_PRELOAD=$BUILD/testsuite/faults/fault.so FAULT_KIND=memory FAULT_CUT=$PWD/program FAULT_AT=$at \
		"$SPILE" --no-cache -L "process(\"$PWD/program\").function(\"*\")" >out 2>err
	status=$?
	[ $status -le 1 ] || fail "call $at: status $status, $(cat err)"
	[ $status = 0 ] || [ -s err ] || fail "call $at: nothing was said"
	! grep -qx "ERROR: $PWD/program became shorter while it was read: try again" err || told=$((told + 1))
	[ "$(stat -c %s program)" != "$size" ] || ended=yes
	at=$((at + 45))
done
[ $told -gt 0 ] || fail "nothing was told at all"
