# SPDX-License-Identifier: GPL-2.0-or-later
# Indexes of embedded C that begin with anything and move in some rounds alone, each behind a check that keeps it within its array: the verifier
# learns its range there, and need not follow what it was before.
. "$SUITE/lib.sh"
own_programs ticks
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"

# checked NAME TYPE STATEMENT: a function that moves `n`.
checked()
{
	cat <<-END
	function $1:long(s:string, k:long) %{ /* pure */
		char t[40] = "";
		int i;
		long sum = 0;
		$2 n = STAP_ARG_k;
		for (i = 0; i < 60; i++) {
			char c = STAP_ARG_s[i & 31];
			$3
		}
		for (i = 0; i < 40; i++)
			sum = sum * 3 + t[i];
		STAP_RETURN(sum + n);
	%}
	probe process(@1).function("tock") { foreach (k+ in begins) println(k, " ", $1("the x quick brown fox jumps over", begins[k])) }
	END
}

{
	checked of_int int "if (n >= 0 && n < 40) t[n] += c; if (c == 'o') n += 3; if (c == 'e') n -= 2;"
	checked of_unsigned unsigned "if (n < 40) t[n] = c; if (c == 'o') n += 2;"
	checked of_long long "if (n < 40 && n >= 0) t[n] = c; if (c == 'o') n += 2; if (c == 'e') n--;"
	checked of_short short "if (c == 'x' && n < 40 && n >= 0) t[n++] = c; if (c == 'o') n -= 2;"
	checked of_char 'signed char' "if (c != 'x' && n < 40 && n >= 0) t[n++] += c; if (c == 'o') n -= 7;"
	echo "global begins[6]"
	echo 'probe begin { begins[0] = 0; begins[1] = 30; begins[2] = -3; begins[3] = 65530; begins[4] = 250; begins[5] = 4294967290 }'
} >checked.stp
cat >right <<'END'
0 1861706927597744139
1 11004449
2 5602830531867523973
3 65539
4 259
5 -4816790440241715685
0 7994360696789004211
1 2457913
2 2494812330989307844
3 65540
4 260
5 3354054992017169926
0 -7419044854414805950
1 9385471
2 -7783874112687042013
3 65537
4 257
5 4294967297
0 6691272445828810015
1 5423060184
2 -13
3 -16
4 240
5 -16
0 -3141764898997082937
1 1611059
2 -38
3 -41
4 -41
5 -41
END
for engine in user kernel; do
	expect 0 timeout 200 "$SPILE" --engine=$engine -v -g -c "$PROGS/ticks" checked.stp "$PROGS/ticks"
	! grep -q 'the rest of' err || fail "indexes leave the kernel"
	cp out $engine
done
cmp user kernel || fail "indexes differ"
is "$(cat right)"

# What LLVM stores once, behind the loop, is not set before the first round: no register is read that is not.
cat >behind.stp <<'EOF'
function behind:long(s:string) %{ /* pure */
	char t[8] = { 0 };
	int i;
	long sum = 0;
	unsigned char n = 2;
	for (i = 0; i < 200; i++) {
		char c = STAP_ARG_s[i & 31];
		if (n <= 7)
			t[n] = i;
	}
	for (i = 0; i < 8; i++)
		sum = sum * 3 + t[i];
	STAP_RETURN(sum * 7 + n * 7);
%}
probe process(@1).function("tock") { println(behind(execname())) }
EOF
for engine in user kernel; do
	expect 0 timeout 100 "$SPILE" --engine=$engine -g -c "$PROGS/ticks" behind.stp "$PROGS/ticks"
	is -96943
done
