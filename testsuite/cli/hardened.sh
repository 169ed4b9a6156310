# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run is at an address that nobody knows, its tables of functions are read-only when it runs, no memory is both written and run,
# and a function that writes behind its arrays ends the program.
. "$SUITE/lib.sh"
readelf -hldW "$SPILE_RUN" >out 2>err || skip "no readelf"
nm "$BUILD/libsp_rt.a" >symbols || fail "no symbols"
grep -q ' U __stack_chk_fail' symbols || fail "its stack is not guarded"
prints 'Type: +DYN '
prints 'Flags:.* NOW.* PIE'
prints '^ +GNU_RELRO '
prints '^ +GNU_STACK .* RW +'
! grep -E '^ +LOAD .* RWE ' out || fail "a segment is written and run"
exit 0
