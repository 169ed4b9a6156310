# SPDX-License-Identifier: GPL-2.0-or-later
# The programs that follow the processes of -c are at the tracepoints themselves where the kernel has types of those: from the records
# of events it takes programs away by and by, and the session waits for that.
. "$SUITE/lib.sh"
uname -r | grep -qE '^(5\.([0-9]|1[0-4])|4)\.' && skip "this kernel does not tell what links are"
[ -r /sys/kernel/btf/vmlinux ] || skip "the kernel has no types"
cat >look <<END
#!/bin/sh
$PROGS/calls 2
(exec $PROGS/calls 3) &
wait
exec grep -h link_type /proc/\$PPID/fdinfo/*
END
chmod +x look
expect 0 timeout 60 "$SPILE" -e "global n probe process(\"$PROGS/calls\").function(\"add\") { n++ } probe end { println(n) }" -c ./look
[ "$(grep -c '^link_type:.raw_tracepoint$' out)" = 2 ] || fail "not two programs at tracepoints: $(cat out)"
prints '^5$'
