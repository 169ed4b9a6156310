# SPDX-License-Identifier: GPL-2.0-or-later
# -v names the hook chosen for each probe, and why.
. "$SUITE/lib.sh"
expect 0 timeout 120 "$SPILE" -v --engine=kernel -c "$PROGS/calls 1" -e "global n probe process(\"$PROGS/calls\").function(\"add\") { n++ }
probe kernel.trace(\"sched:sched_process_fork\") { n++ }"
says 'calls"\)\.function\("add@.*: .*uprobe'
says 'sched_process_fork"\): .*(raw_tp|tp|tracepoint)'
