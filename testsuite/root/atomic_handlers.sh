# SPDX-License-Identifier: GPL-2.0-or-later
# A handler finds the globals that it touches unchanged by others while it runs: what four threads on all processors do to them at
# the same time is exact.
. "$SUITE/lib.sh"
threads=$PROGS/threads

# 10 million updates, in a loop that is a function of its own.
expect 0 timeout 50 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -c "$threads 50000" -e "
	global a, hits, n
	probe process(\"$threads\").function(\"step\") {
		hits++
		for (i = 0; i < 50; i++) a[1] = a[1] + 1
		if (n >= 0) n = n + 1
	}
	probe end { println(hits, \" \", a[1], \" \", n) }"
quiet
is '200000 10000000 200000'
