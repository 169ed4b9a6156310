# SPDX-License-Identifier: GPL-2.0-or-later
# --web: what is served, to whom, and what the page may ask for.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
cat >web.stp <<'S'
global n = 1000000, keys
probe begin { keys["<img src=x onerror=alert(1)>"] = 1 println("begun") }
probe timer.ms(20) { n++ }
probe end { foreach (k in keys) println(k) println("ended ", n > 0) }
S
trap 'kill $run 2>/dev/null' EXIT
# served COMMAND...: starts it as $run; asks all that web.py asks, which also empties the array; it has ended in order.
served()
{
	rm -f run.out run.err
	"$@" >run.out 2>run.err &
	run=$!
	wait_for 60 grep -q '^web: ' run.err
	timeout 300 python3 "$SUITE/web.py" "$(sed -n 's/^web: //p' run.err)" >asked 2>&1 || { cat asked; fail "not as it should be"; }
	wait $run || fail "status $?"
	[ "$(cat run.out)" = $'begun\nended 1' ] || { cat run.out; fail "not what it prints without a page"; }
}
served "$SPILE" ${ENGINE:+--engine=$ENGINE} --web web.stp
for port in x -1 65536; do
	expect 2 "$SPILE" --web="$port" -e 'probe begin { exit() }'
	says "^spile: --web takes a port from 0 to 65535, not '$port'$"
done
expect 2 "$SPILE" --remote host --web -e 'probe begin { exit() }'
says '^spile: --remote runs a script on other machines, and excludes --web$'
