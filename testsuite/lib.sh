# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that are scripts: `. "$SUITE/lib.sh"`. The first thing that is not as expected ends the case.

fail()
{
	printf '%s\n' "$*"
	[ ! -s out ] || { echo "--- stdout"; head -n 20 out; }
	[ ! -s err ] || { echo "--- stderr"; head -n 20 err; }
	exit 1
}

skip() { echo "$*"; exit 77; }

# expect STATUS COMMAND...: runs it; what it prints is in the files out and err.
expect()
{
	local want=$1 status
	shift
	"$@" >out 2>err
	status=$?
	[ $status = "$want" ] || fail "exit status $status, expected $want: $*"
}

# prints REGEX, says REGEX: stdout, stderr have a line that matches. quiet: nothing on stderr.
prints() { grep -qE -- "$1" out || fail "not printed: $1"; }
says() { grep -qE -- "$1" err || fail "not said: $1"; }
quiet() { [ ! -s err ] || fail "stderr is not empty"; }
# is TEXT: stdout is exactly that.
is() { [ "$(cat out)" = "$1" ] || fail "expected on stdout: $1"; }

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for()
{
	local n=$(($1 * 10))
	shift
	while [ $n -gt 0 ]; do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
		n=$((n - 1))
	done
	fail "waited in vain for: $*"
}

PROGS=$BUILD/testsuite/progs
