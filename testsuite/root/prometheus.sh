# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli; and Prometheus itself reads what handlers in the kernel count.
(. "$SUITE/cli/prometheus.sh") || exit
. "$SUITE/lib.sh"
command -v prometheus >/dev/null || skip "prometheus is not installed"
[ "$(uname -n)" = guest ] && skip "Prometheus itself takes minutes in an emulated guest"
cat >count.stp <<'E'
global calls, sizes, other
probe process(@1).function("add") { calls["add \"x\"", $a % 2]++ sizes <<< $a other = $b }
probe end { println(calls["add", 0], other) print(@hist_log(sizes)) println(@sum(sizes)) }
E
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port) own=$(free_port)
cat >prometheus.yml <<E
global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs: [{job_name: spile, static_configs: [{targets: ['127.0.0.1:$port']}]}]
E
cp "$PROGS/calls" calls # other cases probe it, too
"$SPILE" --engine=kernel --prometheus "$port" -t -v -c "./calls 7; echo ready; read x <go" count.stp "$PWD/calls" >run.out 2>run.err &
spile=$!
mkfifo go
trap 'kill $spile $prometheus 2>/dev/null' EXIT
wait_for 60 grep -q '^ready' run.out
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:$own >prometheus.log 2>&1 &
prometheus=$!
value() # QUERY: the value that Prometheus has for it, of a single series
{
	python3 - "$own" "$1" <<'E'
import json, sys, urllib.parse, urllib.request
query = urllib.parse.urlencode({'query': sys.argv[2]})
with urllib.request.urlopen('http://127.0.0.1:%s/api/v1/query?%s' % (sys.argv[1], query), timeout=10) as answer:
    result = json.load(answer)['data']['result']
print(*[series['value'][1] for series in result])
E
}
is_value() { [ "$(value "$1")" = "$2" ]; }
wait_for 60 is_value 'up{job="spile"}' 1
# calls(7) calls add() with 0 to 6.
for expected in 'calls{key1="add \"x\"",key2="0"}=4' 'calls{key1="add \"x\"",key2="1"}=3' 'sizes_count=7' 'sizes_sum=21' \
	'sizes_bucket{le="0"}=1' 'sizes_bucket{le="3"}=4' 'sizes_bucket{le="+Inf"}=7' 'spile_handler_runs_total{probe=~"process.*"}=7' \
	'spile_errors_total=0' 'sum(scrape_samples_scraped) > bool 10=1'; do
	wait_for 30 is_value "${expected%=*}" "${expected##*=}"
done
echo >go
wait $spile || fail "status $?"
[ "$(head -n 1 run.out)" = ready ] || fail "not what it printed without metrics"
