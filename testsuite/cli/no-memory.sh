# SPDX-License-Identifier: GPL-2.0-or-later
# Every third allocation of a run fails, those of libelf among them: the output is right, or the lack of memory is told.
. "$SUITE/lib.sh"
ln -s "$BUILD/testsuite/faults/fault.so" . # LD_PRELOAD takes no blanks
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers have allocators of their own"
expect 0 "$SPILE" --engine=user -p4 -o some.spo -e "probe process(\"$PROGS/calls\").function(\"text\") { println(usymname(uaddr())) }"
run() { timeout 60 env LD_PRELOAD="$PWD/fault.so" FAULT_KIND=memory "$@" "$SPILE_RUN" -w --engine=user -c "$PROGS/calls 2" some.spo; }
expect 0 run FAULT_COUNT="$PWD/count"
cp out golden
for call in $(seq 2 3 "$(cat count)"); do # 8 is one of libelf
	run FAULT_AT="$call" FAULT_TRACE=1 >out 2>err </dev/null || grep -q 'out of memory\|Cannot allocate memory' err || fail "call $call: not told"
	cmp -s out golden || grep -qv '^fault: ' err || fail "call $call: another output, without a word"
done
