# SPDX-License-Identifier: GPL-2.0-or-later
# Output that nobody reads, and more of it than is kept: the second Ctrl-C ends the script, also when what the kernel still has is taken.
. "$SUITE/lib.sh"
mkfifo pipe
exec 9<>pipe
dd if=/dev/zero of=/dev/null bs=1 count=4000000000 2>/dev/null & dd=$!
"$SPILE" -v -e 'probe kernel.trace("raw_syscalls:sys_enter") { if (execname() == "dd") printf("%4000d\n", pid()) }' >pipe 2>err & spile=$!
trap 'kill -KILL $dd $spile 2>/dev/null' EXIT
wait_for 60 grep -q '^privileges were given up' err
sleep 2
kill -INT $spile
sleep 2
kill -0 $spile || fail "it did not wait for the reader"
kill -INT $spile
has_ended() { ! kill -0 $spile; }
wait_for 20 has_ended
says '[0-9]+ bytes of output were not written: nobody reads them$'
exit 0
