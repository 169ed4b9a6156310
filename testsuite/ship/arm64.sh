# SPDX-License-Identifier: GPL-2.0-or-later
# Scripts that are compiled here for aarch64 run in an arm64 guest, with the spile-run that was cross-compiled for it: its kernel's
# functions and tracepoints by BTF, and a program's variables by DWARF.
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
S
sed -i "s,@PROG@,$PWD/prog," user.stp
expect 0 "$SPILE" -p4 -o user.spo -r "$vmlinux" --target box.target user.stp
expect 0 guest --engine=kernel user.spo -c "$PWD/prog"
prints '^42 spile 7$'
prints '^49$'
expect 3 guest --engine=user user.spo -c "$PWD/prog"
prints '^ERROR: the user engine does not know this processor'
