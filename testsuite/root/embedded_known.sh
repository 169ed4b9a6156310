# SPDX-License-Identifier: GPL-2.0-or-later
# Indexes of embedded C that move when the loop's counter says so: the verifier knows each of their numbers, which fit into the array where the
# rounds alone would not. And ends without a sign that are above all that a signed number of those bits can be: they keep no index low.
. "$SUITE/lib.sh"
own_programs ticks
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"

cat >known.stp <<'END'
function ring:long(s:string) %{ /* pure */
	char t[10] = "";
	int i, n = 0;
	long sum = 0;
	for (i = 0; i < 100; i++) {
		t[n] = STAP_ARG_s[i & 31];
		if (++n == 10)
			n = 0;
		if (STAP_ARG_s[i & 31] == 'x')
			sum++;
	}
	for (i = 0; i < 10; i++)
		sum = sum * 3 + t[i];
	STAP_RETURN(sum);
%}
function half:long(s:string) %{ /* pure */
	char t[50] = "";
	int i, n = 0;
	long sum = 0;
	for (i = 0; i < 100; i++)
		if (i & 1)
			t[n++] = STAP_ARG_s[i & 31];
	for (i = 0; i < 50; i++)
		sum = sum * 5 + t[i];
	STAP_RETURN(sum);
%}
function once:long(s:string, k:long) %{ /* pure */
	char t[64] = "";
	unsigned short n = 0;
	int i;
	long sum = 0;
	for (i = 0; i < 50; i++) {
		if (STAP_ARG_k > 5) {
			t[n] = STAP_ARG_s[i & 31];
			n = n ? n - 1 : 63;
		}
		sum = sum * 3 + n;
	}
	for (i = 0; i < 64; i++)
		sum = sum * 5 + t[i];
	STAP_RETURN(sum);
%}
function down:long(s:string) %{ /* pure */
	char t[16] = "";
	int i, n = 8;
	long sum = 0;
	for (i = 0; i < 100; i++) {
		t[n] = STAP_ARG_s[i & 31];
		if (STAP_ARG_s[i & 31] == 'x')
			n = n ? n - 1 : 15;
	}
	for (i = 0; i < 16; i++)
		sum = sum * 3 + t[i];
	STAP_RETURN(sum);
%}
function narrow:long(s:string) %{ /* pure */
	char t[40] = "";
	int i;
	long sum = 0;
	unsigned short n = 0;
	for (i = 0; i < 32; i++) {
		if (STAP_ARG_s[i] == 'x')
			n += 5;
		if (n < 40)
			t[n] += STAP_ARG_s[i];
		else
			sum++;
		if (STAP_ARG_s[i] == ' ')
			n -= 2;
	}
	for (i = 0; i < 40; i++)
		sum = sum * 3 + t[i];
	STAP_RETURN(sum);
%}
function high:long(s:string) %{ /* pure */
	char t[64] = "", u[256] = "";
	int i;
	long sum = 0;
	unsigned n = 0;
	unsigned char m = 0;
	for (i = 0; i < 50; i++) {
		if (STAP_ARG_s[i & 31] != 'x' && n < 0xfffffff0u)
			t[n++] = STAP_ARG_s[i & 31];
		if (STAP_ARG_s[i & 31] != 'x' && m < 200)
			u[m++] = STAP_ARG_s[i & 31];
	}
	for (i = 0; i < 50; i++)
		sum = sum * 3 + t[i] + u[i];
	STAP_RETURN(sum + n * 100 + m);
%}
probe process(@1).function("tick") { foreach (s+ in texts) println(ring(s)) }
probe process(@1).function("tick") { foreach (s+ in texts) println(half(s)) }
probe process(@1).function("tick") { foreach (s+ in texts) println(once(s, 5), " ", once(s, texts[s])) }
probe process(@1).function("tick") { foreach (s+ in texts) println(down(s), " ", narrow(s)) }
probe process(@1).function("tick") {
	foreach (s+ in texts)
		println(high(s))
	exit()
}
global texts[2]
probe begin { texts["the x quick brown fox jumps over"] = 6; texts["xx..xx..abc ((([[)]))) 1,2,3 etc"] = 6 }
END
cat >right <<'END'
3194750
2211673
4791503434634285027
-1705386825935182704
0 -8419735066202785505
0 206551085524579607
146546496 7670856425051891889
2582697738 1998328970808082485
-5224833169825288073
-7606847991257242150
END
for engine in user kernel; do
	expect 0 timeout 100 "$SPILE" --engine=$engine -v -g -c "$PROGS/ticks" known.stp "$PROGS/ticks"
	! grep -q 'the rest of' err || fail "indexes leave the kernel"
	is "$(cat right)"
done
