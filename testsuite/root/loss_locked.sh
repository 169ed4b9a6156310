# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that want one lock, on two processors and in a timer's interrupt below each other: what ran and what was skipped is what
# has happened, to the last event, and what they did under the lock is whole.
. "$SUITE/lib.sh"
cat >locked.stp <<'S'
global happened, n, m, ran
probe process(@1).function("add") { happened["add"] <<< 1 }
probe process(@1).function("add").return { happened["return"] <<< 1 }
function work() { t = n; for (i = 0; i < 50; i++) m += i; n = t + 1 }
probe process(@1).function("add") { work(); ran["add"]++ }
probe process(@1).function("add").return { work(); ran["return"]++ }
probe timer.profile.freq.hz(4999) { work(); ran["tick"]++ }
probe end {
	foreach (what+ in ran) printf("%s %d\n", what, ran[what])
	foreach (what+ in happened) printf("happened %s %d\n", what, @count(happened[what]))
	printf("whole %d\n", n == ran["add"] + ran["return"] + ran["tick"])
}
S
value() { sed -n "s/^$1 //p" out; }
# skipped POINT: of the second of the two probes at it, by the account at the end.
skipped() { sed -nE "s/^WARNING: ([0-9]+) events? of $1 (was|were) skipped .*/\\1/p" err | awk '{ n += $1 } END { print n + 0 }'; }
calls=20000
expect 0 "$SPILE" --engine=kernel -D MAXTRYLOCK=1 -D TRYLOCKDELAY=1 -D MAXERRORS=0 \
	-c "$PROGS/calls $calls >/dev/null & $PROGS/calls $calls >/dev/null; wait" locked.stp "$PROGS/calls"
[ "$(value whole)" = 1 ] || fail "the handlers were not alone"
for row in 'add:process\(.*"add@[^ ]*"\)' 'return:process\(.*"add@[^ ]*"\)\.return'; do
	IFS=: read -r what point <<<"${row/:/:}"
	[ $(($(value "$what") + $(skipped "$point"))) = "$(value "happened $what")" ] ||
		fail "$what: $(value "happened $what") happened, $(value "$what") ran, $(skipped "$point") skipped"
done
[ "$(value 'happened add')" -ge $((2 * calls)) ] || fail "not all calls were seen"
says ' (was|were) skipped \(another handler had the lock: '
