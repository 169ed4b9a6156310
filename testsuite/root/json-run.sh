# SPDX-License-Identifier: GPL-2.0-or-later
# --json: handlers in the kernel tell who printed, also where one program serves many sites, and what they have lost.
. "$SUITE/lib.sh"
command -v jq >/dev/null && command -v python3 >/dev/null || skip "needs jq and python3"
calls=$BUILD/testsuite/progs/calls
each() { python3 "$SUITE/check-schema" "$TOP/runtime/print/events.schema.json" <out >faults || fail "$(cat faults)"; }

cat >many.stp <<'END'
function show() { println(pid() == target(), " ", execname()) }
probe process("@CALLS@").function("add"), process("@CALLS@").function("look"), process("@CALLS@").function("text") {
	printf("%s\n", $$parms)
	show()
	print_ubacktrace()
}
probe process("@CALLS@").function("text") { printf("%s\n", user_string($s)) }
END
sed -i "s|@CALLS@|$calls|g" many.stp
expect 0 timeout 60 "$SPILE" --json -c "$calls 1" many.stp
each
jq -r '[(.probe | match("\"([a-z]+)[@\"]").captures[0].string), .comm, (.fields | keys_unsorted | join(","))] | join(" ")' <out >told
diff - told <<'END' || fail "other fields"
add calls $a,$b
add calls arg1,execname
add calls stack
look calls $o,$u,$s
look calls arg1,execname
look calls stack
text calls $s
text calls arg1,execname
text calls stack
text calls user_string
END
[ "$(jq -c '.fields.stack // empty | map(.symbol)[:2]' <out | tail -n 1)" = '["text","round_trip"]' ] || fail "another stack"
[ "$(jq -s 'map(.pid) | unique | length' <out)" = 1 ] || fail "several processes"

# A tracepoint, and aggregates that handlers in the kernel fill.
expect 0 timeout 60 "$SPILE" --json -c "$calls 1" -e '
global exits, code
probe kernel.trace("sched:sched_process_exit") { if (pid() == target()) { exits[execname()] <<< pid(); code = $p->exit_code; println(code) } }'
each
[ "$(jq -c '[.type, .name, (.fields.code // .elements[0].key[0]), .elements[0].value.count]' <out)" = '["print",null,0,null]
["array","exits","calls",1]' ] || fail "another exit"

# What is lost is said by an object.
expect 0 timeout 60 "$SPILE" --json -D MAXSTRINGLEN=64 -c "$calls 1" -e '
global s
probe process("'"$calls"'").function("add") { s = sprintf("%100s", user_string_n($a ? 0 : 0, 3, "x")); println(s) }'
each
jq -e 'select(.type == "loss" and .kind == "cut-string" and .count == 1)' <out >loss || fail "no loss"
