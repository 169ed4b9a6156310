# SPDX-License-Identifier: GPL-2.0-or-later
# -i: declarations are kept when they are right, the rest is tried at once; commands; and the same on a terminal.
. "$SUITE/lib.sh"
cat >in <<'END'
6 * 7
"a" . "b"
global hits
function twice(n) {
  return n * 2
}
println(twice(21))
probe begin {
  hits++ println("begun ", twice(hits))
  exit()
}
nosuch(1)
function bad( { }

probe begin { nosuch() }
list
run
delete 4
delete 3-2
probe timer.ms(20) { println("never") }
delete 4
delete 1-2
set -T x
set -D 'MAXACTION=5'
for (i = 0; i < 100; i++) ;
save saved.stp
delete all
list
load saved.stp
load nosuch.stp
list
probes begin
vars oneshot
explain E402
delete
quit
println("not any more")
END
expect 0 "$SPILE" -i <in
is '42
ab
42
  1  global hits
  2  function twice(n) {
       return n * 2
     }
  3  probe begin {
       hits++ println("begun ", twice(hits))
       exit()
     }
begun 2
  1  probe begin {
       hits++ println("begun ", twice(hits))
       exit()
     }
begin
oneshot
E402 POINT_UNKNOWN: unknown probe point

No family of probe points and no alias has this form. The hint shows the nearest form that exists.'
says "there is no function 'nosuch' \[E202\]"
says "expected the name of a parameter but found '\{'"
[ "$(grep -c '^ERROR: `delete` takes N, N-M or all; the script has 3 declarations$' err)" = 2 ] || fail "delete"
says "^spile: -T takes a number of seconds, not 'x'$"
says 'MAXACTION exceeded'
says '^ERROR: cannot read "nosuch.stp": No such file'
says '^ERROR: `delete` takes N\|N-M\|all$'
grep -q W20 err && fail "a warning about what is still to come"

# Statements of several lines; what is not finished goes on in the next line, until an empty one.
cat >in <<'END'
global seen
for (i = 0; i < 3; i++) {
  seen[i] = i * i
}
seen[1] +
seen[2]
println("a",
  "b")
/* a comment
of two lines */ 6 *
7
if (seen[1] > 1)
  println("not printed")
if (seen[1] == 1)
  println("printed")
9 +

10
foreach (k+ in seen) {
  println(k, " ", seen[k])
END
expect 0 timeout 60 "$SPILE" -i <in
is '5
ab
42
printed
10'
says '^parse error: expected a value but the file ends \[E133\]$'
says "^parse error: this block is not closed \\[E134\\]$"

# A script file to begin with, options, and what its end leaves unfinished.
printf 'global a = 3\n' >start.stp
printf 'a + 1\nprobe begin { println("on")' >in
expect 1 "$SPILE" -i nosuch.stp <in
says 'cannot read "nosuch.stp"'
expect 0 "$SPILE" -i start.stp <in
is 4
says '\[E1[0-9]+\]$'

# The terminal: Tab completes, Ctrl-C drops a line and ends a run, and no more than that.
command -v script >/dev/null || exit 0
mkfifo keys
TERM=dumb script -qfec '"$SPILE" -i' screen <keys >/dev/null 2>&1 &
exec 3>keys
prompts() { [ "$(grep -o 'spile> ' screen | wc -l)" -ge "$1" ]; }
# What is typed from now on finds the prompt that comes next.
next=0
typed() { next=$(($(grep -o 'spile> ' screen | wc -l) + 1)); printf "$1" >&3; }
wait_for 20 prompts 1
typed 'probe timer.ji\t'
wait_for 20 grep -q 'timer.jiffies(' screen
typed '\003'
wait_for 20 prompts $next
typed 'println(40 + 2)\n'
wait_for 20 grep -q '^.*42' screen
wait_for 20 prompts $next
typed 'probe timer.ms(10) { println("tick") }\n'
wait_for 20 prompts $next
typed 'run\n'
wait_for 20 grep -q '^tick' screen
typed '\003'
wait_for 20 prompts $next
typed 'println(40 + 3)\n'
wait_for 20 grep -q '^.*43' screen
printf '\004' >&3
exec 3>&-
wait $! || fail "the terminal session ended with status $?"
