# SPDX-License-Identifier: GPL-2.0-or-later
# Texts that C makes byte by byte: what is done behind them is verified once, not for each place where such a text may end.
. "$SUITE/lib.sh"
own_programs ticks
compgen -c clang | grep -Eq '^clang(-[0-9]+)?$' || skip "clang is not installed"

cat >texts.stp <<'END'
global kept = "none", n
function made:string(p:string, q:long) %{ /* pure */
	int i;
	for (i = 0; i < 20 && STAP_ARG_p[i]; i++)
		STAP_RETVALUE[i] = STAP_ARG_p[i] == 'c' ? 'A' + (STAP_ARG_q & 15) : STAP_ARG_p[i];
	STAP_RETVALUE[i] = 0;
%}
function keep(p:string) %{ /* pragma:read:kept */ /* pragma:write:kept */
	char text[24];
	int i;
	for (i = 0; i < 20 && STAP_ARG_p[i]; i++)
		text[i] = STAP_ARG_p[i];
	text[i] = 0;
	STAP_GLOBAL_SET_kept(text);
%}
probe process(@1).function("tick") {
	n++
	s = made(execname(), n) . made(kept, n + 1) . made(made("a longer c", n), 3)
	keep(s)
	keep(made(kept, n + 2))
	println(s, " ", kept, " ", kept == made(kept, 0), strlen(kept))
}
END
for size in 64 512 2000; do
	for engine in user kernel; do
		expect 0 "$SPILE" -g -w --engine=$engine -D MAXSTRINGLEN=$size -c "$PROGS/ticks" texts.stp "$PROGS/ticks"
		cp out $engine
	done
	prints '^tiBksnonea longer B tiBksnonea longer B 119$'
	cmp -s user kernel || fail "$(diff user kernel)"
done
