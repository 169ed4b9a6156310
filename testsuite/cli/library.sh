# SPDX-License-Identifier: GPL-2.0-or-later
# What a script can use: --dump-probe-types, --dump-probe-aliases, --dump-functions; aliases with -l and -L.
. "$SUITE/lib.sh"
mkdir -p lib
cat >lib/one.stp <<'END'
probe box.open = begin { name = "open" count = 1 }
probe box.close = shut = end ?, never { name = "close" }
function twice(n) { return n * 2 }
function greet:string(who:string, times) { return who . sprint(times + 1) }
function tell(a) { println("told") }
private function hidden() { return 1 }
END
export SPILE_TAPSET=$PWD/lib

expect 0 "$SPILE" --dump-probe-aliases
is 'box.close = shut = end?, never
box.open = begin'
expect 0 "$SPILE" --dump-functions
! grep -v '^[A-Za-z]' out || fail "not a function"
grep -E '^(twice|greet|tell|hidden|pid|tokenize):' out >functions
mv functions out
is 'greet:string (who:string, times:long)
pid:long ()
tell:unknown (a:long)
tokenize:string (arg1:string)
tokenize:string (arg1:string, arg2:string)
twice:long (n:long)'
expect 0 "$SPILE" --json --dump-functions
grep -E '"(twice|tell|tokenize)"' out >functions
mv functions out
is '{"name":"tell","type":"unknown","parameters":[{"name":"a","type":"long"}],"guru":false}
{"name":"tokenize","type":"string","parameters":[{"name":"arg1","type":"string"},{"name":"arg2","type":"string"}],"guru":false}
{"name":"tokenize","type":"string","parameters":[{"name":"arg1","type":"string"}],"guru":false}
{"name":"twice","type":"long","parameters":[{"name":"n","type":"long"}],"guru":false}'
expect 0 "$SPILE" --json --dump-probe-aliases
is '{"aliases":["box.close","shut"],"points":["end?","never"]}
{"aliases":["box.open"],"points":["begin"]}'
expect 0 "$SPILE" --json --dump-probe-types
prints '^\{"point":"kernel\.function\(string\)\.return"\}$'
expect 0 "$SPILE" --dump-probe-types
prints '^kernel\.function\(string\)\.return$'
prints '^timer\.ms\(number\)'
sort -c out || fail "not sorted"

