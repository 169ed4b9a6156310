# SPDX-License-Identifier: GPL-2.0-or-later
# --prometheus: what is served, to whom, and what keeps it from being served. root/prometheus.sh runs this in the kernel.
. "$SUITE/lib.sh"
command -v python3 >/dev/null || skip "python3 is not installed"
cat >shapes.stp <<'E'
global number = 5, text = "a\"b\\", empty_text, calls, names, sizes, counted, summed, log, linear, both, varied, empty, clash, spile_x = 3, log_count = 8
probe begin
{
	fd = 3
	calls["read\n", fd]++
	calls["wr\"ite", -1] += 7
	calls["\xc3\xa9\xff\\", 0] = 1
	names[1] = "one"
	for (i = 0; i < 10; i++) {
		sizes["x"] <<< i
		counted <<< i
		summed[-i] <<< -1
		log <<< i * 100 - 50
		linear[i % 2] <<< i * 10
		le = i % 2 clash[le, i, i]++
		both <<< i
		varied <<< i
	}
	println("begun")
}
probe end
{
	foreach ([x, y, z] in clash) println(x, y, z)
	printf("%d%s%s%d%d", number, text, empty_text, spile_x, log_count)
	foreach ([a, b] in calls) println(calls[a, b])
	foreach (k in names) println(names[k])
	println(@count(sizes["x"]), @sum(sizes["x"]), @max(sizes["x"]), ("x" in empty ? @min(empty["x"]) : 0), @count(counted))
	foreach (k in summed) println(@sum(summed[k]))
	print(@hist_log(log)) print(@hist_log(both)) print(@hist_linear(both, 0, 4, 2))
	foreach (k in linear) { print(@hist_linear(linear[k], 0, 50, 10)) println(@avg(linear[k])) }
	println(@variance(varied))
}
E
# serve SCRIPT OPTION...: starts it as $spile; its address is $port.
serve()
{
	rm -f run.out run.err
	"$SPILE" ${ENGINE:+--engine=$ENGINE} --prometheus 0 -v "${@:2}" "$1" >run.out 2>run.err &
	spile=$!
	trap 'kill $spile 2>/dev/null' EXIT
	wait_for 60 grep -qs '^begun' run.out
	serves_metrics
}
# ask TEXT [MORE]: sends that as it is; the answer is in the file `answer`. MORE: what else python is to do with the socket `s` before.
ask()
{
	timeout 60 python3 - "$port" "$1" >answer <<E || fail "no answer"
import socket, sys
s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
s.sendall(sys.argv[2].encode().decode('unicode_escape').encode('latin-1'))
$2
while True:
    got = s.recv(65536)
    if not got: break
    sys.stdout.buffer.write(got)
E
}
body() { sed '1,/^\r*$/d' answer >metrics; }
answered() { head -n 1 answer | grep -q "^HTTP/1.1 $1"$'\r'"\$" || fail "not answered $1: $(head -n 1 answer)"; }
stop()
{
	kill -TERM $spile
	wait $spile || fail "status $?"
}

