# SPDX-License-Identifier: GPL-2.0-or-later
# --prometheus: labels are called as the script calls the keys.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
cat >names.stp <<'E'
global seen, by_call, by_member, by_foreach, unnamed, mixed
function note(name:string, number) { by_call[name, number]++ }
probe process(@1).function("add")
{
	seen[execname(), $a]++
	by_member[sprint($a), $b * 2] = 1
	note("n", 1)
	by_foreach["x"] = 1
	unnamed["x"] = 1
	mixed["x", $a, 1] = 1
}
probe end { foreach (which in by_foreach) println(which) }
E
timeout 100 "$SPILE" --engine=user --prometheus 0 -v -c "$PROGS/calls 1; echo ready; read x <go" names.stp "$PROGS/calls" >run.out 2>run.err &
spile=$!
mkfifo go
trap 'kill $spile 2>/dev/null' EXIT
wait_for 60 grep -q '^ready' run.out
serves_metrics
timeout 60 python3 -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode(), end="")' \
	"http://127.0.0.1:$port/metrics" >metrics || fail "no answer"
python3 "$SUITE/prometheus.py" metrics | grep -v '^#' >sorted
echo >go
wait $spile || fail "status $?"
diff - sorted <<'E' >differ || { cat differ; fail "not what is served (>)"; }
by_call{name="n",number="1"} 1
by_foreach{which="x"} 1
by_member{key1="0",key2="2000"} 1
mixed{key1="x",a="0",key3="1"} 1
seen{execname="calls",a="0"} 1
unnamed{key="x"} 1
E
