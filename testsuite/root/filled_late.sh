# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel takes memory for the elements of a large array when they come, where only handlers of uprobes add to it.
. "$SUITE/lib.sh"
"$SPILE_RUN" --describe | grep -q '^features .*\<uprobe-multi\>' || skip "Linux before 6.6"
tick="process(\"$PROGS/ticks\").function(\"tick\")"
flags() # SCRIPT: what the kernel says of its arrays of 20,000 elements
{
	expect 0 timeout 60 "$SPILE" -D MAXMAPENTRIES=20000 -e "$1" \
		-c 'grep -h -A1 ^max_entries:.20000 /proc/$PPID/fdinfo/* | sed -n s/^map_flags:.//p | sort -u'
}
flags "global s probe $tick { s[ubacktrace()]++ }"
is 0x1
flags "global s probe $tick { s[ubacktrace()]++ } probe kernel.trace(\"sched:sched_switch\") { if (cpu() < 0) s[\"\"]++ }"
is 0x0
flags "global n probe $tick { n[pid()]++ }"
is 0x0

# All elements are there, also of many that come at once.
count='{ for (i = 0; i < 500; i++) s[sprintf("%999d", i + 500 * n)]++ n++ } probe end, error { foreach (k in s) sum++ println(sum) }'
expect 0 timeout 60 "$SPILE" -D MAXSTRINGLEN=1024 -D MAXMAPENTRIES=17000 -e "global s, n probe $tick $count" -c "$PROGS/ticks"
is 1000
