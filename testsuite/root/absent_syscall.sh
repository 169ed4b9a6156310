# SPDX-License-Identifier: GPL-2.0-or-later
# Where a system call is made, the memory that it is given may be on no page yet; when it returns, the kernel has fetched it.
. "$SUITE/lib.sh"
cat >opens.c <<'C'
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	int fd = open("name", O_RDONLY);

	return syscall(SYS_openat, AT_FDCWD, mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0), O_RDONLY) >= 0;
}
C
gcc -O1 -o opens opens.c || fail gcc
printf %s "$TMP/nothing" >name
for point in 'kernel.trace("syscalls:sys_enter_openat")' syscall.openat; do
	expect 1 "$SPILE" -c ./opens -e "probe $point { if (pid() == target()) println(user_string(\$filename)) }"
	says '^WARNING: no memory there could be read, which ended the script: the call.s \.return probe can read it at @entry\(address\), user_string2\(address, text\) gives that text instead, try '
done
for name in '$filename' '@entry($filename)'; do
	expect 0 "$SPILE" -c ./opens -e "probe syscall.openat.return { if (pid() == target()) println(user_string($name)) }"
	[ "$(tail -n 1 out)" = "$TMP/nothing" ] || fail "$name in .return"
done
expect 0 "$SPILE" -c ./opens -e 'probe syscall.openat { if (pid() == target()) println(user_string_nofault($filename)) }'
[ -z "$(tail -n 1 out)" ] || fail "it was there"
says '^WARNING: 2 strings of kernel\.syscall\("openat"\) and 1 other point were left empty \(nothing could be read at its address\)$' # "name", and what it has
