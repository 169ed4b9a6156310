# SPDX-License-Identifier: GPL-2.0-or-later
# Statements that the handlers of a probe have in common are a function in the kernel, too: it prints what the handlers would.
. "$SUITE/lib.sh"
cp "$PROGS/calls" . || fail "cp" # another case's uprobes in that file would be in the user engine's way
{
	for i in $(seq 33); do
		echo "probe p.n$i = process(\"$PWD/calls\").function(\"add\") { v = \$a + $((i % 5)) s = \"$(printf '%*s' $((i % 9)) '' | tr ' ' x)\" }"
	done
	cat <<-END
		global n, h, t, m
		probe p.* {
		  if (v == 4) next
		  n[execname(), s, v]++
		  h[v] <<< strlen(s)
		  for (i = 0; i < 3; i++) sum += i * v
		  text = sprintf("%d %s %d", v, s, sum) . (strlen(s) > 2 ? "long" : "short")
		  t[text] += sum
		  foreach (k in h) m[k] = @max(h[k]) >= 0
		  $(for i in $(seq 9); do echo "n[text, s, $i] += strlen(s) * v + $i"; done)
		  try { sum /= v - 2 } catch (message) { t[message] += v }
		  printf("%s %d %s\n", s, sum, substr(text, 1, 3))
		}
		probe end {
		  foreach ([e, s, v] in n+) printf("%s %s %d %d\n", e, s, v, n[e, s, v])
		  foreach (v in h+) printf("%d %d %d\n", v, @sum(h[v]), @max(h[v]))
		  foreach (k in t+) printf("%s %d\n", k, t[k])
		}
	END
} >shared.stp

# runs NAME COMMAND...
runs() {
	expect 0 "${@:2}" -c "$PWD/calls 9"
	quiet
	prints 'long'
	prints '^division by 0'
	sort out >$1
}

expect 0 "$SPILE" -w --no-cache -p4 -o shared.spo shared.stp
readelf -sW shared.spo >symbols
grep -q __function_ symbols || fail "no function: $(cat symbols)"
runs kernel "$SPILE_RUN" shared.spo
runs apart "$SPILE" -w --no-cache --engine=user -DMAXNESTING=4 shared.stp # calls are as deep as the user says: there is no function
cmp kernel apart || fail "with a function it prints something else: $(diff apart kernel)"
