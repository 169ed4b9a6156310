# SPDX-License-Identifier: GPL-2.0-or-later
# -c: its end ends the script; a command that is not there or dies at once; target().
. "$SUITE/lib.sh"
end='probe end { println("end") }'
expect 0 "$SPILE" -c true -e "probe begin { println(target() > 0) } $end"
is '1
end'
expect 0 "$SPILE" -c "$PROGS/calls 2" -e "$end"
is end
"$SPILE" -c /no/such/command -e "$end" >out 2>err && fail "status 0"
says '/no/such/command'
expect 0 "$SPILE" -c 'echo from the shell; true' -e "$end"
prints '^from the shell$'
"$SPILE" -c 'kill -9 $$' -e "$end" >out 2>err
prints '^end$'
says '[Ss]ignal 9|[Kk]illed|SIGKILL'
expect 0 "$SPILE" -c 'sleep 30' -T 0.3 -e "$end"
is end
sleep 5 &
expect 0 "$SPILE" -x $! -T 0.3 -e 'probe begin { println(target()) }'
is "$!"
expect 0 "$SPILE" -x $! -e 'probe begin { exit() }'
kill -0 $! || fail "the target of -x was killed"
kill $!
"$SPILE" -x 99999999 -e 'probe begin { exit() }' >out 2>err && fail "status 0 for a process that is not there"
says 99999999
