# SPDX-License-Identifier: GPL-2.0-or-later
# -p2 shows the handler that tells whether a probe with a condition is to be attached.
. "$SUITE/lib.sh"

script='global on probe begin { on = 1 } probe process(@1).function("add") if (on == 2) { println("never") }'
for engine in user kernel; do
	expect 0 "$SPILE" --engine=$engine -p2 --verify-passes -e "$script" "$PROGS/calls"
	grep -qE 'site if of process\(.*function\("add@.*"\)$' out || fail "not shown"
	grep -qE 'if:1 = !!\(on == 2\)$' out || fail "not shown"
done
