# SPDX-License-Identifier: GPL-2.0-or-later
# exit() in a branch: what other processors have begun by then is not printed, but the handler itself goes on.
. "$SUITE/lib.sh"
for i in 1 2 3 4 5; do
	expect 0 timeout 60 "$SPILE" -e 'global n
		probe kernel.trace("raw_syscalls:sys_enter") {
			if (n++ == 300) { println("leaving"); exit(); println("last") }
			else { printf("event\n") }
		}' -c "sh -c 'dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null & dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null; wait'"
	[ "$(tail -n 1 out)" = last ] || fail "behind the last: $(tail -n 1 out)"
	[ "$(grep -c -v event out)" = 2 ] || fail "$(grep -v event out)"
	[ "$(sed -n '/^leaving$/,$p' out | sed '1d; $d' | sort -u)" = "" ] ||
		[ "$(sed -n '/^leaving$/,$p' out | sed '1d; $d' | sort -u)" = event ] || fail "$(tail -n 3 out)"
	n=$(wc -l <out)
	[ "$n" -ge 200 ] || fail "$n lines only"
done