serve shapes.stp -t
ask 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n'
answered '200 OK'
grep -q $'^Content-Type: text/plain; version=0.0.4; charset=utf-8\r$' answer || fail "another type"
body
python3 "$SUITE/prometheus.py" metrics >sorted || { cat sorted; fail "not what Prometheus takes"; }
sort >wanted <<'E'
# TYPE number gauge
number 5
# TYPE text_info gauge
text_info{value="a\"b\\"} 1
# TYPE empty_text_info gauge
empty_text_info{value=""} 1
# TYPE script_spile_x gauge
script_spile_x 3
# TYPE log_count gauge
log_count 8
# TYPE calls gauge
calls{a="read\n",fd="3"} 1
calls{a="wr\"ite",fd="-1"} 7
calls{a="é\\xff\\",fd="0"} 1
# TYPE clash gauge
clash{le_="0",i="0",i_="0"} 1
clash{le_="1",i="1",i_="1"} 1
clash{le_="0",i="2",i_="2"} 1
clash{le_="1",i="3",i_="3"} 1
clash{le_="0",i="4",i_="4"} 1
clash{le_="1",i="5",i_="5"} 1
clash{le_="0",i="6",i_="6"} 1
clash{le_="1",i="7",i_="7"} 1
clash{le_="0",i="8",i_="8"} 1
clash{le_="1",i="9",i_="9"} 1
# TYPE names_info gauge
names_info{k="1",value="one"} 1
# TYPE sizes summary
sizes_sum{key="x"} 45
sizes_count{key="x"} 10
# TYPE sizes_max gauge
sizes_max{key="x"} 9
# TYPE counted_count counter
counted_count 10
# TYPE summed_sum gauge
summed_sum{k="0"} -1
summed_sum{k="-1"} -1
summed_sum{k="-2"} -1
summed_sum{k="-3"} -1
summed_sum{k="-4"} -1
summed_sum{k="-5"} -1
summed_sum{k="-6"} -1
summed_sum{k="-7"} -1
summed_sum{k="-8"} -1
summed_sum{k="-9"} -1
# TYPE log_ histogram
log__bucket{le="-32"} 1
log__bucket{le="-16"} 1
log__bucket{le="-8"} 1
log__bucket{le="-4"} 1
log__bucket{le="-2"} 1
log__bucket{le="-1"} 1
log__bucket{le="0"} 1
log__bucket{le="1"} 1
log__bucket{le="3"} 1
log__bucket{le="7"} 1
log__bucket{le="15"} 1
log__bucket{le="31"} 1
log__bucket{le="63"} 2
log__bucket{le="127"} 2
log__bucket{le="255"} 4
log__bucket{le="511"} 6
log__bucket{le="1023"} 10
log__bucket{le="+Inf"} 10
log__count 10
# TYPE linear histogram
linear_bucket{k="0",le="-1"} 0
linear_bucket{k="0",le="9"} 1
linear_bucket{k="0",le="19"} 1
linear_bucket{k="0",le="29"} 2
linear_bucket{k="0",le="39"} 2
linear_bucket{k="0",le="49"} 3
linear_bucket{k="0",le="59"} 3
linear_bucket{k="0",le="+Inf"} 5
linear_sum{k="0"} 200
linear_count{k="0"} 5
linear_bucket{k="1",le="-1"} 0
linear_bucket{k="1",le="9"} 0
linear_bucket{k="1",le="19"} 1
linear_bucket{k="1",le="29"} 1
linear_bucket{k="1",le="39"} 2
linear_bucket{k="1",le="49"} 2
linear_bucket{k="1",le="59"} 3
linear_bucket{k="1",le="+Inf"} 5
linear_sum{k="1"} 250
linear_count{k="1"} 5
# TYPE both histogram
both_bucket{le="0"} 1
both_bucket{le="1"} 2
both_bucket{le="3"} 4
both_bucket{le="7"} 8
both_bucket{le="15"} 10
both_bucket{le="+Inf"} 10
both_count 10
# TYPE both_ histogram
both__bucket{le="-1"} 0
both__bucket{le="1"} 2
both__bucket{le="3"} 4
both__bucket{le="5"} 6
both__bucket{le="+Inf"} 10
both__count 10
# TYPE varied summary
varied_sum 45
varied_count 10
# TYPE varied_variance gauge
varied_variance 9
E
LC_ALL=C sort wanted -o wanted
LC_ALL=C sort sorted | diff - wanted >differ || { cat differ; fail "not the variables (<), or not as expected (>)"; }
grep -qE '^spile_handler_runs_total\{probe="begin",handler="[0-9]+"\} 1$' metrics || fail "the hits are not told"
grep -q '^spile_errors_total 0$' metrics || fail "the errors are not told"

