# SPDX-License-Identifier: GPL-2.0-or-later
# process(PID): the program that the process runs, and that process alone. process with -x: the same program.
. "$SUITE/lib.sh"
"$PROGS/calls" 1000 slowly &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
wait_for 5 grep -q calls "/proc/$pid/cmdline"
expect 0 "$SPILE" --stop-after=context --dump=context -e "probe process($pid).function(\"add\") { println(\$a) }"
prints 'site process\(".*/calls"\)\.function\("add@'
prints "^	if \(!\(pid\(\) == $pid\)\)"
expect 0 "$SPILE" --stop-after=context --dump=context -x $pid -e 'probe process.function("add").return { println($return) }'
prints 'site process\(".*/calls"\)\.function\("add@.*\.return'
