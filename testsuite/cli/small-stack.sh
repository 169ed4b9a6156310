# SPDX-License-Identifier: GPL-2.0-or-later
# spile and spile-run start with little stack (ulimit -s, kB), which what they start has, too.
. "$SUITE/lib.sh"
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers take more"
expect 0 "$SPILE" -p4 -m small -e 'probe begin { println("begun") exit() }'
expect 0 bash -c 'ulimit -s 64; exec "$@"' small "$SPILE_RUN" small.spo
is begun

# libdw takes much to read lines.
place=$(grep -n "return n + 1" "$SUITE/progs/busy.c" | sed 's/:.*//')
expect 0 bash -c 'ulimit -s 64; exec "$@"' small "$SPILE" --no-cache --engine=user -p4 -m lines -e \
	"probe process(\"$PROGS/busy\").statement(\"*@busy.c:$place\") { println(\$\$vars) }"
is lines.spo
expect 0 bash -c 'ulimit -s 64; exec "$@"' small "$SPILE" --engine=user -c "bash -c 'ulimit -s'" -e 'probe end { println("ended") }'
is "64
ended"
# The process that runs the script is forked there; its status is spile's.
expect 1 bash -c 'ulimit -s 64; exec "$@"' small "$SPILE" -e 'probe begin { error("no") }'
