# SPDX-License-Identifier: GPL-2.0-or-later
# name(argstr) = retstr of 200 calls with known arguments (progs/lines.c) are the lines of strace 6.1, which strace.lines has:
#
#   strace -o lines progs/lines; sed -n '/^close(1000)/,/^close(1001)/p' lines
#
# What differs: names of errors have no explanation behind them and the number before them; NULL without a decoder is 0x0; the
# library's names of calls without the kernel's digits; WUNTRACED is WSTOPPED; what a call fills in, and what a result means, is
# not told; a host's name that is too long is shown; an enumerator of syslog() has its number.
. "$SUITE/lib.sh"

plain()
{
	sed -n '/^close(1000)/,/^close(1001)/p' | sed -E '
		s/= -1 (E[A-Z0-9]+) \(.*\)$/= \1/; s/= -[0-9]+ \((E[A-Z0-9]+)\)$/= \1/; s/\b0x0\b/NULL/g; s/ += /= /
		s/^newfstatat/fstatat/; s/^getdents64/getdents/; s/^(pread|pwrite)64/\1/; s/^umount2/umount/; s/^getppid\(\)= .*/getppid()= PID/
		s/WUNTRACED/WSTOPPED/; s/(= [0-9]+) \(.*\)$/\1/; s/^sethostname\([^,]*/sethostname(NAME/
		s,[0-9]+ /\* (SYSLOG_ACTION_READ) \*/,\1,'
}

[ "$(uname -m)" = x86_64 ] || skip "the calls are those of x86_64"
# Code for all of these calls takes minutes in an emulated guest, which therefore looks at some of each sort.
some='openat|close|lseek|fcntl|mkdirat|socket|bind|sendto|futex|nanosleep|kill|wait4|mmap|mount|pipe2'
[ "$(uname -n)" = guest ] || some='.*'
plain <"$SUITE/root/strace.lines" | grep -E "^($some)\(" >expected
aliases=$(sed -E 's/\(.*//; s/^(eventfd|pipe)2$/\1/' expected | sort -u)
entries=$(printf 'syscall.%s, ' $aliases) returns=$(printf 'syscall.%s.return, ' $aliases)
echo "global args
probe ${entries%, } { if (pid() == target()) args[tid()] = argstr }
probe ${returns%, } {
	if (tid() in args) {
		printf(\"%s(%s) = %s\\n\", name, args[tid()], retstr)
		delete args[tid()]
	}
}" >lines.stp
expect 0 timeout 200 "$SPILE" -D MAXSTRINGLEN=512 -c "$PROGS/lines" lines.stp
plain <out | grep -E "^($some)\(" >actual
diff -u expected actual
