# SPDX-License-Identifier: GPL-2.0-or-later
# The largest and the smallest of each element are exact when four threads on all processors look for them at the same time, also of
# elements that the first of them makes.
. "$SUITE/lib.sh"
threads=$PROGS/threads

expect 0 timeout 300 "$SPILE" -v --engine=kernel -D MAXACTION=4000000 -D MAXMAPENTRIES=20000 -c "$threads 400" -e "
	global most, least, named, tids
	function value(k, t) { return (k * 7919 + t * 104729) ^ (t << 7) }
	probe process(\"$threads\").function(\"step\") {
		tids[tid()] = 1
		for (i = 0; i < 50; i++) {
			k = \$number * 50 + i
			x = value(k, tid())
			if (x > most[k]) most[k] = x
			if (!(k in least) || least[k] > x) least[k] = x
			if (named[\"all\"] <= x) named[\"all\"] = x
		}
	}
	probe end {
		for (k = 0; k < 20000; k++) {
			large = 0
			small = 0x7fffffffffffffff
			foreach (t in tids) {
				x = value(k, t)
				large = x > large ? x : large
				small = x < small ? x : small
			}
			wrong += large != most[k]
			wrong += small != least[k]
			all = large > all ? large : all
		}
		foreach (t in tids) n++
		println(n, \" \", wrong, \" \", named[\"all\"] == all)
	}"
prints '^4 0 1$'
! grep -q 'takes the lock' err || fail 'a handler takes a lock'
! grep -q skipped err || fail 'a handler was skipped'
