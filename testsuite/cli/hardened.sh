# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run is at an address that nobody knows, its tables of functions are read-only when it runs, and no memory is both written and run.
. "$SUITE/lib.sh"
readelf -hldW "$SPILE_RUN" >out 2>err || skip "no readelf"
prints 'Type: +DYN '
prints 'Flags:.* NOW.* PIE'
prints '^ +GNU_RELRO '
prints '^ +GNU_STACK .* RW +'
! grep -E '^ +LOAD .* RWE ' out || fail "a segment is written and run"
exit 0
