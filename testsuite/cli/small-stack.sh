# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run needs little stack (ulimit -s, kB).
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers take more"
expect 0 "$SPILE" -p4 -m small -e 'probe begin { println("begun") exit() }'
expect 0 bash -c 'ulimit -s 64; exec "$@"' small "$SPILE_RUN" small.spo
is begun
