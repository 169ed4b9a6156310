# SPDX-License-Identifier: GPL-2.0-or-later
# Nothing is missed and nothing is disturbed when the target forks, starts programs and threads, gets signals or crashes.
. "$SUITE/lib.sh"
engine=${ENGINE:-user}
p="process(\"$PROGS/life\")"
script="global n, sum, calls, returned
probe $p.function(\"leaf\") { n++ sum += \$x }
probe $p.function(\"nest\") { calls++ }
probe $p.function(\"nest\").return { returned += \$return - @entry(\$n) }
probe $p.function(\"many\") { printf(\"%d %d %d\\n\", \$a, \$g, \$h) }
probe end { printf(\"%d %d, %d %d\\n\", n, sum, calls > 0, returned > 0) }"
way() # WAY WHAT-IS-PRINTED HOW-IT-ENDS
{
	expect 1 timeout 60 "$SPILE" --engine="$engine" -c "$PROGS/life $1" -e "$script"
	is "$2"
	says "^WARNING: .*life $1 $3"
}
way calls '1 -7 8
2 7, 1 1' 'exited with status: 3$'
way threads '801 7, 1 1' 'exited with status: 3$'
way signals '52 50057, 0 0' 'exited with status: 3$'
way forks '6 17, 0 0' 'exited with status: 3$'
way exec '1 -7 8
3 14, 1 1' 'exited with status: 3$'
way vfork '1 -7 8
4 113, 1 1' 'exited with status: 3$'
way crash '1 7, 0 0' 'was ended by signal 11 '
way trap '1 7, 0 0' 'was ended by signal 5 '
