# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run needs little stack (ulimit -s, kB) to place a probe, too.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers take more"
expect 0 "$SPILE" --engine=kernel -p4 -m small -e "probe process(\"$PROGS/busy\").function(\"tick\") { println(\"met\") exit() }"
expect 0 bash -c 'ulimit -s 64; exec "$@"' small "$SPILE_RUN" -c "$PROGS/busy ticks" small.spo
is met
