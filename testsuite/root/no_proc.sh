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

# In a /proc of another PID namespace a process that we know is another one, or none.
expect 3 unshare --pid --fork timeout 30 "$SPILE_RUN" --engine=user -c true x.spo
says '^ERROR: /proc is that of another PID namespace: mount -t proc proc /proc$'

# Without /sys nobody knows what the kernel has.
expect 3 unshare -m sh -c 'mount -t tmpfs none /sys; exec "$@"' sh timeout 30 "$SPILE_RUN" --engine=kernel -c true x.spo
says '^ERROR: .*this kernel has no uprobes \(CONFIG_UPROBE_EVENTS\), or /sys is not mounted; '

# Where neither engine can, both reasons are told.
expect 0 "$SPILE" --engine=kernel -p4 -o kernel.spo -e "probe process(\"$PROGS/calls\").function(\"add\") { println(1) }"
expect 3 unshare -m sh -c 'mount -t tmpfs none /sys; exec "$@"' sh timeout 30 "$SPILE_RUN" -c "$PROGS/calls 3" kernel.spo
says '^ERROR: .*: its handler uses what only the kernel has, so the user engine cannot run it; nor does the kernel run it: .*this kernel has no uprobes \(CONFIG_UPROBE_EVENTS\), or /sys is not mounted; '

# A process that is there and is not shown has not ended.
expect 0 "$SPILE" --engine=user -p4 -o user.spo -e 'probe process("/bin/sleep").begin { println("hit") }'
sleep 1000 & hidden=$!
trap 'kill $hidden' EXIT
expect 3 unshare -m sh -c 'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh \
	timeout 30 "$SPILE_RUN" --engine=user -x $hidden - <user.spo
says "^ERROR: process $hidden is another user's, which /proc does not show \\(hidepid\\)\$"
