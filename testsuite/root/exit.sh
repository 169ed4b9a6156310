# SPDX-License-Identifier: GPL-2.0-or-later
# After exit() no further event is printed, and the status is 0.
. "$SUITE/lib.sh"
for i in 1 2 3; do
	expect 0 timeout 120 "$SPILE" -e 'probe kernel.trace("raw_syscalls:sys_enter") { println("event") exit() }'
	[ "$(sort out | uniq -c | tr -s ' ')" = ' 1 event' ] || fail "$(wc -l <out) events after exit()"
done
