# SPDX-License-Identifier: GPL-2.0-or-later
# For the cases that are scripts: `. "$SUITE/lib.sh"`. The first thing that is not as expected ends the case.

fail()
{
	printf '%s\n' "$*"
	[ ! -s err ] || { echo "--- stderr"; head -n 20 err; }
	[ ! -s out ] || { echo "--- stdout"; head -n 20 out; }
	exit 1
}

skip() { echo "$*"; exit 77; }

# Does gcc make programs of 32 bits, and does this kernel run them?
runs_32_bits() { gcc -m32 -x c -o runs32 - <<<'int main(void) { return 0; }' 2>/dev/null && ./runs32 2>/dev/null; }
need_32_bits() { runs_32_bits || skip "needs programs of 32 bits: gcc-multilib, and a kernel that runs them"; }
takes_32_bit_calls() { (exec 2>/dev/null; "$PROGS/syscalls" 1; exit $?); }
need_32_bit_calls() { takes_32_bit_calls || skip "this kernel takes no 32-bit system calls"; }

# expect STATUS COMMAND...: runs it; what it prints is in the files out and err.
expect()
{
	local want=$1 status
	shift
	"$@" >out 2>err
	status=$?
	[ $status = "$want" ] || fail "exit status $status, expected $want: $*"
}

# compile OPTION... -- SCRIPT ARGUMENT...: makes $object. Guests are slow: they find it made, as runtests --compile-for has taken the case for
# that alone; then nothing else is as expected, and the case ends at `compiled`, above which is nothing that changes the machine.
compile()
{
	local options=()
	while [ "$1" != -- ]; do
		if [ "$1" = -T ]; then shift; else options+=("$1"); fi # that is spile-run's alone
		shift
	done
	object=${RUN_OBJECTS:-.}/$(basename "$0" .sh)-$(basename "$2" .stp)-$(cat "$2" - <<<"${*:3}" | cksum | tr -d " ").spo
	if [ -n "${RUN_COMPILE_FOR:-}" ]; then
		"$SPILE" "${options[@]}" -p4 -r "$RUN_COMPILE_FOR" -o "$object" "${@:2}" 2>"$object.err" # what is not made is made, and told, in the guest
	elif [ ! -e "$object" ]; then
		expect 0 timeout 300 "$SPILE" "${options[@]}" -p4 -o "$object" "${@:2}"
		cp err "$object.err"
	fi
}
compiled() { [ -z "${RUN_COMPILE_FOR:-}" ] || exit 0; }
# made STATUS OPTION... -- SCRIPT ARGUMENT...: runs it with these options, compiled so, unless `compile` has made it already.
made()
{
	local status=$1 options=()
	shift
	compile "$@"
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	expect "$status" timeout 300 "$SPILE_RUN" "${options[@]}" "$object"
	cat "$object.err" >>err
}
if [ -n "${RUN_COMPILE_FOR:-}" ]; then
	expect() { :; }
	fail() { :; }
fi

# prints REGEX, says REGEX: stdout, stderr have a line that matches. quiet: nothing on stderr.
prints() { grep -qE -- "$1" out || fail "not printed: $1"; }
says() { grep -qE -- "$1" err || fail "not said: $1"; }
quiet() { [ ! -s err ] || fail "stderr is not empty"; }
# newest NAME: the newest of NAME-14, NAME-19 and the like, or NAME without a number. False: none is there.
newest() { compgen -c "$1" | grep -xE "$1(-[0-9]+)?" | sort -V | tail -n 1 | grep .; }
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

# family REGEX: compiles a script with each probe alias of the library whose name begins so.
family()
{
	"$SPILE" --dump-probe-aliases | sed 's/ = .*//' | grep -E "^($1)" | sort >names
	[ -s names ] || fail "no aliases begin with $1"
	{
		echo "global fired"
		echo "probe $(paste -sd, names | sed 's/,/ ?, /g') ? { fired[pn()]++ }"
		echo 'probe end { foreach (name in fired) println(name) }'
	} >fired.stp
	compile -- fired.stp
}
# family_fires COMMAND: each alias of the family fires while COMMAND runs; but those in the file `silent`, which are named there with
# the reason behind them.
family_fires()
{
	[ -e silent ] || : >silent
	made 0 -c "$1" -- fired.stp
	sort out >fired
	sed 's/ .*//' silent | sort | comm -23 names - >wanted
	diff wanted fired >difference || fail "< has not fired, > is named in silent, but fired: $(grep '^[<>]' difference | paste -sd' ')"
}

