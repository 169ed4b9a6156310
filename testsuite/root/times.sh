# SPDX-License-Identifier: GPL-2.0-or-later
# -t: the kernel's handlers are counted, too.
. "$SUITE/lib.sh"
expect 0 "$SPILE" --engine=kernel -t -c "$PROGS/calls 5" -e "global n
probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe end { println(n) }"
quiet
prints '^5$'
prints '^process\(.*\.function\("add@.*\), \(<input>:2:1\), hits: [5-9], time: [0-9]+avg ns$'
