# SPDX-License-Identifier: GPL-2.0-or-later
# Calls of libc that fail: a message or success, nothing worse. More: make check-faults.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers have allocators of their own"
# In a guest, whose processors are emulated, a run takes seconds.
[ "$(uname -n)" = guest ] && points=2 || points=12
expect 0 "$SUITE/faults/faults" --build "$BUILD" --points $points run-kernel
prints '^[0-9]{2,} faults, 0 failed$'
