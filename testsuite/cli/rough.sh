# SPDX-License-Identifier: GPL-2.0-or-later
# What is rough for a tracer goes as it does without one, and each call is counted once: faults at the first instruction,
# signals at breakpoints, SIGTRAP that the program uses, odd clones, coroutines, recursion, sleeps that must not be
# interrupted, busy threads beside others, forks of threads. ROUNDS=200 repeats it (make check-rough).
. "$SUITE/lib.sh"
p="process(\"$PROGS/rough\")"
# way NAME FUNCTION CALLS [RETURNS]: `any` is as many returns as calls, `called` what the program says.
way()
{
	timeout 60 "$PROGS/rough" "$1" >native 2>native.err || fail "$1 fails by itself"
	expect 0 timeout 60 "$SPILE" --engine=user -c "$PROGS/rough $1 2>called" \
		-e "global n, r probe $p.function(\"$2\") { n++ } probe $p.function(\"$2\").return { r++ }
		probe $p.function(\"plain\"), $p.function(\"inner\") { m++ } global m
		probe end { printf(\"# %d %d\\n\", n, r) if (m < 0) println(m) }"
	quiet
	grep -v '^#' out >traced
	cmp -s native traced || { cat native; fail "$1: not what it says by itself"; }
	case $3 in
	any) grep -qE '^# ([0-9]+) \1$' out || fail "$1: calls and returns differ" ;;
	called) [ "$(grep '^#' out)" = "# $(cat called) $(cat called)" ] || fail "$1: not $(cat called)" ;;
	*) [ "$(grep '^#' out)" = "# $3 ${4-$3}" ] || fail "$1: not $3 ${4-$3}" ;;
	esac
}
for ((round = 0; round < ${ROUNDS:-1}; round++)); do
	way forks inner 100
	way turns inner 200
	way clones plain 14
	way alarms plain 20000
	way alarms inner called
	way faults touch 300 0
	way mends touch 50
	way mends inner 50
	way traps plain 5
	way blocked plain 1
	way coroutines pausing 200
	way recursion deep 3003
	way sleeps plain any
done
