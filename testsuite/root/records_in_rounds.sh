# SPDX-License-Identifier: GPL-2.0-or-later
# Records with texts of some hundred bytes, made in rounds: where each copy ends may be anywhere, and Linux 6.1 follows what comes behind for
# each of these places, unless it is to remember a state at each jump.
. "$SUITE/lib.sh"
for rounds in 12 14 28; do
	expect 0 timeout 50 "$SPILE" -w --engine=kernel -c "$PROGS/calls" -e "global n, m, k, q, gs = \"init\"
probe process(\"$PROGS/calls\").function(\"text\") {
	s = gs; t = s . \"a,b\"; u = execname()
	for (i = 0; i < $rounds; i++) { printf(\"%d %s\n\", i, t) }
	println(n, \" \", s, t, u)
}
probe end { println(n) }"
	[ "$(sed -n "${rounds}p" out)" = "$((rounds - 1)) inita,b" ] || fail "not the line: $(sed -n "${rounds}p" out)"
done
