# SPDX-License-Identifier: GPL-2.0-or-later
# What nothing reads is displayed at the end: arrays in columns, stacks by names, aggregates with their histogram; with --compatible as
# SystemTap does. Colours: NO_COLOR, TERM=dumb, --color.
. "$SUITE/lib.sh"
calls=$BUILD/testsuite/progs/calls
cat >tables.stp <<'END'
global hits, times, names, sizes, none
probe begin {
	hits["cat", 1] = 104; hits["firefox", 17] = 7; hits["x", -3] = 20
	for (i = 0; i < 3; i++) { times["read"] <<< i * 100; sizes <<< i }
	times["w"] <<< 5
	names["a"] = "text"; names["long key"] = "t"
	if (target() == -1) none <<< 1
	exit()
}
END
expect 0 "$SPILE" tables.stp
is 'hits["cat",1]     =104
hits["x",-3]      = 20
hits["firefox",17]=  7
times["read"] @count=3 @min=0 @max=200 @sum=300 @avg=100
times["w"]    @count=1 @min=5 @max=  5 @sum=  5 @avg=  5
names["a"]       ="text"
names["long key"]="t"
sizes @count=3 @min=0 @max=2 @sum=3 @avg=1
value |-------------------------------------------------- count
    0 |@                                                  1
    1 |@                                                  1
    2 |@                                                  1
    4 |                                                   0
    8 |                                                   0

none @count=0'
expect 0 "$SPILE" --compatible=5.2 tables.stp
is 'hits["cat",1]=0x68
hits["x",-3]=0x14
hits["firefox",17]=0x7
times["read"] @count=0x3 @min=0x0 @max=0xc8 @sum=0x12c @avg=0x64
times["w"] @count=0x1 @min=0x5 @max=0x5 @sum=0x5 @avg=0x5
names["a"]="text"
names["long key"]="t"
sizes @count=0x3 @min=0x0 @max=0x2 @sum=0x3 @avg=0x1
none @count=0x0'

# Aggregates that keep no count, when SIGUSR1 asks for all variables: in the order of what they keep, with their histograms.
cat >kept.stp <<'END'
global logs, linears, sums
probe begin {
	for (i = 0; i < 6; i++) { logs[i > 0] <<< i; linears[i > 1] <<< i * 10; sums[i > 2] <<< i }
	println("begun")
}
probe end {
	foreach (k in logs) print(@hist_log(logs[k]))
	foreach (k in linears) print(@hist_linear(linears[k], 0, 40, 20))
	foreach (k in sums) print(@sum(sums[k]))
}
END
"$SPILE" -o kept kept.stp 2>err &
wait_for 30 grep -q begun kept
kill -USR1 $!
wait_for 30 grep -q 'sums\[0\]' kept
cp kept out
kill -INT $!
wait $! || fail "it failed"
is 'begun
logs[1]
value |-------------------------------------------------- count
    0 |                                                   0
    1 |@                                                  1
    2 |@@                                                 2
    4 |@@                                                 2
    8 |                                                   0
   16 |                                                   0

logs[0]
value |-------------------------------------------------- count
    0 |@                                                  1
    1 |                                                   0
    2 |                                                   0

linears[1]
value |-------------------------------------------------- count
    0 |                                                   0
   20 |@@                                                 2
   40 |@@                                                 2

linears[0]
value |-------------------------------------------------- count
    0 |@@                                                 2
   20 |                                                   0
   40 |                                                   0

sums[1] @sum=12
sums[0] @sum= 3'

# The program has ended when the names of its addresses are wanted.
expect 0 timeout 60 "$SPILE" --engine=user -c "$calls 1" -e '
global where
probe process("'"$calls"'").function("add") { where[ubacktrace(), $b] = 3 }'
sed '5,$d' out >first
# Frames are where calls return to. The compiler may put a part of the callee in its place.
returns_to() # LINE FUNCTION CALLED
{
	objdump -d --no-show-raw-insn "--disassemble=$2" "$calls" | grep -A1 -E "call.*<$3[.>]" | sed -nE 's/^ *([0-9a-f]+):.*/0x\1/p' | sed -n 'n;p' >places
	while read -r place; do
		printf '  %s+%#x [calls]\n' "$2" $((place - 0x$(nm "$calls" | sed -nE "s/^([0-9a-f]+) . $2\$/\1/p")))
	done <places | grep -qxF -- "$(sed -n "$1p" first)"
}
[ "$(sed 2q first)" = "where[
  add+0x0 [calls]" ] && returns_to 3 round_trip add && returns_to 4 main round_trip || fail "other frames: $(cat first)"
[ "$(tail -n 1 out)" = ',1000]=3' ] || fail "another end"

# Colours, on a terminal alone (script makes one), and where nothing says no.
colored() { grep -q $'\033\[1;31m' shown; }
expect 1 "$SPILE" -e 'probe nosuch {}'
grep -q $'\033' err && fail "colours in a file"
expect 1 "$SPILE" --color=always -e 'probe nosuch {}'
grep -q $'\033\[1;31m' err || fail "no colours with --color=always"
expect 1 "$SPILE" --color -e 'probe nosuch {}'
grep -q $'\033\[1;31m' err || fail "no colours with --color"
# SystemTap's variable of the colours: one that is empty or says nothing that is known is for none.
SYSTEMTAP_COLORS='error=01;34:source=4:caret=7' expect 1 "$SPILE" --color=always -e 'probe nosuch {}'
is_colored() { [ "$(cat err)" = "$(printf "$1")" ] || fail "other colours"; }
is_colored '\033[01;34msemantic error:\033[0m there is no probe point '"'nosuch'"' [E402]
    at \033[4m<input>:1:7\033[0m
        probe nosuch {}
              \033[7m^~~~~~\033[0m'
for colors in '' nosuch error= error=01:nosuch=1 error=red error=1: =1; do
	SYSTEMTAP_COLORS=$colors expect 1 "$SPILE" --color=always -e 'probe nosuch {}'
	grep -q $'\033' err && fail "colours with SYSTEMTAP_COLORS=$colors"
done
expect 2 "$SPILE" --color=blue -e 'probe nosuch {}'
says "^spile: --color is always, auto or never, not 'blue'$"
command -v script >/dev/null || exit 0
shows() { script -qec "$* -e 'probe nosuch {}'" /dev/null </dev/null >shown; }
export TERM=xterm NO_COLOR=
shows "$SPILE"
colored || fail "no colours on a terminal"
shows "$SPILE" --color=never
colored && fail "colours with --color=never"
NO_COLOR=1 shows "$SPILE"
colored && fail "colours with NO_COLOR"
NO_COLOR=1 shows "$SPILE" --color=always
colored || fail "no colours with NO_COLOR and --color=always"
TERM=dumb shows "$SPILE" --color=auto
colored && fail "colours with TERM=dumb"
true
