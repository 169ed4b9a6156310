# SPDX-License-Identifier: GPL-2.0-or-later
# The user engine walks stacks of programs without frame pointers by .eh_frame: deep calls, under qsort() of the C library, and under
# the handler of a signal.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "unwind tables are for x86_64"
point='process("'"$PROGS"'/omit").function'
expect 0 "$SPILE" --engine=user -e "probe $point(\"stop_here\") { print_ubacktrace_brief(); println(\"--\") }" -c "$PROGS/omit"
quiet
names() { sed -E 's/\+0x.*//; s/@@.*//' out | awk -v RS='--\n' -v n="$1" 'NR == n' | paste -sd' ' | sed 's, *$,,'; }
begin='main __libc_start_call_main __libc_start_main _start'
[ "$(names 2)" = "stop_here large huge aligned recurse recurse recurse recurse $begin" ] || fail "deep calls: $(names 2)"
names 4 | grep -qE "^stop_here compare (.* )?qsort_r (.* )?$begin\$" || fail "qsort: $(names 4)"
grep -A 5 '^handler' out | grep -q '^interrupted' || fail "no handler of a signal is called from interrupted()"
# In the middle of a function, and where it returns.
expect 0 "$SPILE" --engine=user -e "probe $point(\"huge\").return { print_ubacktrace_brief(); println(\"--\") exit() }" -c "$PROGS/omit"
[ "$(names 1)" = "aligned recurse recurse recurse recurse $begin" ] || fail "a return: $(names 1)"
