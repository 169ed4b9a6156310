# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers that take more of the processors than they may: with --max-overhead, events are skipped, and each of them is counted; with
# --overload, the script ends with a report.
. "$SUITE/lib.sh"
need_32_bit_calls
cp "$PROGS/calls" calls # a uprobe of another case takes the user engine's breakpoints away
n=20000
[ "$(uname -n)" != guest ] || n=5000 # under emulation
# told POINT: how many events of it were skipped, by the account at the end.
told() { sed -nE "s/^WARNING: ([0-9]+) events? of [^ ]*$1 (was|were) skipped \\(the handlers took more than --max-overhead\\)\$/\\1/p" err; }
# sums FILE.stp OPTION...: of each point, what ran and what was skipped is what happened.
sums()
{
	grep -vqE '^WARNING: ([0-9]+ events of .* \(the handlers took more than --max-overhead\)|Number of errors: 0, skipped probes: [0-9]+)$' err &&
		fail "something else is said"
	for row in "call:add@.*\"\)" "back:add@.*\"\).return"; do
		IFS=: read -r word point <<<"$row"
		ran=$(sed -n "s/^$word //p" out) skipped=$(told "$point")
		[ $((ran + skipped)) = $n ] || fail "$word: $ran ran, $skipped skipped"
		[ "$skipped" -gt 0 ] || fail "$word: nothing was skipped"
	done
	prints '^wrong 0$'
}
# What was kept at the entry is that of the call.
cat >busy.stp <<'S'
global calls, backs, h, wrong = 0
probe process(@1).function("add") { calls++; for (i = 0; i < 900; i++) h += i }
probe process(@1).function("add").return { backs++; for (i = 0; i < 900; i++) h -= i; if (@entry($b) != 1000) wrong++ }
probe end { printf("call %d\nback %d\nwrong %d\n", calls, backs, wrong * (h || 1)) }
S
for engine in kernel user; do
	expect 0 "$SPILE" --engine=$engine --max-overhead 0.5% -c "$TMP/calls $n >calls.out" busy.stp "$TMP/calls"
	sums
	# Much is enough: nothing is skipped.
	expect 0 "$SPILE" --engine=$engine --max-overhead=100 -c "$TMP/calls 100 >calls.out" busy.stp "$TMP/calls"
	is 'call 100
back 100
wrong 0'
	quiet
done
# What was compiled for it
expect 0 "$SPILE" --max-overhead 1% -p4 -o busy.spo busy.stp "$TMP/calls"
expect 0 "$SPILE_RUN" --max-overhead 0.5% -c "$TMP/calls $n >calls.out" busy.spo
sums
expect 0 "$SPILE_RUN" -c "$TMP/calls 10 >calls.out" busy.spo
is 'call 10
back 10
wrong 0'
quiet
expect 0 "$SPILE" -p4 -o busy.spo busy.stp "$TMP/calls"
expect 0 "$SPILE_RUN" --max-overhead 5% -c true busy.spo
says '^WARNING: --max-overhead has no effect: the script has no handlers of events, or was compiled without it$'

# A loop in a flood of system calls
cat >flood.stp <<'S'
global n, h
probe kernel.syscall("getppid") { n++; for (i = 0; i < 900; i++) h += i }
probe end { println("end", h < 0) }
probe error { println("error ", n > 0) }
S
while :; do "$PROGS/syscalls" 100000; done &
load=$!
trap 'kill $load' EXIT
share='[0-9]+\.[0-9]'
ends() # REGEX OPTION...: the script ends, with a report that has that line
{
	expect 1 "${@:2}" -T 200
	is 'error 1'
	says "^ERROR: the handlers took $share% of the CPUs for $share seconds, and may take 1\.0%: the script ends\$"
	says "^ERROR: $share% of the CPUs: $1, [0-9]+ runs of [0-9]+ ns\$"
	[ "$(grep -vc 'the way to probes of system calls' err)" = 2 ] || fail "more is said"
}
ends 'kernel\.syscall\("getppid"\)' "$SPILE" --overload 1% flood.stp
sed -i 's/kernel.syscall("getppid")/kernel.trace("sys_enter")/' flood.stp
ends 'kernel\.trace\("raw_syscalls:sys_enter"\)' "$SPILE" -D STP_OVERLOAD_INTERVAL=200000000 -D STP_OVERLOAD_THRESHOLD=2000000 flood.stp
expect 0 "$SPILE" -p4 -o flood.spo flood.stp
ends 'kernel\.trace\("raw_syscalls:sys_enter"\)' "$SPILE_RUN" --overload=1 flood.spo
for off in -DSTP_NO_OVERLOAD '-g --suppress-time-limits'; do
	expect 0 "$SPILE" -D STP_OVERLOAD_INTERVAL=100000000 -D STP_OVERLOAD_THRESHOLD=1000000 $off -T 1 flood.stp
	is end0
	quiet
done
