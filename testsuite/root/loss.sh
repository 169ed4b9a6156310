# SPDX-License-Identifier: GPL-2.0-or-later
# Of each probe, on two processors, in a timer's interrupt and below other handlers: what has happened is what was printed and what is
# told as lost or skipped, to the last event. EVENTS: of each of two programs.
. "$SUITE/lib.sh"
events=${EVENTS:-15000}
cat >loss.stp <<'S'
global calls, enters, ticks
probe process(@1).function("add") { calls <<< 1; printf("call %d %100s\n", $a, "") }
probe kernel.trace("sys_enter") { if (execname() == "calls") { enters <<< 1; printf("enter %d %100s\n", $id, "") } }
probe timer.profile.freq.hz(997) { ticks <<< 1; printf("tick %d\n", cpu()) }
probe end { printf("%d %d %d events\n", @count(calls), @count(enters), @count(ticks)) }
S
# lost POINT: how many events of it were lost or skipped, by the account at the end; lost_json: by that in the output.
lost() { sed -nE "s/^WARNING: ([0-9]+) events? of [^ ]*$1.* (was|were) (lost|skipped) .*/\\1/p" err | awk '{ n += $1 } END { print n + 0 }'; }
lost_json() { sed -nE "s/^.\"type\":\"loss\",.*\"probe\":\"[^ ]*$1.*,\"count\":([0-9]+),.*/\\1/p" out | awk '{ n += $1 } END { print n + 0 }'; }
dropped=0
for way in 65536 1048576 default 65536:--json; do
	ring=${way%:*} begin=^
	[ $ring = default ] && define= || define="-D SPILE_RING_SIZE=$ring"
	[ $way = $ring ] && json= || { json=--json; begin='"text":"'; }
	# Nobody takes the events meanwhile.
	expect 0 "$SPILE" --engine=kernel $json $define -c "kill -STOP \$PPID; $PROGS/calls $events & $PROGS/calls $events; wait; kill -CONT \$PPID" \
		loss.stp "$PROGS/calls"
	read -r calls enters ticks _ < <(sed -nE 's/^(.*"text":")?([0-9]+ [0-9]+ [0-9]+) events.*/\2/p' out)
	[ "$calls" -ge $((2 * events)) ] || fail "$way: $calls calls"
	for row in "call:add:$calls" "enter:sys_enter:$enters" "tick:profile:$ticks"; do
		IFS=: read -r word point happened <<<"$row"
		told=$(lost "$point")
		printed=$(grep -cE "$begin$word " out)
		[ $((printed + told)) = "$happened" ] || fail "$way, $point: $happened happened, $printed printed, $told told as lost"
		[ -z "$json" ] || [ "$(lost_json "$point")" = "$told" ] || fail "$point: JSON tells $(lost_json "$point") lost, standard error $told"
		dropped=$((dropped + told))
	done
done
[ $dropped -gt 0 ] || fail "nothing was lost"
