# SPDX-License-Identifier: GPL-2.0-or-later
# A condition of a handler outside of the kernel, of a text that one in the kernel sets meanwhile: it is always one of two.
. "$SUITE/lib.sh"
a=$(printf 'a%.0s' {1..100}) b=$(printf 'b%.0s' {1..100})
cat >torn.stp <<S
global text = "$a", n, torn, ticks
probe syscall.read { if (n++ & 1) text = "$a"; else text = "$b" }
probe timer.ms(20) {
	for (i = 0; i < 3000; i++)
		if (text != "$a" && text != "$b") {
			torn++
			log("torn")
		}
	if (++ticks == 20)
		exit()
}
probe end { println(torn, " ", n > 1000) }
S
expect 0 timeout 60 "$SPILE" -w -D MAXACTION_INTERRUPTIBLE=10000000 -c 'exec dd if=/dev/zero of=/dev/null bs=1 count=3000000 2>/dev/null' torn.stp
is '0 1'
