# SPDX-License-Identifier: GPL-2.0-or-later
# CAP_BPF and CAP_PERFMON are enough for process() probes in the kernel where it has uprobe.multi; with less, what is missing is
# named.
. "$SUITE/lib.sh"
command -v setpriv >/dev/null || skip "no setpriv (util-linux)"
as() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$1" --ambient-caps="$1" "${@:2}"; }
as +bpf,+perfmon test -x "$PROGS/calls" || skip "an ordinary user cannot reach $PROGS, or these capabilities are not to be had"
# A program of its own: without tracefs the calls of all processes are seen, and other cases run calls.
calls=$PROGS/calls.$$
trap 'rm -f "$calls"' EXIT
cp "$PROGS/calls" "$calls"
script="probe process(\"$calls\").function(\"add\") { println(\$b) }"
"$SPILE_RUN" --describe >target || fail "no description"
if grep -q '^features .*\<uprobe-multi\>' target; then
	expect 0 as +bpf,+perfmon "$SPILE" --engine=kernel -c "$calls 2" -e "$script"
	is '1000
1000'
	! grep -qvE '^WARNING: process probes see all processes, not only those of -c: ' err || fail "something else is said"
else
	expect 3 as +bpf,+perfmon "$SPILE" --engine=kernel -c "$calls 2" -e "$script"
	says ': uprobes take CAP_SYS_ADMIN \(root\) here; '
fi
expect 3 as +bpf "$SPILE" --engine=kernel -c "$calls 2" -e "$script"
says '^ERROR: cannot attach probe process\(.*function\("add@.* \(uprobe\): .*: CAP_PERFMON is missing$'
expect 3 as +perfmon "$SPILE" --engine=kernel -c "$calls 2" -e "$script"
says ': CAP_BPF is missing$'
expect 3 as -all "$SPILE" --engine=kernel -c "$calls 2" -e "$script"
says ': it takes root, or CAP_BPF and CAP_PERFMON \(sudo, setcap\)$'