expect 0 "$SPILE" -l 'box.*'
is 'box.close
box.open'
expect 0 "$SPILE" -L 'box.open'
is 'box.open name:string count:long'
expect 0 "$SPILE" -L 'sh?t'
is '# aliases: 1
shut name:string'
expect 1 "$SPILE" -l 'box.secret'
says "the library has no probe point 'box.secret'"
# What is not there, as a script that probes it would hear it: also when an alias has the name.
expect 1 "$SPILE" -l box.opne
says "^semantic error: the library has no probe point 'box\.opne'"
says "^    hint: did you mean 'box\.open'\?\$"
echo 'probe box.far = process("/nowhere/lib.so").mark("far") { }' >lib/far.stp
expect 1 "$SPILE" -l box.far
says '^semantic error: cannot open /nowhere/lib\.so: No such file'
says '^            probe box\.far \{\}$'
expect 1 "$SPILE" -l 'box.f*'
says '^semantic error: none of the points that this alias stands for is there'
says '^            probe box\.far = process'
says '^    note: cannot open /nowhere/lib\.so: No such file or directory$'
rm lib/far.stp
# Those of -E, with the $variables of their place; one that has no place here is not listed.
more="probe my.add = process(\"$PROGS/calls\").function(\"add\") { double = \$a * 2 }
probe my.none = process(\"$PROGS/calls\").function(\"nosuch\") {}"
expect 0 "$SPILE" -E "$more" -L 'my.*'
is 'my.add double:long $a:int $b:long int'
expect 1 "$SPILE" -E "$more" -l 'my.none'
says "^semantic error: nothing matches process"

# Wildcards in any component, also the first one.
expect 0 "$SPILE" -e 'probe b*x.op*, never { println(name, " ", pn()) exit() }'
is 'open box.open'
expect 1 "$SPILE" -e 'probe b*x.nosuch { println(1) }'
says "^semantic error: there is no probe point 'b\*x' \[E402\]"

# As QEMU's: one alias for each of very many marks, and others that stand for these when they are there.
for i in $(seq 500); do
	echo "probe emu.ev_$i = emu.also_$i = process(\"$PROGS/calls\").function(\"add\") { v = $i + \$a }"
	echo "probe emu.log.ev_$i = emu.ev_$i ? { println(v) }"
done >lib/emu.stp
expect 0 "$SPILE" -l 'emu.ev_*'
[ "$(wc -l <out)" = 500 ] || fail "$(wc -l <out) are listed"
expect 1 "$SPILE" -e 'probe emu.log.ev_501 { }'
says "hint: did you mean 'emu\.log\.ev_50'"
echo 'probe emu.log.far = emu.far ? { } probe emu.far = process("/nowhere/lib.so").mark("far") { }' >>lib/emu.stp
expect 1 "$SPILE" -e 'probe emu.log.far { println(1) }'
says '^semantic error: none of the points that this alias stands for is there \[E401\]$'
says '^            probe emu\.log\.far = emu\.far \?'
says '^    note: cannot open /nowhere/lib\.so: No such file or directory$'
rm lib/emu.stp

# -E: part of the script, whatever number of them.
expect 0 "$SPILE" -E 'function one() { return 1 }' -E 'probe begin(-1) { println("first") }' -e 'probe begin { println(one()) exit() }'
is 'first
1'
expect 1 "$SPILE" -E 'global a = 1' -e 'global a probe begin { println(a) }'
says "^semantic error: global 'a' is declared twice \\[E204\\]$"
expect 0 "$SPILE" -E 'private global a = 1' -e 'global a = 2 probe begin { println(a) exit() }'
is 2
expect 1 "$SPILE" -E 'probe begin { nosuch() }' -e 'probe begin { exit() }'
says "<input>:1:15"

# What a function of the library calls its variables is its own business.
echo 'function plus(a) { total = a + 1 return total }' >lib/plus.stp
expect 0 "$SPILE" -e 'global total = 9 probe begin { println(plus(1), " ", total) exit() }'
is '2 9'

# Names behind comments, strings, the number of arguments and embedded C; those that stand there are none.
cat >lib/odd.stp <<'END'
/* probe no.one = begin {} */ # function none() { return 0 }
%( $# >= 0 %? probe odd.one = begin { s = "a // \" b" } %)
%{ /* " */ %}
function /* here */ odd_two() { return 2 } // probe no.two = begin {}
END
expect 0 "$SPILE" -l 'odd.*'
is odd.one
expect 0 "$SPILE" -e 'probe begin { println(odd_two()) exit() }'
is 2
expect 1 "$SPILE" -l 'no.one'
expect 1 "$SPILE" -e 'probe begin { println(none()) exit() }'

# With -v: the documentation, of what is built into the compiler, too.
unset SPILE_TAPSET
expect 0 "$SPILE" -v --dump-functions
[ "$(grep -A1 '^ip_ntop:' out)" = "ip_ntop:string (addr:long)
    ip_ntop:string (addr) - an IPv4 address, in network byte order, as text" ] || fail "no documentation of ip_ntop()"
[ "$(grep -A1 '^tid:' out)" = "tid:long ()
    the current thread" ] || fail "no documentation of tid()"
expect 0 "$SPILE" -v --dump-probe-aliases
[ "$(grep -A3 '^oneshot = ' out)" = 'oneshot = begin
    probe oneshot - a handler that runs once, at the start, and then ends the script
    Example:
        probe oneshot { println("hello") }' ] || fail "no documentation of oneshot"
