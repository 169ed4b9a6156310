# SPDX-License-Identifier: GPL-2.0-or-later
# -v: SystemTap's pass lines, and the hook.
. "$SUITE/lib.sh"
(sleep 1; while :; do head -c 10 /dev/zero >/dev/null; sleep 0.1; done) &
trap "kill $!" EXIT
expect 0 "$SPILE" -v -e 'probe kernel.function("vfs_read") { printf("%d\n", $count) exit() }'
says '^Pass 1: parsed user script and [0-9]+ library scripts using .* in .* ms\.$'
says '^Pass 2: analyzed script: 1 probe, '
says '^Pass 4: compiled BPF into "'
says '^Pass 5: starting run\.$'
says '^Pass 5: run completed in [0-9]+usr/[0-9]+sys/[0-9]+real ms\.$'
says 'kernel\.function\("vfs_read@fs/read_write\.c:[0-9]+"\): .*(fentry|kprobe)'
