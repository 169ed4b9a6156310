# SPDX-License-Identifier: GPL-2.0-or-later
# A session that has seen nothing says why, when somebody runs the probed program and is not probed.
. "$SUITE/lib.sh"
mkdir here there
cp "$PROGS/calls" here && cp "$PROGS/calls" there || fail "no copies"
here/calls 100000 slowly >/dev/null &
other=$!
trap 'kill $other 2>/dev/null' EXIT
for engine in kernel user; do
	for body in 'println("hit")' 'n++' 'a[$a]++' 's <<< $a'; do
		cat >$engine.stp <<-END
			global n, a, s
			probe begin { println("ready") n = 5 if (n < 0) { a[1]++ s <<< 1 } }
			probe process(@1).function("add") { $body }
			probe end { if (n < 0) println(a[1], @count(s)) }
		END
		expect 0 "$SPILE" --engine=$engine -c true $engine.stp here/calls
		is 'ready'
		[ "$(cat err)" = "WARNING: nothing was seen, though process $other runs $PWD/here/calls: with -c its probes are for the command and what it starts; -x $other is for that process" ] || fail "not said why: $(cat err)"
		# The command runs it, too.
		expect 0 "$SPILE" --engine=$engine -c 'here/calls 1 >/dev/null' $engine.stp here/calls
		quiet
	done
done
# Without a target everybody is probed, but in this file alone.
kill $other
there/calls 100000 slowly >/dev/null &
other=$!
expect 0 "$SPILE" --engine=kernel -T 0.3 -e 'probe process(@1).function("add") { println("hit") }' here/calls
is ''
[ "$(cat err)" = "WARNING: nothing was seen, though process $other runs a $PWD/here/calls, which is another file: process($other) is the one that it runs" ] || fail "not said why: $(cat err)"
expect 0 "$SPILE" --engine=kernel -T 1 -e "probe process($other).function(\"add\") { println(\"hit\") exit() }"
quiet
is 'hit'
# A copy of its code is no place of the file.
kill $other
"$PROGS/copies_code" >copied &
other=$!
wait_for 20 grep -q copied copied
for options in "--engine=user -x $other" --engine=kernel "--engine=kernel -x $other"; do
	for function in add main; do
		expect 0 "$SPILE" $options -T 0.3 -e 'probe process(@1).function(@2) { println("hit") }' "$PROGS/copies_code" $function
		is ''
		if [ $function = main ]; then quiet; continue; fi
		[ "$(cat err)" = "WARNING: nothing was seen, though process $other runs $PROGS/copies_code: its code is elsewhere (in large pages, say)" ] || fail "not said why: $(cat err)"
	done
done
# Where breakpoints are before that, the copy has them, too.
kill $other
expect 0 "$SPILE" --engine=user -c "$PROGS/copies_code" -e 'probe process(@1).function("add") { if (n++ == 3) { println("hit") exit() } } global n' "$PROGS/copies_code"
prints '^hit$'
