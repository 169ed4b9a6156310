# SPDX-License-Identifier: GPL-2.0-or-later
# --json: what a script prints, its variables, errors and warnings are objects, as events.schema.json says; also from a compiled script.
. "$SUITE/lib.sh"
command -v jq >/dev/null && command -v python3 >/dev/null || skip "needs jq and python3"
calls=$BUILD/testsuite/progs/calls

# each: every line of `out` is an object of the schema. of FILTER: the compact result of jq.
each() { python3 "$SUITE/check-schema" "$TOP/runtime/print/events.schema.json" <out >faults || fail "$(cat faults)"; }
of() { jq -c "$1" <out; }
gives() { [ "$(of "$1")" = "$2" ] || fail "$1 gives $(of "$1"), expected $2"; }

cat >values.stp <<'END'
global n = 7, name, hits, times, empty, none, number
probe begin {
	x = 5
	printf("%d %s %5d|%-8s|%x %c %d %d\n", n, execname(), x, "abc", n + 248, 65, n + 1, x)
	println(sprintf("<%d>", x), " plain ", strlen("four"))
	log("a log")
	name = "quote \" back \\ tab \t byte \xff end"
	for (i = 0; i < 4; i++) { hits["k", i] += i; times[i % 2] <<< i * 100 }
	number <<< 3
	print(@hist_log(number))
	if (n < 0) { empty <<< 1 none <<< 1 }
	printf("%4d|%d\n", @avg(number), @avg(none))
}
probe end { n = 0 }
END
expect 0 "$SPILE" --json -T 0.1 values.stp
quiet
each
gives 'select(.type == "print" and .text != "   3|\n") | .text' '"7 spile     5|abc     |ff A 8 5\n"
"<5> plain 4\n"
"a log"'
gives 'select(.type == "print") | .fields' '{"n":7,"execname":"spile","x":5,"arg4":"abc","arg5":255,"arg6":"A","arg7":8,"arg8":5}
{"x":5,"strlen":4}
{}
{"number":3,"none":null}'
gives 'select(.type == "histogram") | [.name, .histogram]' '["number",[{"low":2,"high":3,"count":1}]]'
gives 'select(.name == "name") | .value' '"quote \" back \\ tab \t byte � end"'
gives 'select(.name == "hits") | [.keys, .elements[0]]' '[[null,"i"],{"key":["k",3],"value":3}]'
gives 'select(.name == "times") | .elements[] | [.key, .value.count, .value.sum, .value.max]' '[[0],2,200,200]
[[1],2,400,300]'
gives 'select(.name == "empty") | .value.count' 0
of 'select(.type == "print") | [.probe, .comm, .cpu >= 0, .pid == .tid, (now - .time / 1e9 | fabs) < 1000]' | sort -u >who
[ "$(cat who)" = '["begin","spile",true,true,true]' ] || fail "$(cat who)"

# The number for a `*` is a part of the directive, and no value.
expect 0 "$SPILE" --json -e 'probe begin { n = 7 w = 5 printf("%*d|%-*d|%.*s|%*.*d\n", w, n, -4, n + 1, 2, execname(), w, 3, n) exit() }'
quiet
each
gives '[.text, .fields]' '["    7|8   |sp|  007\n",{"n":7,"arg2":8,"execname":"spile","arg4":7}]'

# Warnings and errors are objects, and people see them, too.
expect 1 "$SPILE" --json -e 'global d probe begin { warn("care") println(1 / d) }'
each
says '^WARNING: care$'
gives '[.type, .probe, .text, .place.line, .place.column]' '["warning","begin","care",null,null]
["error","begin","division by 0",1,47]'

# Who printed, under the user engine; values of C have their types.
cat >program.stp <<'END'
global where
probe process("@CALLS@").function("add"), process("@CALLS@").function("look") {
	println($$parms)
	where[ubacktrace()]++
}
probe process("@CALLS@").function("look") { printf("%s %d %s\n", user_string($o->name), $o->in->small, $o->in$); exit() }
END
sed -i "s|@CALLS@|$calls|g" program.stp
expect 0 timeout 60 "$SPILE" --engine=user --json -c "$calls 1" program.stp
each
gives 'select(.type == "print") | .fields | [.["$a"], .["$b"], .["$u"], .["$s"]]' '[0,1000,null,null]
[null,null,200,-2]
[null,null,null,null]'
gives 'select(.type == "print") | .probe | match("function.\"[a-z]+").string' '"function(\"add"
"function(\"look"
"function(\"look"'
gives 'select(.type == "print" and .fields["$o->in$"]) | .fields' '{"user_string":"first","$o->in->small":0,"$o->in$":"{.small=0, .bytes=[...]}"}'
gives 'select(.name == "where") | .elements[].key[0][:2] | map(.symbol)' '["add","round_trip"]
["look","round_trip"]'

# A compiled script; one that was compiled without --json tells less.
expect 0 "$SPILE" -p4 -o with.spo --json -e 'global n probe begin { n = 3 println("n is ", n) }'
expect 0 "$SPILE_RUN" --json -T 0.1 with.spo
each
gives '[.type, .fields, .comm]' '["print",{"n":3},"spile-run"]'
expect 0 "$SPILE_RUN" -T 0.1 with.spo
is "n is 3"
expect 0 "$SPILE" -p4 -o without.spo -e 'global n probe begin { n = 3 println("n is ", n) }'
expect 0 "$SPILE_RUN" --json -T 0.1 without.spo
each
gives '[.type, .probe, .fields, .comm]' '["print","begin",{"arg1":3},null]'

# Times of handlers; --folded has lines of its own.
expect 0 "$SPILE" -t --json -e 'probe begin { exit() }'
each
gives '[.type, .probe, .hits]' '["timing","begin",1]'
expect 2 "$SPILE" --json --folded -e 'probe begin { exit() }'
says '^ERROR: --json excludes --folded, whose lines are text: the arrays have the stacks as lists$'
