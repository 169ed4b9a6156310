# SPDX-License-Identifier: GPL-2.0-or-later
# The stack begins with the probed function, whichever hook it would have without; its names are values, too. At a return it tells
# which function returns, and begins with where to; the program's stack then does not.
cat >read.stp <<'STP'
global callers
probe kernel.function("vfs_read")
{
	if (pid() != target())
		next
	print_backtrace()
	printf("%s|%s|%s\n", symname(stack(0)), symname(caller_addr()), symdata(stack(0)))
	print_syms(callers(1))
	callers[symname(caller_addr())]++
	printf("%d\n", caller() == sprintf("%s 0x%x", symname(stack(1)), stack(1)))
	exit()
}
probe end { foreach (name in callers) println(name, " ", callers[name]) }
STP
"$SPILE" -c 'head -c 1 /etc/passwd >/dev/null' read.stp >out 2>err || { cat err; exit 1; }
cat out err
head -n 2 out | sed -E 's/ 0xf+[0-9a-f]+ : ([a-z_]+)\+0x[0-9a-f]+\/0x[0-9a-f]+ \[kernel\]/\1/' >first
printf 'vfs_read\nksys_read\n' | diff - first &&
	grep -qE '^vfs_read\|ksys_read\|vfs_read\+0x0/0x[0-9a-f]+ \[kernel\]$' out &&
	[ "$(grep -c ' : vfs_read+0x0/' out)" = 2 ] && grep -qx 1 out && grep -qx 'ksys_read 1' out || exit 1
cat >returns.stp <<'STP'
probe kernel.function("vfs_read").return { if (pid() == target()) { print_backtrace() print_ubacktrace() exit() } }
STP
"$SPILE" -c 'head -c 1 /etc/passwd >/dev/null' returns.stp >out 2>err || { cat err; exit 1; }
cat out err
head -n 2 out | sed -E 's/ 0xf+[0-9a-f]+ : ([a-z_]+)\+(0x[0-9a-f]+)\/0x[0-9a-f]+ \[kernel\]/\1+\2/; s/^(Returning to .*)\+0x.*/\1+N/' >first
printf 'Returning from: vfs_read+0x0\nReturning to  :ksys_read+N\n' | diff - first &&
	[ "$(grep -c '^Returning from' out)" = 1 ] && grep -qE '^ 0x7f[0-9a-f]+ : ' out
