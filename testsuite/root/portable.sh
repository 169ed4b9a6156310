# SPDX-License-Identifier: GPL-2.0-or-later
# A script that was compiled for another kernel finds its structures in this one's BTF; what holds for one kernel alone is
# refused, and what this kernel does not have is named.
. "$SUITE/lib.sh"
[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no BTF"
other=
for release in 6.1.0-56-cloud-amd64 $(ls /usr/lib/debug/boot 2>/dev/null | sed -n 's/^vmlinux-//p'); do
	[ "$release" = "$(uname -r)" ] || [ ! -e "/usr/lib/debug/boot/vmlinux-$release" ] || other=$release
done
[ -n "$other" ] || skip "no debug information of another kernel in /usr/lib/debug/boot"

compile() { expect 0 "$SPILE" -r "$other" -p4 -o x.spo -v "$@"; }

# A process's members and a tracepoint's arguments: wherever programs are taken.
compile -e 'probe kernel.trace("sched:sched_process_fork") { if ($parent->tgid == pid()) { println(ppid() > 0) exit() } }
	probe timer.s(60) { println("never") exit() }'
says '^  the compiled script runs on other kernels with BTF, too$'
(while sleep 0.1; do /bin/true; done) &
forks=$!
"$SPILE_RUN" x.spo >out 2>err
status=$?
kill $forks
case $status in
0) is 1 ;;
3) grep -q 'lockdown' err || fail "refused" ;; # no reads of the kernel's memory
*) fail "status $status" ;;
esac

# A local variable is where it is in one kernel's code.
compile -e 'probe kernel.statement("vfs_read@fs/read_write.c:+6") { println($count) exit() }'
says '^  the compiled script runs on kernel .* alone: kernel\.statement\('
expect 4 "$SPILE_RUN" x.spo
says 'made for kernel'

# What another kernel does not have.
expect 0 "$SPILE" -r "$other" -p4 -o x.spo -e 'probe kernel.function("vfs_read") { println($file->f_inode->i_ino) exit() }'
sed -i 's/struct inode\.i_ino:/struct inode.i_inx:/' x.spo
expect 4 "$SPILE_RUN" x.spo
says '^ERROR: struct inode of this kernel has no member `i_inx`, which the script reads$'
sed -i 's/struct inode\.i_inx:8:/struct inode.i_ino:4:/' x.spo
expect 4 "$SPILE_RUN" x.spo
says '^ERROR: `i_ino` of struct inode has 8 bytes in this kernel and 4 in the one that the script was compiled for; compile it again$'
sed -i 's/vfs_read(file,buf,/vfs_read(filx,buf,/; s/struct inode\.i_ino:4:/struct inode.i_ino:8:/' x.spo
expect 4 "$SPILE_RUN" x.spo
says '^ERROR: the script was compiled for a kernel with vfs_read\(filx,buf,count,pos\), and this one has vfs_read\(file,buf,count,pos\); compile it again$'
