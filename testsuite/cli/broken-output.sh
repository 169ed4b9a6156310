# SPDX-License-Identifier: GPL-2.0-or-later
# Readers that go away, disks that are full, descriptors that are closed.
. "$SUITE/lib.sh"
timeout 20 "$SPILE" -e 'probe timer.ms(1) { println("x") }' 2>err | head -n 1 >out
[ "${PIPESTATUS[0]}" = 0 ] || fail "does not end well when its reader goes away"
is x
quiet
timeout 20 "$SPILE" --engine=user -c "$PROGS/calls 100000" -e "probe process(\"$PROGS/calls\").function(\"add\") { println(\$a) }" \
	2>err | head -n 1 >out
[ "${PIPESTATUS[0]}" = 0 ] || fail "does not end well when its reader goes away, with a command"
is 0
quiet
hello='probe begin { println("x") exit() }'
if [ -w /dev/full ]; then
	"$SPILE" -l 'timer.*' >/dev/full 2>err && fail "status 0 of a listing with a full disk"
	[ "$(cat err)" = "ERROR: cannot write standard output: No space left on device" ] || fail "a listing"
	"$SPILE" --help >/dev/full 2>err && fail "status 0 of --help with a full disk"
	[ "$(cat err)" = "ERROR: cannot write standard output: No space left on device" ] || fail "--help"
	# More than is kept until it is written.
	"$SPILE" --dump-functions >/dev/full 2>err && fail "status 0 of the library's functions with a full disk"
	[ "$(cat err)" = "ERROR: cannot write standard output: No space left on device" ] || fail "the library's functions"
	python3 "$SUITE/perf_data.py" it.data
	"$SPILE" perf-data it.data >/dev/full 2>err && fail "status 0 of perf-data with a full disk"
	says '^ERROR: cannot write standard output$'
	"$SPILE" -e "$hello" >/dev/full 2>err && fail "status 0 with a full disk"
	says 'No space left'
	timeout 10 "$SPILE" -e 'probe timer.ms(1) { println("x") }' >/dev/full 2>err
	[ $? = 1 ] || fail "does not end when its disk is full"
fi
"$SPILE" -e "$hello" 2>err >&- && fail "status 0 without a standard output"
says 'cannot write the output'
"$SPILE" -e "$hello" >out 2>&- || fail "needs a standard error"
is x
"$SPILE" -e "$hello" >out 2>err <&- || fail "needs a standard input"
is x
"$SPILE" - >out 2>err <&- && fail "status 0 for a script that cannot be read"
says 'cannot read'