# Others that ask, and others that are asked for.
ask 'HEAD /metrics HTTP/1.0\n\n'
answered '200 OK'
body
[ ! -s metrics ] || fail "an answer to HEAD has a body"
ask 'GET /metrics?x=1 HTTP/1.1\r\nHOST:  127.0.0.1:80\r\n\r\n'
answered '200 OK'
for wrong in 'GET / HTTP/1.1\r\n\r\n:404 Not Found' 'GET /metricsx HTTP/1.1\r\n\r\n:404 Not Found' \
	'POST /metrics HTTP/1.1\r\n\r\n:405 Method Not Allowed' 'GET /metrics\r\n\r\n:400 Bad Request' '\r\n\r\n:400 Bad Request' \
	'GET /met\0rics HTTP/1.1\r\n\r\n:400 Bad Request' '\xff\xfe\r\n\r\n:400 Bad Request' \
	'GET /metrics HTTP/1.1\r\nHost; evil.example\r\n\r\n:400 Bad Request'; do
	ask "${wrong%:*}"
	answered "${wrong##*:}"
done
ask 'GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n'
answered '403 Forbidden'
ask 'GET /metrics HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n'
answered '403 Forbidden'
ask '' 's.sendall(b"GET /metrics HTTP/1.1\r\nX: " + 4072 * b"x")'
answered '431 Request Header Fields Too Large'
# Clients that say nothing, or take nothing, keep nobody: not the session, and after a while no other client.
ask '' 'import time
idle = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for i in range(12)]
s.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")'
answered '200 OK'
# Without descriptors for clients the server waits, and they do; it does not try as fast as it can.
ask '' "import os, resource, time
def spent(): return sum(map(int, open('/proc/$spile/stat').read().rsplit(')', 1)[1].split()[11:13]))
limit = resource.prlimit($spile, resource.RLIMIT_NOFILE)
used = set(map(int, os.listdir('/proc/$spile/fd')))
resource.prlimit($spile, resource.RLIMIT_NOFILE, (min(set(range(limit[0])) - used), limit[1]))
s = socket.create_connection(('127.0.0.1', int(sys.argv[1])))
before = spent()
time.sleep(1)
if spent() - before > 20: sys.exit('it is busy')
resource.prlimit($spile, resource.RLIMIT_NOFILE, limit)
s.sendall(b'GET /metrics HTTP/1.1\r\n\r\n')"
answered '200 OK'
# Only this machine's own address is listened on.
python3 - "$port" <<'E' || fail "another address is listened on"
import socket, sys
try:
    socket.create_connection(('127.0.0.2', int(sys.argv[1])), 2)
except OSError:
    sys.exit(0)
sys.exit(1)
E
stop
# A port that is in use; wrong ones.
serve shapes.stp
expect 1 timeout 60 "$SPILE" --prometheus "$port" -e 'probe begin { println("not begun") exit() }'
is ''
says "^ERROR: metrics cannot be served on port $port of 127\.0\.0\.1: Address already in use$"
stop
for port in x -1 65536; do
	expect 2 "$SPILE" --prometheus="$port" -e 'probe begin { exit() }'
	says "^spile: --prometheus takes a port from 0 to 65535, not '$port'$"
	expect 2 "$SPILE_RUN" --prometheus="$port" x.spo
	says "^spile-run: --prometheus takes a port from 0 to 65535, not \`$port\`$"
done

# What the handlers count can be seen while they run; arrays that are large are shown in part, and that is told.
cat >many.stp <<'E'
global many[30000]
probe begin { for (i = 0; i < 20000; i++) many[i] = i println("begun") }
probe end { println(many[1]) }
E
serve many.stp -DMAXACTION_INTERRUPTIBLE=100000
ask 'GET /metrics HTTP/1.1\r\n\r\n'
body
python3 "$SUITE/prometheus.py" --all metrics >sorted || { cat sorted; fail "not what Prometheus takes"; }
[ "$(grep -c '^many{' sorted)" = 10000 ] || fail "not as many as there is room for"
grep -q '^spile_left_out{array="many"} 1$' sorted || fail "it is not told that there are more"
stop
