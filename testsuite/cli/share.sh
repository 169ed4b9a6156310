# SPDX-License-Identifier: GPL-2.0-or-later
# Statements that the handlers of 32 aliases have in common become a function: it gets what it reads of theirs, prints what they would,
# and is in no message. A test that guards them stays in the handlers, and so do statements that assign what others read.
. "$SUITE/lib.sh"

# script N TAIL: aliases whose variables have other values, and a text of another length.
script() {
	for i in $(seq "$1"); do
		echo "probe p.n$i = begin($i) { v = $((i % 5)) s = \"$(printf '%*s' $((i % 7)) '' | tr ' ' x)\" w = v * 2 }"
	done
	cat <<-END
		global n, h, t, kept
		probe p.* {
		  last = v
		  if (v == 4 && w) next
		  if (v < 3) {
		    n[s, v]++
		    h[v] <<< strlen(s) + sum
		    for (i = 0; i < 3; i++) { sum += i * w; if (i > v) break }
		    text = sprintf("%d %s %d", v, s, sum) . (strlen(s) > 2 ? "long" : "short")
		    foreach (k in t) if (t[k] > 40) kept[9]++
		    t[text] += sum + again
		    again = 1
		    $(for i in $(seq 9); do echo "n[text, $i] += strlen(s) * v + $i"; done)
		    try { sum /= v - 2 } catch (m) { printf("%s: %s\n", text, m) }
		    println(s, " ", last, " ", substr(text, 1, 3))
		  }
		  kept[last] = w + again
		  $2
		}
		probe end {
		  foreach ([s, v] in n) printf("%s %d %d\n", s, v, n[s, v])
		  foreach (v in h) printf("%d %d %d\n", v, @sum(h[v]), @max(h[v]))
		  foreach (k in t) printf("%s %d\n", k, t[k])
		  foreach (v in kept) printf("%d %d\n", v, kept[v])
		  exit()
		}
	END
}

# functions N: the script has as many.
functions() {
	expect 0 "$SPILE" -w --no-cache -p2 --dump=share shared.stp
	[ "$(grep -c '^function shared_' out)" = "$1" ] || fail "other functions than $1"
}

script 40 '' >shared.stp
functions 0 # `again` is read behind them
sed -i 's/kept\[last\] = w + again/kept[last] = w/' shared.stp
functions 1
[ "$(grep -cE '^	+shared_[0-9]+\(s, v, w, last\)$' out)" = 40 ] || fail "other calls"
[ "$(grep -c 'if (((v == 4) && w))' out)" = 40 ] || fail "the test is not in the handlers"
expect 0 "$SPILE" -w --no-cache -T 1 shared.stp
quiet
mv out shared
expect 0 "$SPILE" -w --no-cache -T 1 -DMAXNESTING=3 shared.stp # calls are as deep as the user says
quiet
cmp out shared || fail "with functions it prints something else: $(diff shared out)"
grep -qx '2 xx 12short: division by 0' shared || fail "the error was not caught: $(cat shared)"

script 31 '' >shared.stp
sed -i 's/kept\[last\] = w + again/kept[last] = w/' shared.stp
functions 0

# What fails in them fails where the script has it.
script 40 '' | sed 's/kept\[last\] = w + again/kept[last] = w/; s/try { \(.*\) } catch .*/\1/' >shared.stp
functions 1
expect 1 "$SPILE" -w --no-cache -T 1 shared.stp
says "^ERROR: division by 0 near operator '/' at shared.stp:[0-9]+:[0-9]+ \(probe begin\(2\)\)$"
