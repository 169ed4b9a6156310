# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts that are compiled here for aarch64 run in an arm64 guest, with the spile-run that was cross-compiled for it: its kernel's
# functions and tracepoints by BTF, then what DWARF knows of them, and a program's variables by DWARF.
. "$SUITE/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can make the device files of the guest's file system"
files=$BUILD/arm64
[ -x "$files/build/spile-run-static" ] || fail "make check-vm-arm64 builds what this needs"
command -v qemu-system-aarch64 >/dev/null || skip "qemu-system-aarch64 is not installed (Debian: qemu-system-arm)"
export CC="$files/cross/usr/bin/aarch64-linux-gnu-gcc-12 -B$files/tools --sysroot=$files/sysroot"
guest() { "$TOP/testsuite/vm/run-in-initramfs" aarch64 "$files/vmlinuz" "$files/build/spile-run-static" "$@"; }
file "$files/build/spile-run" | grep -q 'ELF 64-bit LSB.*aarch64' || fail "spile-run is not of aarch64"

expect 0 guest --describe
prints '^arch aarch64$'
prints '^features .* kprobe .*ringbuf'
cp out box.target
vmlinux=$(ls "$files"/vmlinux-*)

cat >kernel.stp <<'S'
global switches, writes
probe kernel.trace("sched:sched_switch") { switches++ }
probe kernel.function("ksys_write") { writes += $count > 0 }
probe kernel.function("ksys_write").return { println("of ", execname(), ": ", $return > 0) exit() }
probe timer.ms(100) { println("tick") }
probe end { println(switches > 0, " ", writes > 0) }
S
expect 0 "$SPILE" -p4 -o kernel.spo -r "$vmlinux" --target box.target kernel.stp
expect 4 "$SPILE_RUN" kernel.spo
expect 0 guest kernel.spo
prints '^tick$'
prints '^of spile-run: 1$'
prints '^1 1$'

# By DWARF: functions begin at their symbols, where return probes are allowed, and their callers are known there.
cat >reader.c <<'S'
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
	char text[8];
	int fd = open("/proc/self/comm", O_RDONLY), child = 0, parent = 0;
	if (pread(fd, text, 5, 1) != 5)
		return 1;
	syscall(SYS_clone, 1 << 16, 0, &parent, 51, &child); // CLONE_THREAD, without what it needs
	return 0;
}
S
$CC -static -O2 -o reader reader.c || fail "reader.c does not compile"
cat >dwarf.stp <<'S'
probe kernel.function("vfs_read") {
  if (execname() != "reader" || $count != 5) next
  printf("%s %d\n", kernel_string($file->f_path->dentry->d_name->name), $count)
  print_backtrace()
}
probe kernel.function("vfs_read").return {
  if (execname() != "reader" || $count != 5) next
  printf("= %d\n", $return)
  print_backtrace()
}
probe kernel.function("rw_verify_area").call { if (execname() == "reader" && $count == 5) println("verify ", $read_write, " ", caller()) }
probe syscall.clone { if (execname() == "reader") printf("%s tls=%d\n", argstr, tls) }
S
expect 0 "$SPILE" -p4 -o dwarf.spo -r "$files/debug/${vmlinux##*/}" --target box.target dwarf.stp
expect 0 guest --engine=kernel dwarf.spo -c "$PWD/reader"
prints '^comm 5$'
prints 'vfs_read\+0x0/.*\[kernel\]$'
prints 'ksys_pread64\+0x'
prints '^= 5$'
prints 'Returning to *: 0x[0-9a-f]* : ksys_pread64\+'
prints '^verify 0 vfs_read 0x'
prints '^child_stack=0x0, flags=CLONE_THREAD, parent_tid=(0x[0-9a-f]*), child_tid=0x[0-9a-f]{8,} tls=51$'

# A program, by uprobes; ptrace is for x86_64.
cat >prog.c <<'S'
#include <stdio.h>
struct job { int id; const char *name; double weight; };
__attribute__((noinline)) int work(struct job *job, long n) { printf("working\n"); return job->id + (int)n; }
int main(void) { struct job job = { 42, "spile", 1.5 }; return work(&job, 7) != 49; }
S
$CC -static -g -O2 -o prog prog.c || fail "prog.c does not compile"
cat >user.stp <<'S'
probe process("@PROG@").function("work") { printf("%d %s %d\n", $job->id, user_string($job->name), $n) }
probe process("@PROG@").function("work").return { println($return) }
probe process("@PROG@").function("work") { for (i = 0; i < 3; i++) print(usymname(ustack(i)), ";") println("") }
S
sed -i "s,@PROG@,$PWD/prog," user.stp
expect 0 "$SPILE" -p4 -o user.spo -r "$vmlinux" --target box.target user.stp
expect 0 guest --engine=kernel user.spo -c "$PWD/prog"
prints '^42 spile 7$'
prints '^work;main;__libc_start_call_main;$'
prints '^49$'
expect 3 guest --engine=user user.spo -c "$PWD/prog"
prints '^ERROR: the user engine does not know this processor'
