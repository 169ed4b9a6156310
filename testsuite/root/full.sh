# SPDX-License-Identifier: GPL-2.0-or-later
# exit() and the last error end the run also when the ring buffer has no room for their records.
. "$SUITE/lib.sh"
flood='for (i = 0; i < 900; i++) printf("%d a line that fills the ring buffer sooner than anybody can read it\n", i)'
for i in 1 2 3 4 5; do
	expect 0 timeout 20 "$SPILE" -D SPILE_RING_SIZE=4096 -e "
		probe kernel.trace(\"raw_syscalls:sys_enter\") { $flood exit() }
		probe end { println(\"the end\") }"
	prints '^the end$'
done
# A message that never fits.
expect 1 timeout 20 "$SPILE" -D SPILE_RING_SIZE=4096 -D MAXSTRINGLEN=8192 -e '
	global text
	probe kernel.trace("raw_syscalls:sys_enter") { text .= execname() error(text) }
	probe error { println("the error") }'
prints '^the error$'
says '^ERROR: the message of a run-time error was lost: the ring buffer was full$'
