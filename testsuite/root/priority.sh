# SPDX-License-Identifier: GPL-2.0-or-later
# While probes fire, the thread that takes their records goes before others, or it would have no processor for longer than the ring
# buffer has room. What it starts, and handlers at the end, do not.
. "$SUITE/lib.sh"
nice_of() { cut -d' ' -f19 "/proc/$1/stat"; }
usual=$(nice_of self)
mkfifo go
"$SPILE" --engine=kernel -o seen -c "sh -c '$PROGS/calls 1; read x <go; $PROGS/calls 1'" -e "
	probe process(\"$PROGS/calls\").function(\"add\") { println(\"here\") }" 2>err &
run=$!
trap 'kill $run 2>/dev/null' EXIT
wait_for 20 grep -q here seen
[ "$(nice_of $run)" = $((usual - 10)) ] || fail "it has priority $(nice_of $run)"
for task in /proc/$run/task/*; do
	[ "${task##*/}" = $run ] || [ "$(cut -d' ' -f19 "$task/stat")" = "$usual" ] || fail "another thread has $(cut -d' ' -f19 "$task/stat")"
done
[ "$(nice_of "$(pgrep -P $run)")" = "$usual" ] || fail "the command has priority $(nice_of "$(pgrep -P $run)")"
echo >go
wait $run || fail "exit status $?: $(cat err)"
trap - EXIT
# Of a command, and of the session at its end. Nobody waits for commands.
expect 0 "$SPILE" --engine=kernel -D MAXACTION_INTERRUPTIBLE=20000000 -c "$PROGS/calls 1" -e "
	probe process(\"$PROGS/calls\").function(\"add\") { if (!n++) system(\"cut -d' ' -f19 /proc/self/stat >of-command\") }
	probe end {
		system(sprintf(\"cut -d' ' -f19 /proc/%d/stat >of-session\", stap_pid()))
		for (i = 0; i < 2000000; i++) n++
	}
	global n"
wait_for 5 grep -qx "$usual" of-command
wait_for 5 grep -qx "$usual" of-session
