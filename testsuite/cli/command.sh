# SPDX-License-Identifier: GPL-2.0-or-later
# -c: its end ends the script; a command that is not there or dies at once; target().
. "$SUITE/lib.sh"
end='probe end { println("end") }'
expect 0 "$SPILE" -c true -e "probe begin { println(target() > 0) } $end"
is '1
end'
expect 0 "$SPILE" -c "$PROGS/calls 2" -e "$end"
is end
expect 1 "$SPILE" -c /no/such/command -e "$end"
says '^ERROR: cannot run the command `/no/such/command`: No such file or directory$'
expect 0 "$SPILE" -c 'echo from the shell; true' -e "$end"
prints '^from the shell$'
expect 1 "$SPILE" -c 'kill -9 $$' -e "$end"
prints '^end$'
says '^WARNING: kill -9 \$\$ was ended by signal 9 \(Killed\)$'
expect 0 "$SPILE" -c 'sleep 30' -T 0.3 -e "$end"
is end
sleep 5 &
expect 0 "$SPILE" -x $! -T 0.3 -e 'probe begin { println(target()) }'
is "$!"
expect 0 "$SPILE" -x $! -e 'probe begin { exit() }'
kill -0 $! || fail "the target of -x was killed"
kill $!
expect 1 "$SPILE" -x 99999999 -e 'probe begin { exit() }'
says '^ERROR: there is no process 99999999$'
# Nor is there a program behind the number of one that nobody has waited for, or of a thread of the kernel.
mkfifo go
sh -c 'cat go & echo $! >zombie; exec sleep 30' &
parent=$!
wait_for 20 grep -x sleep /proc/$parent/comm
: >go
wait_for 20 sh -c 'grep "^State:.Z" "/proc/$(cat zombie)/status"'
expect 1 "$SPILE" -x "$(cat zombie)" -e 'probe begin { exit() }'
says "^ERROR: process $(cat zombie) has ended\$"
kill $parent
if [ "$(cat /proc/2/comm)" = kthreadd ]; then
	expect 2 "$SPILE" --engine=user -x 2 -e 'probe process.begin { exit() }'
	says '^ERROR: cannot trace process 2: it has no program, as threads of the kernel$'
fi
# Whether the command still runs is not asked by signals, which others may watch.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	expect 0 "$SPILE" -p4 -o waits.spo -e 'probe timer.ms(700) { println("waited") }'
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # LeakSanitizer does not work under strace
	expect 0 strace -f -e trace=kill,tkill,tgkill -o trace "$SPILE_RUN" -c 'sleep 1' waits.spo
	is waited
	! grep -q 'kill(' trace || fail "$(grep 'kill(' trace)"
fi
exit 0
