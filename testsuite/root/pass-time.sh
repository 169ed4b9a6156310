# SPDX-License-Identifier: GPL-2.0-or-later
# -v tells the time of the run, also where the run has given up most of its system calls.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -v -c "$PROGS/calls 1" -e "probe process(\"$PROGS/calls\").function(\"add\") { println(\$a) }"
is '0'
says '^Pass 5: run completed in [0-9]+usr/[0-9]+sys/[0-9]+real ms\.$'
