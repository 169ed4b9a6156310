# SPDX-License-Identifier: GPL-2.0-or-later
# Samples: timer.profile at the tick and at a rate, a software event of one program.
. "$SUITE/lib.sh"
expect 0 timeout 60 "$SPILE" -T 1 -e 'global n probe timer.profile { n++ } probe timer.profile.freq.hz(97) { m[cpu()]++ } global m
probe end { println(n > 0); foreach (c+ in m limit 1) println(c, " ", m[c] > 0) }'
quiet
is '1
0 1'
cp "$(command -v bash)" worker
expect 0 timeout 60 "$SPILE" -c './worker -c "for ((i = 0; i < 30000; i++)); do :; done"' -e '
global n probe perf.type(1).config(0).process("./worker") { n[execname()]++ } probe end { foreach (c in n) println(c) }'
quiet
is worker
for rate in "sample(100000)" "hz(997)"; do # without a path it is the command's program
	expect 0 timeout 60 "$SPILE" -c './worker -c "for ((i = 0; i < 30000; i++)); do :; done"' -e "
	global n probe perf.type(1).config(0).$rate.process { n[execname()]++ } probe end { foreach (c in n) println(c) }"
	quiet
	is worker
done
expect 1 timeout 60 "$SPILE" -T 1 -e 'probe perf.type(1).config(0).sample(0) { n++ } global n'
says 'must be positive'
expect 3 timeout 60 "$SPILE" -T 1 -e 'probe perf.type(1).config(9999) { n++ } global n'
says 'no event of type 1 with configuration 9999|does not take the event'
expect 1 "$SPILE" -e 'probe timer.profile { println($x) }'
says '\$x has no meaning here'
