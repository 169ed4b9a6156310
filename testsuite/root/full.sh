# SPDX-License-Identifier: GPL-2.0-or-later
# exit() and the last error end the run also when the ring buffer has no room for their records.
# One process alone is flooded: a machine whose every system call prints 900 lines does nothing else.
. "$SUITE/lib.sh"
busy="dd if=/dev/zero of=/dev/null bs=1"
flood='for (i = 0; i < 900; i++) printf("%d a line that fills the ring buffer sooner than anybody can read it\n", i)'
for i in 1 2 3 4 5; do
	expect 0 timeout 20 "$SPILE" -D SPILE_RING_SIZE=4096 -c "$busy" -e "
		probe kernel.trace(\"raw_syscalls:sys_enter\") { if (pid() == target()) { $flood exit() } }
		probe end { println(\"the end\") }"
	prints '^the end$'
done
# A message that never fits.
expect 1 timeout 20 "$SPILE" -D SPILE_RING_SIZE=4096 -D MAXSTRINGLEN=8192 -c "$busy" -e '
	global text
	probe kernel.trace("raw_syscalls:sys_enter") { if (pid() != target()) next; text .= execname() error(text) }
	probe error { println("the error") }'
prints '^the error$'
says '^ERROR: the message of a run-time error was lost: the ring buffer was full$'
