# SPDX-License-Identifier: GPL-2.0-or-later
# Without /proc neither engine can tell what a process maps: that is an error, not a run that sees nothing.
. "$SUITE/lib.sh"
unshare -m true 2>/dev/null || skip "needs a mount namespace"
expect 0 "$SPILE" -p4 -o x.spo -e 'probe process("/bin/true").begin { println("hit") }'
without() { expect 3 unshare -m sh -c 'mount -t tmpfs none /proc; exec "$@"' sh timeout 30 "$SPILE_RUN" "$@" -c true x.spo; }
without --engine=user
says '^ERROR: /proc is not mounted here: mount -t proc proc /proc$'
without --engine=kernel
says '^ERROR: .*/proc is not mounted here: mount -t proc proc /proc$'
