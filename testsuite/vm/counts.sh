# SPDX-License-Identifier: GPL-2.0-or-later
# Counting by key in the kernel, sorted at the end.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -c "$PROGS/calls 5 forks" -e 'global n
probe kernel.function("do_exit") { if (ppid() == target()) n[execname(), tid() == pid()]++ }
probe end { foreach ([c, m] in n-) printf("%s %d %d\n", c, m, n[c, m]) }'
is 'calls 1 5'
quiet
