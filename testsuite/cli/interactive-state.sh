# SPDX-License-Identifier: GPL-2.0-or-later
# -i: what a line sets is there on the next one, with any type; what is wrong sets nothing; a script's variables can be read when it has run.
. "$SUITE/lib.sh"
cat >in <<'END'
x = 5
x++
x * 2
y = "two\nlines \"q\" \x01"
println(y)
a[1, "k"] = 7
a[2, "x[3] = 1"]--
foreach ([i, k] in a+) println(i, k, a[i, k])
x = "text"
println(x . "!")
delete a[1, "k"]
foreach ([i, k] in a) println(i, k)
if (1) { for (i = 0; i < 3; i++) last = i }
println(i, last)
nosuch(w = 3)
w
global hits, x, s
hits = 9
x = 1
function add(n) { return n + hits }
println(z = add(1))
probe begin { x = hits = 77 s <<< 1 exit() }
run
println(hits, z, x)
m = -9223372036854775807 - 1
m
y == "x = 1" || y =~ "w"
$y = 1
END
expect 0 "$SPILE" -i <in
cat out
sed -E '/^ {8}/d' err
# A statistic ends with its line, which is told.
printf 's <<< 5; println(@count(s))\n1 + 2\n' >in
expect 0 "$SPILE" -i <in
is '1
3'
says '^WARNING: statistics are not kept for the lines that follow'
[ "$(wc -l <err)" = 1 ] || fail "$(cat err)"
# A run that does not begin has no variables to keep.
printf 'global n\nprobe begin { n = 5 exit() }\nrun\n' >in
expect 0 "$SPILE" -i --plot nowhere/x.svg <in
[ "$(cat err)" = 'ERROR: cannot write "nowhere/x.svg": No such file or directory' ] || fail "$(cat err)"
