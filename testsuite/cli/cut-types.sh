# SPDX-License-Identifier: GPL-2.0-or-later
# Code that @defined cuts leaves no question behind about the types of the variables that it alone used.
. "$SUITE/lib.sh"
probe="process(\"$PROGS/whole\").function(\"take\")"
run() { expect 0 "$SPILE" --engine=user -w -c "$PROGS/whole >/dev/null" -e "$1"; quiet; }
run "probe $probe { if (@defined(\$no)) { s = \$no; println(s) } else println(\"none\"); next }"
is none
run "global n probe $probe { if (@defined(\$no)) n[\$no] = 1 } probe end { foreach (k in n) println(k); println(\"end\") }"
is end
run "global n probe $probe { if (@defined(\$no)) n = \$no } probe end { println(n) }"
is 0
