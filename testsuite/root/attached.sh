# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers begin when all hooks are attached: of what attaching takes, they see nothing, and what is counted begins at one time.
. "$SUITE/lib.sh"

{
	echo 'global n, seen'
	for call in bpf perf_event_open openat ioctl read write close; do
		echo "probe kernel.trace(\"syscalls:sys_enter_$call\") { if (pid() == stp_pid()) { seen[\"$call\"]++ } }"
	done
	echo 'probe kernel.trace("syscalls:sys_enter_get*")? { if (pid() == stp_pid()) n++ }'
	echo 'probe end { println(seen["bpf"], " ", seen["perf_event_open"], " ", seen["openat"], " ", n < 20) }'
} >counts.stp
expect 0 timeout 60 "$SPILE" -w counts.stp -c true
printf '0 0 0 1\n' | diff -u - out || fail "attaching was seen"

# Without anything that could end the script.
printf 'global n\n%s\n%s\n%s\n' 'probe kernel.trace("syscalls:sys_enter_bpf") { if (pid() == stp_pid()) n++ }' \
	'probe kernel.trace("syscalls:sys_enter_perf_event_open") { if (pid() == stp_pid()) n++ }' \
	'probe end { println(n) }' >plain.stp
expect 0 timeout 60 "$SPILE" plain.stp -c true
printf '0\n' | diff -u - out || fail "attaching was seen in a script without an end"

# The command is found before, so that one system call is what runs it.
expect 0 timeout 60 "$SPILE" -e 'probe kernel.trace("syscalls:sys_exit_execve") { if (pid() == target()) println($ret) }' -c true
printf '0\n' | diff -u - out || fail "the command was looked for by execve()"
