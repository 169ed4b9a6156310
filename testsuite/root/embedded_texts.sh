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

# The same of the functions for texts, however many calls there are: the ways out of their rounds do not wait for each other.
cat >many.stp <<'END'
function join:string(p:string, q:string) %{ /* pure */
	strlcpy(STAP_RETVALUE, STAP_ARG_p, MAXSTRINGLEN);
	strcat(STAP_RETVALUE, STAP_ARG_q);
	strlcat(STAP_RETVALUE, STAP_ARG_p, 9);
	strcat(STAP_RETVALUE, strcmp(STAP_ARG_p, STAP_ARG_q) < 0 ? "<" : strncmp(STAP_ARG_p, STAP_ARG_q, 5) ? ">" : "=");
%}
probe process(@1).function("tick") {
	a = execname()
	println(join(a, "x"), join("x", a), join(a, a), join(a, "tiny"), join("", a), join(sprintf("%600d", 7), "end") == join("", sprintf("%600d", 7)))
	println(strlen(join(sprintf("%*d", 8000, 7), a)), join("\xff", "a"), join("a", "\xff"), join(join(join("ab", "c"), "abc"), "\x80"))
}
END
for size in 64 400; do
	for engine in user kernel; do
		expect 0 "$SPILE" -g -w -v --engine=$engine -D MAXSTRINGLEN=$size -c "$PROGS/ticks" many.stp "$PROGS/ticks"
		! grep 'rest of the handler' err || fail "that is not in the kernel"
		cp out $engine
	done
	prints '^ticksxti<xticksx>ticksticks=tickstiny<ticks<1$'
	prints "^$((size - 1))"
	cmp -s user kernel || fail "$(diff user kernel)"
done
cat >long.stp <<'END'
function join:string(p:string, q:string) %{ /* pure */ strlcpy(STAP_RETVALUE, STAP_ARG_p, MAXSTRINGLEN); strlcat(STAP_RETVALUE, STAP_ARG_q, MAXSTRINGLEN); %}
probe process(@1).function("tick") { println(join(execname(), "x"), strlen(join(sprintf("%*d", 3900, 7), sprintf("%*d", 300, 8)))) }
END
expect 0 "$SPILE" -g -w -v -D MAXSTRINGLEN=4000 -c "$PROGS/ticks" long.stp "$PROGS/ticks"
! grep 'rest of the handler' err || fail "that is not in the kernel"
is $'ticksx3999\nticksx3999'
