# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts as programs write them: deep, long and many. Each ends soon, with a result or with one diagnostic.
. "$SUITE/lib.sh"
times() { printf "%${2}s" | sed "s/ /$1/g"; }
deep() # TEXT-OF-A-HANDLER
{
	printf 'probe begin { %s exit() }' "$1" >deep.stp
	expect 1 timeout 20 "$SPILE" deep.stp
	[ "$(grep -c E135 err)" = 1 ] || fail "not the one diagnostic about nesting"
	[ "$(wc -c <err)" -lt 2000 ] || fail "the diagnostic shows the whole line"
}
deep "$(times '{' 5000)$(times '}' 5000)"
deep "$(times 'if (1) ' 5000)"
deep "x = $(times '! ' 20000)1"
deep "x = 0$(times '+1' 20000)"
deep "$(times 'x = ' 20000)1"
deep "x = $(times '1 ? 2 : ' 20000)1"
works() # SCRIPT WHAT-IT-PRINTS
{
	printf '%s' "$1" >long.stp
	expect 0 timeout 60 "$SPILE" -w -D MAXACTION=1000000 long.stp
	is "$2"
}
works "probe begin { $(times 'x++ ' 10000) println(x) exit() }" 10000
works "global n $(times 'probe begin { n++ } ' 1000) probe begin(1) { println(n) exit() }" 1000
works "probe begin { $(times x 20000) = 1 println($(times x 20000)) exit() }" 1
works "$(for i in $(seq 200); do echo "function f$i(a) { return a + f$((i + 1))(a) }"; done)
function f201(a) { return 1 } probe begin { println(f1(1)) exit() }" 201
printf 'probe begin { println(1)\r\n exit() }\r' >long.stp
expect 0 "$SPILE" long.stp
is 1
printf 'probe begin { println("\xff caf\xe9") exit() } // \xfe\n' >long.stp
expect 0 "$SPILE" long.stp
[ "$(od -An -tx1 out | tr -d ' \n')" = ff20636166e90a ] || fail "bytes are changed"
printf 'p\0r\0o\0b\0e\0' >long.stp
expect 1 "$SPILE" long.stp
says 'NUL byte'

# One mistake made often is shown twenty times and counted; so many names are no work.
{ echo 'probe begin {'; for i in $(seq 1000); do echo "  println(nosuch($i), \"\\q\")"; done; echo '}'; } >long.stp
expect 1 "$SPILE" long.stp
[ "$(grep -c "there is no function 'nosuch' \[E202\]" err)" = 20 ] || fail "not twenty of E202"
says '^\(980 more of E202\)$'
expect 1 "$SPILE" --diag=json long.stp
[ "$(grep -c '"more":980}$' err)" = 1 ] || fail "the rest is not counted in JSON"
for i in $(seq 20000); do
	echo "global g$i function f$i(a) { return a + g$i } probe timer.s(9) { g$i = f$i(1) println(g$i) }"
done >long.stp
expect 0 timeout 60 "$SPILE" --stop-after=prune long.stp
