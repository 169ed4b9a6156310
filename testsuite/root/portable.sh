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

# Bit-fields, elements of arrays of structures, sizes: as a script that is compiled for this kernel has them.
cat >values.stp <<'S'
probe kernel.trace("sched:sched_process_fork")
{
	if ($parent->signal->rlim[7]->rlim_cur != 123 || !$parent->sched_reset_on_fork) next
	i = 7
	printf("%d %d %d %d %d\n", $parent->sched_reset_on_fork, $parent->signal->rlim[i]->rlim_cur,
	       $parent->in_execve, &@cast(0, "task_struct", "kernel")[1], &@cast(0, "task_struct", "kernel")[i])
	exit()
}
probe timer.s(60) { println("never") exit() }
S
compile values.stp
says '^  the compiled script runs on other kernels with BTF, too$'
grep -qa 'struct task_struct\.sched_reset_on_fork:1:' x.spo && grep -qa 'struct rlimit\.:0:16' x.spo || fail "not looked up"
mv x.spo other.spo
expect 0 "$SPILE" -p4 -o x.spo values.stp
(ulimit -n 123; while sleep 0.1; do chrt -R -o 0 sh -c '/bin/true; /bin/true'; done) &
forks=$!
"$SPILE_RUN" x.spo >native 2>err
status=$?
[ $status != 0 ] || "$SPILE_RUN" other.spo >out 2>>err
kill $forks
case $status in
0) prints '^1 123 0 [0-9]+ [0-9]+$'; is "$(cat native)" ;;
3) grep -q 'lockdown' err || fail "refused" ;;
*) fail "status $status" ;;
esac

# A field of an event's record is read where it was: it must be there in this kernel, too.
compile -e 'probe kernel.trace("sched:sched_process_exec") { if ($pid == target()) println(kernel_string($filename), " ", $old_pid == $pid) }'
says '^  the compiled script runs on other kernels with BTF, too$'
grep -qa 'struct trace_event_raw_sched_process_exec\.__data_loc_filename:4:8' x.spo || fail "not looked up"
expect 0 "$SPILE_RUN" -c /bin/true x.spo
is '/bin/true 1'
sed -i 's/sched_process_exec\.pid:4:12/sched_process_exec.pid:4:16/' x.spo
expect 4 "$SPILE_RUN" -c /bin/true x.spo
says '^ERROR: `pid` of struct trace_event_raw_sched_process_exec is at 12 in this kernel and at 16 in the one that the script was compiled for; compile it again$'

# All functions that share a handler are looked up, and addr() is asked of the kernel.
compile -e 'probe kernel.function("vfs_*ad"), kernel.function("vfs_*te") { if (@defined($count)) println($count, " ", addr()) }'
says '^  the compiled script runs on other kernels with BTF, too$'
grep -qa 'vfs_read(file,buf,count,pos)' x.spo && grep -qa 'vfs_write(file,buf,count,pos)' x.spo || fail "not looked up"

# A local variable is where it is in one kernel's code.
compile -e 'probe kernel.statement("vfs_read@fs/read_write.c:+6") { println($count) exit() }'
says '^  the compiled script runs on kernel .* alone: kernel\.statement\(.*\) at <input>:1:1$'
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
