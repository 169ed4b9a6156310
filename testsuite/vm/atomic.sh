# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel function that a handler comes to while it has a lock is probed, too, and wants that lock: its handler is skipped at once,
# and counted; nothing waits for itself.
. "$SUITE/lib.sh"
threads=$PROGS/threads

# nested PROBE: of a function that puts elements into an array.
nested()
{
	local lost begun done skipped
	expect 0 timeout 300 "$SPILE" --engine=kernel -D MAXTRYLOCK=8192 -c "$threads 300" -e "
		global a, begun, done
		probe process(\"$threads\").function(\"step\") { begun++; a[\$number] = a[\$number] + 1; done++ }
		probe $1 { if (pid() != target()) next; begun++; a[0] = a[0] + 1; done++ }
		probe end { foreach (v = k in a) sum += v; println(sum - done, \" \", begun, \" \", done) }"
	read -r lost begun done <out
	skipped=$(sed -nE 's/^WARNING: ([0-9]+) events of .* were skipped \(another handler had the lock.*/\1/p' err)
	[ "$lost" = 0 ] || fail "$lost updates more than handlers that ran"
	[ "${skipped:-0}" -ge 299 ] || fail "${skipped:-none} skipped, although 300 new elements came while the lock was held"
	[ $((begun - skipped)) = "$done" ] || fail "$skipped were skipped"
}
nested 'kernel.function("htab_map_update_elem")'
nested 'kprobe.function("htab_map_update_elem")'