PROGS=${PROGS:-$BUILD/testsuite/progs}

# own_programs NAME...: $PROGS has copies of these from here on. Uprobes that other cases have in a file take its events from the user engine.
own_programs()
{
	mkdir programs
	cp "${@/#/$PROGS/}" programs || fail "no copies of $*"
	PROGS=$PWD/programs
}

# large_script POINT N: a script of one handler with N statements, which become about 20 instructions each.
large_script()
{
	awk -v point="$1" -v n="$2" 'BEGIN {
		print "global a, b, t\nprobe " point " {\n  x = pid() * 0 + 5; y = 0; s = \"\"; rounds = 0; b[1] = 1; b[2] = 2"
		for (i = 0; i < n; i++) {
			if (i % 5 == 0) print "  y += x * " i " % 7"
			else if (i % 5 == 1) print "  a[" i "] = y"
			else if (i % 5 == 2) print "  if (y > " i * 3 ") { t += a[" i - 1 "] } else { t++ }"
			else if (i % 5 == 3) print "  if (y == -" i ") printf(\"%d %d\\n\", y, t)"
			else if (i % 500 == 4) print "  s = sprintf(\"%d\", y)"
			else print "  try { y += " i " / (y % " i ") } catch { t++ }"
			if (i == int(n / 2)) print "  foreach (k in b) {"
			if (i == int(n / 4 * 3)) print "  rounds++ }"
		}
		print "  printf(\"%d %d %s %d\\n\", y, t, s, rounds)\n  println(1 / (y - y))\n}"
	}'
}

# fired FILE ALIAS...: a script that counts in the array `fired` how often each alias fires, and prints the names of those that did.
fired()
{
	local alias
	{
		echo "global fired"
		for alias in "${@:2}"; do
			echo "probe $alias { fired[\"$alias\"]++ }"
		done
		echo "probe end { foreach (alias+ in fired) println(alias) }"
	} >"$1"
}

# all_fired FILE [ALIAS...]: what was printed are the names of all aliases of that script but the given ones, which must not fire.
all_fired()
{
	printf '%s\n' "${@:2}" | sort >silent
	sed -nE 's/^probe ([^ ]+) \{ fired.*/\1/p' "$1" | sort | comm -23 - silent >wanted
	sort out | diff - wanted >differ || { cat differ; fail "what fires (<) is not what was expected (>)"; }
}

# slow_reader PROGRAM: starts it as $target, which counts in the file `ticks`, and makes `pipe`, whose reader never reads.
slow_reader()
{
	mkfifo pipe
	"$1" ticks &
	target=$!
	sleep 1000 <>pipe &
	reader=$!
	trap 'kill -KILL $target $reader ${spile-} 2>/dev/null' EXIT
	wait_for 20 test -s ticks
}

# serves_metrics: the spile whose messages are in run.err says at which $port.
serves_metrics()
{
	port=$(sed -n 's,^metrics: http://127\.0\.0\.1:\([0-9]*\)/metrics$,\1,p' run.err)
	[ -n "$port" ] || fail "the port is not told"
}

# ended PID: it is not there any more.
ended() { ! kill -0 "$1"; }

# stop_unread: SIGTERM ends $spile, whose output is not read, and leaves $target alone.
stop_unread()
{
	local status=0
	kill -TERM $spile
	wait_for 30 ended $spile
	wait $spile || status=$?
	[ $status = 1 ] || fail "status $status"
	kill -0 $target || fail "the target died"
	says '^WARNING: [0-9]+ bytes of output were not written: nobody reads them$'
}
