# SPDX-License-Identifier: GPL-2.0-or-later
# Attaching and detaching hundreds of probes show how far they are, and a second Ctrl-C ends them. The end of a command is
# waited for, not asked for.
. "$SUITE/lib.sh"
command -v script >/dev/null || skip "no script (util-linux)"
cat >many.stp <<'X'
probe kernel.trace("syscalls:sys_enter_[f-m]*") { n++ }
global n
probe timer.ms(1) { exit() }
probe end { println("the end") }
X
expect 0 "$SPILE" -p4 -o many.spo many.stp
# On a terminal the line is there, and is taken away again; else nothing is shown.
script -qec "'$SPILE_RUN' many.spo" /dev/null </dev/null >terminal
if grep -aq 'detaching: ' terminal; then
	grep -aqE 'detaching: [0-9]+ probes are left' terminal || fail "$(cat -v terminal)"
	tail -c 100 terminal | grep -aq 'the end' || fail "no end: $(cat -v terminal)"
	script -qec 'echo $$ >pid; exec "$SPILE_RUN" many.spo' /dev/null </dev/null >ended &
	script=$!
	wait_for 20 grep -aqE 'detaching: |the end' ended
	kill -TERM "$(cat pid)" 2>/dev/null # it may be done
	wait $script
	status=$?
	[ $status = 143 ] || [ $status = 0 ] || fail "exit status $status after a second Ctrl-C"
	[ $status = 0 ] || ! grep -aq 'the end' ended || fail "a second Ctrl-C has not ended it"
	! grep -aE 'WARNING|ERROR' ended || fail "it complains"
fi
# -c: no kill(pid, 0), which tools that watch signals would see.
expect 0 "$SPILE" -c "sleep 1" -e 'probe kernel.trace("syscalls:sys_enter_kill") { if (pid() == stp_pid()) println("kill") }'
is ''
exit 0
