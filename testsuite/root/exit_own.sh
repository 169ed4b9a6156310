# SPDX-License-Identifier: GPL-2.0-or-later
# exit() in a handler that spile's own system calls start ends the script, whichever of its calls it is.
. "$SUITE/lib.sh"
for call in read epoll_wait; do
	for program in "$SPILE" "$SPILE_RUN"; do
		expect 0 "$SPILE" -p4 -o own.spo -e "probe kernel.trace(\"syscalls:sys_enter_$call\") { if (execname() =~ \"^spile\") exit() }
probe timer.ms(50) { n++ } global n"
		[ "$program" = "$SPILE" ] || expect 0 timeout 60 "$SPILE_RUN" own.spo
		[ "$program" != "$SPILE" ] || expect 0 timeout 60 "$SPILE" -e "probe kernel.trace(\"syscalls:sys_enter_$call\") {
			if (pid() == stp_pid()) { println(1) exit() } } probe timer.ms(50) { n++ } global n"
	done
done
exit 0
