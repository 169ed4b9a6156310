# SPDX-License-Identifier: GPL-2.0-or-later
# Files that the system cannot read in their middle (EIO), as on a disk with a bad sector: what is missing then is told, once, and no half of a
# file is taken for the whole.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers come before what is preloaded"
# UNREAD: the end of the path of a file, which libelf cannot read from byte FROM on.
gcc -O1 -shared -fPIC -o unread.so -x c - <<'C' || fail gcc
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((constructor)) static void begin(void)
{
	unsetenv("LD_PRELOAD");
}
ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	const char *end = getenv("UNREAD");
	char path[32], link[4096] = "";
	size_t len;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (end && at >= atol(getenv("FROM")) && readlink(path, link, sizeof(link) - 1) > 0 && (len = strlen(link)) >= strlen(end) &&
	    !strcmp(link + len - strlen(end), end)) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pread64, fd, buf, n, at);
}
C
cat >prog.c <<'C'
__attribute__((noinline)) int inner(int x) { __asm__ volatile(""); return x + 1; }
__attribute__((noinline)) int outer(int x) { __asm__ volatile(""); return inner(x) + 1; }
int main(void) { return outer(1) - 3; }
C
gcc -g -O1 -fomit-frame-pointer -fcf-protection=none -o prog prog.c || fail gcc
script="probe process(\"$TMP/prog\").function(\"inner\") {
	print(usymname(uaddr()), \" \")
	try { println(usymname(ustack(2))) } catch { println(\"none\") }
}"
expect 0 "$SPILE" -p4 -o calls.spo -e "$script"
expect 0 "$SPILE_RUN" --engine=$ENGINE -c ./prog calls.spo
is "inner main"
quiet
# unread FILE FROM NAMES WHAT: what is printed, and said.
unread()
{
	expect 0 env LD_PRELOAD=./unread.so UNREAD="$1" FROM=$2 "$SPILE_RUN" --engine=$ENGINE -c ./prog calls.spo
	prints "^$3\$"
	says "^WARNING: $4: cannot read /.*: Input/output error\$"
}
names="names of addresses, or frames of stacks, may be missing"
# section NAME: where it begins in the file.
section() { echo $((16#$(readelf -SW prog | sed -nE "s/.* \\$1 +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) .*/\\1/p"))); }
unread /prog $(section .symtab) "0x[0-9a-f]+ none" "$names"

# The rc file: options that come later are not left out. The memory of a process has nothing at address 0.
mkdir rc
ln -s /proc/self/mem rc/rc
expect 2 env SYSTEMTAP_DIR=rc "$SPILE" -e 'probe begin { exit() }'
says '^spile: cannot read rc/rc: Input/output error$'

# The source of a program.
mkdir source
ln -s /proc/self/mem source/prog.c
expect 1 "$SPILE" --source=source -p2 -e "probe process(\"$TMP/prog\").statement(\"outer@prog.c;return*\") { exit() }"
says '^    note: the source file source/prog.c is no file that can be read$'
