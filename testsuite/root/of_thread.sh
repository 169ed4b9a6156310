# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel keeps elements of arrays that only tid() indexes with the threads (plan_thread.h). All that a handler can do to them says the
# same as with a key that is not known to be the thread, in handlers of functions, returns, system calls and samples, in functions, loops
# and where a handler is cut.
. "$SUITE/lib.sh"
threads=$PROGS/threads

script() # KEY
{
	sed "s/KEY/$1/g" <<-'STP'
		global one = 1, state, rounds, sum, entered, last, gone
		global results, calls, mixed, odd, absent, cut
		function note(by) { rounds[KEY] += by; return rounds[KEY]++ }
		function recent() { if (KEY in last) return last[KEY]; return -1 }
		probe process(@1).function("step") {
			if (KEY in state) odd++
			if (state[KEY]) odd++
			state[KEY] = $number + 1
			x = note(2)
			sum[KEY] += $number
			sum[KEY]--
			last[KEY] = $number
			entered[KEY] = 7
			for (i = 0; i < 40; i++) { loops[KEY]++; mixed += loops[KEY] & 1 }
			results[$number] += x + recent()
			if ($number % 50 == 0) cut[sprintf("%d %.1f", sum[KEY] - sum[KEY], $number)]++
		}
		probe process(@1).function("step").return {
			if (!(KEY in state)) absent++
			calls += state[KEY]
			delete state[KEY]
			if (KEY in state || state[KEY]) odd++
			if (sum[KEY] < -100) delete sum[KEY]
		}
		probe kernel.trace("sys_enter") {
			if (entered[KEY] == 7) { entered[KEY]++; gone++ }
		}
		probe timer.profile {
			if (samples[KEY]++ < 0) odd++
		}
		global loops, samples
		probe end {
			foreach (n+ in results limit 20) printf("%d %d\n", n, results[n])
			foreach (s+ in cut) println(s, " ", cut[s])
			println(calls, " ", mixed, " ", odd, " ", absent, " ", gone > 0)
		}
	STP
}
for key in 'tid()' 'tid() * one'; do
	script "$key" >"script $key.stp"
	expect 0 timeout 300 "$SPILE" --engine=kernel -c "$threads 100" "script $key.stp" "$threads"
	mv out "out $key"
done
grep -q '^7 ' 'out tid()' || fail "there is no seventh: $(cat 'out tid()')"
grep -Eq '^[0-9]+ [0-9]+ 0 0 1$' 'out tid()' || fail "$(tail -n 1 'out tid()')"
diff 'out tid()' 'out tid() * one' || fail 'an element of a thread is another than that of its number'

# It goes with its thread, each of which begins without one; there are more threads than an array has elements. Older kernels have arrays.
"$SPILE_RUN" --describe | grep -q ' task-storage' || exit 0
expect 0 timeout 300 "$SPILE" --engine=kernel -D MAXMAPENTRIES=4 -c "$threads 5; $threads 5; $threads 5" -e '
	global seen, new, again
	probe process(@1).function("step") { if (tid() in seen) again++; else new++; seen[tid()] = 1 }
	probe end { println(new, " ", again) }' "$threads"
is '12 48'
