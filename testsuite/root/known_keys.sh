# SPDX-License-Identifier: GPL-2.0-or-later
# Of the texts that a key may be in the kernel, one is chosen by what is asked for on the way to it, and by nothing else.
. "$SUITE/lib.sh"
cp "$PROGS/calls" calls
expect 0 "$SPILE" --engine=kernel -w -c "./calls 2 >calls.out" -e '
	global one, two, asked, never
	function ask(x) { asked++; return x }
	probe process(@1).function("add") {
		one[never ? (user_long(never) ? "a" : "b") : ask(1) ? "c" : "d"]++
		two[1, never ? (1 / never ? "a" : "b") : "c", !never ? "d" : ask(1) ? "e" : "f"]++
	}
	probe end {
		foreach (k in one) printf("%s=%d\n", k, one[k])
		foreach ([i, k, m] in two) printf("%d %s %s=%d\n", i, k, m, two[i, k, m])
		println(asked)
	}' "$PWD/calls"
quiet
is 'c=2
1 c d=2
2'
