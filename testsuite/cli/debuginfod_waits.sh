# SPDX-License-Identifier: GPL-2.0-or-later
# A debuginfod server that takes requests and does not answer is waited for as long as its library does, and who waits is told for
# what; it is not asked for a second file.
. "$SUITE/lib.sh"
ldconfig -p | grep -q libdebuginfod.so.1 && command -v python3 >/dev/null || skip "libdebuginfod or python3 is not installed"
python3 -c 'import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
taken = []
while True: taken.append(server.accept())' >port &
server=$!
trap 'kill $server' EXIT
wait_for 20 test -s port
for program in calls shapes; do
	cp "$PROGS/$program" . && strip -g $program || fail "no program"
done
export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_TIMEOUT=3 DEBUGINFOD_RETRY_LIMIT=0 DEBUGINFOD_CACHE_PATH=$TMP/cache
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # what libcurl leaves behind
expect 0 "$SPILE" -v -p2 -e 'probe process("./calls").function("add"), process("./shapes").function("main") { exit() }'
grep -v ^Pass err >told
[ "$(cat told)" = "asking $DEBUGINFOD_URLS for debug information
WARNING: waiting for debug information from $DEBUGINFOD_URLS (DEBUGINFOD_URLS)
WARNING: $DEBUGINFOD_URLS has not answered in time (DEBUGINFOD_URLS), and is not asked again" ] || fail "$(cat told)"
