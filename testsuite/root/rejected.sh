# SPDX-License-Identifier: GPL-2.0-or-later
# A program that the verifier refuses is explained: which probe, where in the script, why; status 5. The compiler makes
# none, so one is broken by hand: its first instruction becomes `r0 = *(u64 *)(r2 + 0)`, with r2 not set.
. "$SUITE/lib.sh"
command -v readelf >/dev/null || skip "no readelf"
"$SPILE" -p4 -o x.spo -e 'global n
probe kernel.trace("sched:sched_switch") { n++ }
probe end { println(n) }' >/dev/null || fail "not compiled"
offset=$(readelf -SW x.spo | sed -n 's/.* raw_tp[^ ]* *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
[ -n "$offset" ] || skip "the handler is not a raw tracepoint here"
printf '\171\040\0\0\0\0\0\0' | dd of=x.spo bs=1 seek=$((0x$offset)) conv=notrunc 2>/dev/null
"$SPILE_RUN" x.spo >out 2>err
status=$?
[ $status = 5 ] || fail "status $status"
says 'sched_switch'
says ':2:[0-9]+'
says 'a register is used that was not set'
"$SPILE_RUN" -vv x.spo >out 2>err
says 'R2 !read_ok'
says 'processed [0-9]+ insns'
