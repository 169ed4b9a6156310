# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes.
ENGINE=kernel . "$SUITE/cli/libraries.sh"
# A program that runs already, and one that forks, without a target.
cp "$PROGS/calls" mine
cp "$PROGS/calls" others
./mine 10000 slowly &
./others 10000 slowly &
trap 'kill %1 %2 2>/dev/null' EXIT
expect 0 timeout 120 "$SPILE" --engine=kernel -e 'global n probe process("./mine").library("libc.so.6").function("usleep") { if (++n[execname()] == 3) exit() }
probe end { foreach (p+ in n) println(p) }'
quiet
is mine
