# SPDX-License-Identifier: GPL-2.0-or-later
# A text is never a mix of two, and numbers that are stored together are read together.
. "$SUITE/lib.sh"
threads=$PROGS/threads
expect 0 timeout 50 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -c "$threads 30000" -e "
	global text = \"\", x, y, mixed, torn, read
	function letters(c) { s = c; for (i = 0; i < 6; i++) s .= s; return s }
	probe process(\"$threads\").function(\"step\") {
		if (\$number & 1) {
			text = letters(\$number & 2 ? \"a\" : \"b\")
			x = \$number
			y = \$number
			next
		}
		read++
		if (text != letters(\"a\") && text != letters(\"b\") && text != \"\") mixed++
		if (x != y) torn++
	}
	probe end { println(read, \" \", mixed, \" \", torn) }"
quiet
is '60000 0 0'

# The largest and the smallest of all, with and without a lock.
expect 0 timeout 50 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -c "$threads 30000" -e "
	global most, least = 1000000, largest, round
	probe process(\"$threads\").function(\"step\") {
		x = (\$number * 7919 + tid() * 31) % 100003
		if (x > most) most = x
		if (least >= x) least = x
		if (x > largest[1]) largest[1] = x
		round++
	}
	probe end { println(round, \" \", most == largest[1], \" \", most > 90000, \" \", least < 10000) }"
quiet
is '120000 1 1 1'
