# SPDX-License-Identifier: GPL-2.0-or-later
# input.char, input.line: the standard input is a pipe, a file, a terminal, at its end, closed; commands do not have it.
. "$SUITE/lib.sh"
cat >keys.stp <<'S'
probe input.char { printf("[%s]", char) if (char == "q") exit() }
probe input.line { printf("{%s}", line) }
probe end { println("bye") }
S
expect 0 sh -c '{ printf "ab\ncd"; sleep 0.1; printf "eqrest\n"; } | timeout 20 "$0" keys.stp' "$SPILE"
is '[a][b][
]{ab
}[c][d][e][q]bye'
# The last line may have no newline, and the script goes on behind the end.
printf 'one\ntwo' >text
expect 0 sh -c 'timeout 20 "$0" -e "global n
probe input.line { printf(\"%d: %s\", ++n, line) if (n == 2) exit() }" <text' "$SPILE"
is '1: one
2: two'
printf 'x' >text
expect 0 sh -c 'timeout 20 "$0" -e "probe procfs(\"__stdin\").write { println(\$value) }
probe timer.ms(200) { println(\"on\") exit() }" <text' "$SPILE"
is 'x
on'
# A line that is longer than a string.
head -c 70000 /dev/zero | tr '\0' y >text
echo >>text
echo z >>text
expect 0 sh -c 'timeout 20 "$0" -e "probe input.line { printf(\"%d %s\n\", strlen(line), substr(line, 0, 1)) if (line == \"z\n\") exit() }" <text' "$SPILE"
is '511 y
2 z'
says '^WARNING: 1 string of stdin\.line was cut \(-D MAXSTRINGLEN=N makes room\)$'
# What -c and system() run cannot take it away.
printf 'mine\n' >text
expect 0 sh -c 'timeout 20 "$0" -c "cat; exec sleep 20" -e "probe begin { system(\"cat\") }
probe input.line { printf(\"%s\", line) exit() }" <text' "$SPILE"
is mine
# Nothing is there.
for input in '</dev/null' '<&-'; do
	expect 0 sh -c "timeout 20 \"\$0\" -e 'probe input.char { println(char) } probe timer.ms(100) { exit() }' $input" "$SPILE"
	says "WARNING: "
	cat err
done >warnings
[ "$(cat warnings)" = "WARNING: there is nothing in the standard input, which the script reads
WARNING: the standard input cannot be read: Bad file descriptor" ] || fail "other warnings: $(cat warnings)"
# A terminal hands each character over, shows none, and is what it was in the end.
cat >steps <<'S'
wait ready
type a
wait \[a\]
type q
S
echo 'probe begin { println("ready") }' | cat - keys.stp >typed.stp
expect 0 python3 "$SUITE/term.py" 10 60 steps sh -c '"$0" typed.stp; stty -a | grep -owE -- "-?(icanon|echo)"' "$SPILE"
[ "$(grep . out)" = '--- status 0
ready
[a][q]bye
icanon
echo' ] || fail "the terminal shows: $(cat out)"
# A shell takes the terminal back when the process is stopped. Once it goes on it has single keys again.
cat >going_on <<'S'
wait again
type a
wait \[a\]
type q
S
cat >stopped.sh <<'S'
exec 3<&0
keys() { for _ in $(seq 400); do stty -a <&3 | grep -q -- -icanon && return; sleep 0.05; done; echo 'no keys'; }
"$0" typed.stp <&3 &
keys
kill -STOP $!
stty icanon echo
kill -CONT $!
keys
echo again
wait
stty -a | grep -owE -- '-?(icanon|echo)'
S
expect 0 python3 "$SUITE/term.py" 10 60 going_on sh -c "$(cat stopped.sh)" "$SPILE"
[ "$(grep . out)" = '--- status 0
ready
again
[a][q]bye
icanon
echo' ] || fail "the terminal shows: $(cat out)"
# With -x the process that traces is not the one that the shell has started.
own_programs busy
"$PROGS/busy" ticks &
target=$!
trap 'kill -KILL $target' EXIT
wait_for 20 test -s ticks
echo "global n probe process(\"$PROGS/busy\").function(\"tick\") { if (!n++) println(\"ready\") }" | cat - keys.stp >traced.stp
expect 0 python3 "$SUITE/term.py" 10 60 steps "$SPILE" --engine=user -x $target traced.stp
grep -qxF '[a][q]bye' out || fail "the terminal shows: $(cat out)"
# The monitor has keys of its own.
: >steps
python3 "$SUITE/term.py" 10 80 steps "$SPILE" --monitor keys.stp >out
grep -qx 'ERROR: --monitor takes the keys of the terminal, which the script reads, too' out || fail "the monitor shows: $(cat out)"
