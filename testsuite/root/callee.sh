# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes.
ENGINE=kernel . "$SUITE/cli/callee.sh"
# A return that is probed hides the way.
expect 0 timeout 60 "$SPILE" --engine=kernel -c "$PROGS/chain" -e "
	probe $p.function(\"first\").callees(2).call { n++ } probe $p.function(\"middle\").return { m++ } global n, m
	probe end { println(n, \" \", m) }"
says 'calls of last through middle are not seen.*W403'
is '6 8'
