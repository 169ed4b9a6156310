# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers in an NMI, which comes between any two instructions of the handlers, of the ring buffer's and of the kernel's maps' code: what has
# happened is what was printed or done and what is told as lost or skipped, to the last event. SysRq-L sends one to the other processors,
# and shows where they were: there they are in one of the handlers.
. "$SUITE/lib.sh"
[ "$(nproc)" -gt 1 ] || skip "one processor"
calls=$PROGS/calls events=${EVENTS:-5000}
for console in /sys/class/tty/*/console; do # it is slow, and would show each
	[ "$(cat $console)" = Y ] && echo N >$console && off="${off-} $console"
done
trap 'for console in ${off-}; do echo Y >$console; done' EXIT
cat >busy.sh <<S
$calls $events & one=\$!
$calls $events & two=\$!
while kill -0 \$one || kill -0 \$two; do echo l >/proc/sysrq-trigger; done 2>/dev/null
wait
S
point='kernel.trace("nmi:nmi_handler")'
lost() { sed -nE "s/^WARNING: ([0-9]+) events? of [^ ]*$1.* (was|were) $2 .*/\\1/p" err | awk '{ n += $1 } END { print n + 0 }'; }
# agree WHAT HAPPENED SEEN LOST
agree() { [ $(($3 + $4)) = "$2" ] || fail "$1: $2 happened, $3 seen, $4 told"; }

# Printed, with the buffer that another handler of the processor may be writing to.
for ring in 65536 1048576; do
	expect 0 timeout 300 "$SPILE" --engine=kernel -D SPILE_RING_SIZE=$ring -c 'sh busy.sh' -e "global nmis, calls
		probe $point { nmis <<< 1; printf(\"nmi %100s\\n\", \"\") }
		probe process(\"$calls\").function(\"add\") { calls <<< 1; printf(\"call %100s\\n\", \"\") }
		probe end { printf(\"%d %d events\\n\", @count(nmis), @count(calls)) }"
	read -r nmis n_calls _ < <(grep 'events$' out)
	[ "$nmis" -gt 0 ] || fail "no NMI"
	[ "$n_calls" = $((2 * events)) ] || fail "$n_calls calls"
	agree "NMIs, $ring" $nmis $(grep -c '^nmi ' out) $(lost nmi_handler lost)
	agree "calls, $ring" $n_calls $(grep -c '^call ' out) $(lost add lost)
done

# With locks: a handler that comes while another has one is skipped.
expect 0 timeout 300 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -D TRYLOCKDELAY=100 -c 'sh busy.sh' -e "global seen, nmis, calls, all, a, few%[8], text, by
	function note(x) {
		all <<< 1
		a[cpu(), x % 1000]++
		by[cpu(), execname()] <<< x
		few[x] = x
		text = sprintf(\"%d %s\", x, execname())
		if (x % 3 == 0)
			delete a[cpu(), x % 1000]
	}
	probe $point { seen <<< 1 }
	probe $point { nmis++; note(nmis) }
	probe process(\"$calls\").function(\"add\") { calls++; note(\$a) }
	probe end { foreach ([c, n] in by) sum += @count(by[c, n]); printf(\"%d %d %d %d %d\\n\", @count(seen), nmis, calls, @count(all), sum) }"
read -r seen nmis n_calls all sum <out
[ "$seen" -gt 0 ] || fail "no NMI"
[ "$all" = $((nmis + n_calls)) ] && [ "$sum" = "$all" ] || fail "$nmis NMIs and $n_calls calls, but $all and $sum"
agree "NMIs with locks" $seen $nmis $(lost nmi_handler skipped)
agree "calls with locks" $((2 * events)) $n_calls $(lost add skipped)
