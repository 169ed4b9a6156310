# SPDX-License-Identifier: GPL-2.0-or-later
# Killed with SIGKILL, spile leaves nothing attached.
. "$SUITE/lib.sh"
[ -e /sys/kernel/tracing/uprobe_events ] || mount -t tracefs t /sys/kernel/tracing 2>/dev/null
held() # how many BPF programs the process holds
{
	grep -ls '^prog_id:' /proc/"$1"/fdinfo/* 2>/dev/null | wc -l
}
cp /sys/kernel/tracing/uprobe_events before 2>/dev/null
"$SPILE" --engine=kernel -e "probe begin { println(\"started\") }
probe process(\"$PROGS/calls\").function(\"add\") { println(\$a) }
probe kernel.trace(\"sched:sched_process_exit\") { n++ }" >out 2>err &
pid=$!
wait_for 30 grep -q started out
holds_some() { [ "$(held $pid)" -gt 0 ]; }
wait_for 10 holds_some
for f in /proc/$pid/fdinfo/*; do sed -n 's/^prog_id:[[:space:]]*//p' "$f"; done 2>/dev/null | sort -u >ids
[ -s ids ] || fail "no programs were loaded"
kill -KILL $pid
wait $pid 2>/dev/null
# The kernel takes links and programs away when it comes to it.
is_as_before()
{
	cp /sys/kernel/tracing/uprobe_events after 2>/dev/null
	[ ! -e before ] || cmp -s before after
}
wait_for 20 is_as_before
"$PROGS/calls" 1 || fail "the program that was probed does not run any more"
[ -z "$(ls -A /sys/fs/bpf 2>/dev/null | grep -i spile)" ] || fail "pinned objects are left"
if command -v bpftool >/dev/null; then
	is_unloaded() { ! bpftool prog show id "$1"; }
	while read -r id; do
		wait_for 20 is_unloaded "$id"
	done <ids
fi
