# SPDX-License-Identifier: GPL-2.0-or-later
# probefunc() and ppfunc() in samples are the function that was interrupted, and elsewhere that of the probe.
. "$SUITE/lib.sh"
cat >spin.c <<'C'
__attribute__((noinline)) static int burn(int n) { volatile int i; for (i = 0; i < n; i++) ; return i; }
int main(void) { for (int k = 0; k < 40; k++) burn(10000000); return 0; }
C
gcc -g -o spin spin.c || skip "no program can be made here"
expect 0 timeout 60 "$SPILE" -c ./spin -e 'global n
probe timer.profile { if (execname() == "spin" && user_mode()) n[probefunc(), ppfunc()]++ }
probe timer.profile.freq.hz(199) { if (execname() == "spin" && user_mode()) told[probefunc()]++ } global told
probe begin { println("begin: [", probefunc(), ppfunc(), "]") }
probe process("./spin").function("burn") { if (!once++) println("burn: ", probefunc(), " ", ppfunc()) } global once
probe end { foreach ([a, b] in n- limit 1) println(a, " ", b)
	foreach (a in told- limit 1) println("told: ", a) }'
quiet
sort out >sorted
[ "$(cat sorted)" = "begin: []
burn burn
burn: burn burn
told: burn" ] || fail "$(cat sorted)"
