# SPDX-License-Identifier: GPL-2.0-or-later
# -u keeps what the script says, but code for the verifier is simplified all the same: else it follows too many paths.
. "$SUITE/lib.sh"
cat >paths.stp <<'X'
global ga = 3, gb, gs, ma, mc, qa
function fa:long(fap:string)
{
	faa = ga; fas = fap
	mc["a", "sixteen bytes .."] = (faa >>> strpos(fap, fap)) % ([faa + faa & 3] in ma | 1)
	return strlen(fas) <= (gb ? -0x7fffffffffffffff : ga)
}
probe begin(-10) { gb = 4; gs = "four"; ma[1] = "four"; mc["a", "b"] = 4; qa <<< 4 }
probe timer.profile {
	a = 10; b = a; c = gb; s = gs; t = s
	c = fa(substr(s . "abc", 4, 2))
	w0 = 3; while (w0-- > 0 && (gb - 2)) {
		try {
			w1 = 3; while (w1-- > 0 && (gb != c)) { qa <<< 2; ga++ }
		} catch (e2) {
			println("caught ", e2)
		}
	}
	ga = (text_strn(t, 20, 1) <= s . gs) / (fa(str_replace(t, "a", t)) + (31 + 5) | 1)
	for (i3 = 0; i3 < 2; i3++) { qa <<< "nine byte" !~ "(a|b)+" }
	c = mc["ab", "b"]
}
probe end { println(@count(qa) > 1) }
X
for option in "" -u; do
	expect 0 timeout 60 "$SPILE" $option -w -T 0.3 paths.stp
	is 1
done
exit 0
