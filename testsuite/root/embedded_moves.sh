# SPDX-License-Identifier: GPL-2.0-or-later
# Numbers and pointers that move in some rounds alone, and say where embedded C reads and writes: the verifier knows between which numbers
# they stay, and does not follow each value that they can have.
. "$SUITE/lib.sh"
own_programs ticks
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"

cat >indexes.stp <<'END'
function filtered:string(s:string) %{ /* pure */
	int i, n = 0;
	for (i = 0; i < 100 && STAP_ARG_s[i]; i++)
		if (STAP_ARG_s[i] != 'x')
			STAP_RETVALUE[n++] = STAP_ARG_s[i];
	STAP_RETVALUE[n] = 0;
%}
function by_pointers:string(s:string) %{ /* pure */
	char *d = STAP_RETVALUE;
	const char *s = STAP_ARG_s;
	int i;
	for (i = 0; i < 100 && *s; i++, s++)
		if (*s != 'x')
			*d++ = *s;
	*d = 0;
%}
function guarded:string(s:string) %{ /* pure */
	char t[32] = "";
	int i, n = 0;
	for (i = 0; i < 200; i++)
		if (STAP_ARG_s[i & 31] != 'x' && n < 31)
			t[n++] = STAP_ARG_s[i & 31];
	strlcpy(STAP_RETVALUE, t, MAXSTRINGLEN);
%}
function backwards:long(s:string) %{ /* pure */
	char t[64] = "";
	int i, n = 40;
	for (i = 39; i >= 0; i--) {
		if (STAP_ARG_s[i] == 'x')
			n--;
		t[n] = STAP_ARG_s[i];
	}
	STAP_RETURN(n * 1000 + t[39]);
%}
function two:long(s:string) %{ /* pure */
	char t[64] = "", u[64] = "";
	int i, n = 0, m = 0;
	for (i = 0; i < 60; i++)
		if (STAP_ARG_s[i] == 'x')
			t[n++] = i;
		else
			u[m++] = STAP_ARG_s[i];
	STAP_RETURN((n * 100 + m) * 10000L + t[1] * 100 + u[2]);
%}
function parens:long(s:string) %{ /* pure */
	char open[16] = "";
	int i, top = 0, bad = 0;
	for (i = 0; i < 64; i++) {
		char c = STAP_ARG_s[i];
		if (!c)
			break;
		if ((c == '(' || c == '[') && top < 16)
			open[top++] = c;
		else if (c == ')' || c == ']') {
			if (top > 0 && open[top - 1] == (c == ')' ? '(' : '['))
				top--;
			else
				bad++;
		}
	}
	STAP_RETURN(top * 100 + bad);
%}
function nested:string(s:string) %{ /* pure */
	char t[65] = "";
	int i, j, n = 0;
	for (i = 0; i < 8; i++)
		for (j = 0; j < 8; j++)
			if (STAP_ARG_s[i] == STAP_ARG_s[j])
				t[n++] = i + '0';
	strlcpy(STAP_RETVALUE, t, MAXSTRINGLEN);
%}
function narrow:long(s:string) %{ /* pure */
	char t[256] = "";
	unsigned char n = 0;
	int i;
	for (i = 0; i < 100; i++) {
		if (STAP_ARG_s[i & 31] == 'x')
			n += 3;
		t[n]++;
	}
	STAP_RETURN(n * 100 + t[3]);
%}
function last:long(s:string) %{ /* pure */
	char t[64] = "";
	int i, n = 0, last = 0;
	for (i = 0; i < 60; i++) {
		if (STAP_ARG_s[i] == ' ') {
			last = i;
			n = 0;
		} else
			n++;
		t[n] = last;
		t[last] = n;
	}
	STAP_RETURN(n * 10000 + last * 100 + t[3]);
%}
probe process(@1).function("tick") {
	foreach (s+ in texts)
		println(filtered(s), " ", by_pointers(s), " ", guarded(s), " ", backwards(s))
}
probe process(@1).function("tick") { foreach (s+ in texts) println(two(s)) }
probe process(@1).function("tick") { foreach (s+ in texts) println(parens(s)) }
probe process(@1).function("tick") { foreach (s+ in texts) println(nested(s)) }
probe process(@1).function("tick") { foreach (s+ in texts) println(last(s)) }
probe process(@1).function("tick") {
	foreach (s+ in texts)
		println(narrow(s))
	exit()
}
global texts[4]
probe begin { texts["ticks xaxbxcx xx yy (12)[(])"] = texts["xx..xx..abc ((([[)]))) 1"] = texts[""] = 1 }
END
cat >right <<'END'
   40000
ticks abc  yy (12)[(]) ticks abc  yy (12)[(]) ticks abc  yy (12)[(]) 34120
....abc ((([[)]))) 1 ....abc ((([[)]))) 1 ....abc ((([[)]))) 1 36120
600000
6540899
4560146
0
101
404
0000000011111111222222223333333344444444555555556666666677777777
01234567
00001111222233334444555566667777
600000
401919
372222
0
5402
4201
END
for engine in user kernel; do
	expect 0 timeout 100 "$SPILE" --engine=$engine -v -g -c "$PROGS/ticks" indexes.stp "$PROGS/ticks"
	! grep -q 'the rest of' err || fail "indexes leave the kernel"
	is "$(cat right)"
done
