# SPDX-License-Identifier: GPL-2.0-or-later
# The probe family vm: each alias fires, and their variables tell what testsuite/progs/memory.c has done.
. "$SUITE/lib.sh"

family 'vm\.'
cat >values.stp <<'S'
function mine(at) { return (pid() == target() || ppid() == target()) && at >= 0x7100000000 && at < 0x7100100000 }
probe vm.pagefault { if (mine(address)) printf("%s %d %s\n", name, (address - 0x7100000000) / 4096, write_access ? "writes" : "reads") }
probe vm.pagefault.return { if (pid() == target() && mine(@entry($address))) println(vm_fault_contains(fault_type, VM_FAULT_MINOR)) }
probe vm.write_shared { if (mine(address)) printf("%s %d\n", name, (address - 0x7100000000) / 4096) }
probe vm.write_shared_copy { if (mine(address)) printf("%s %d zero %d\n", name, (address - 0x7100000000) / 4096, zero) }
probe vm.mmap, vm.munmap { if (mine(address)) printf("%s %d\n", name, length) }
probe vm.brk { if (pid() == target() && length == 12 * 4096) printf("%s %d\n", name, length) }
S
cat >oom.stp <<'S'
probe vm.oom_kill { printf("%s %s %d\n", name, task_execname(task), task_pid(task) == pid()) exit() }
S
# What the kernel takes for a pipe, and gives back.
cat >pipes.stp <<'S'
global pipes
probe vm.kmalloc { if (pid() == target() && symname(call_site) == "alloc_pipe_info") { pipes[ptr] = 1 printf("%s %d %d %s\n", name, bytes_req > 0, bytes_alloc >= bytes_req, gfp_flag_name) println(caller_function) } }
probe vm.kfree { if (ptr in pipes) { delete pipes[ptr] println(caller_function) } }
S
compile -- values.stp
compile -- oom.stp
compile -- pipes.stp
compiled

# A group with too little memory for what runs in it.
mkdir -p group && mount -t cgroup2 none group && echo +memory >group/cgroup.subtree_control && mkdir group/small_vm &&
	echo 4M >group/small_vm/memory.max || skip "there are no memory groups"
trap "rmdir group/small_vm; umount group" EXIT
# Events on a processor take memory of its node.
echo 'global n probe timer.profile { n <<< 1 }' >profile.stp
cat >work.sh <<S
$PROGS/memory
$SPILE -T 1 profile.stp >/dev/null
sh -c 'echo \$\$ >group/small_vm/cgroup.procs; exec $PROGS/memory eat'
true
S
family_fires "bash work.sh"

made 0 -c "exec $PROGS/memory" -- values.stp
quiet
sort out >sorted
diff - sorted <<'S' || fail "wrong values"
1
1
1
brk 49152
mmap 20480
munmap 20480
pagefault 0 reads
pagefault 0 writes
pagefault 1 writes
pagefault 1 writes
write_shared 0
write_shared 1
write_shared_copy 0 zero 1
write_shared_copy 1 zero 0
S
made 0 -c "bash work.sh" -- oom.stp
is 'oom_kill memory 1'

made 0 -c "exec bash -c 'true | true'" -- pipes.stp
prints '^kmalloc 1 1 GFP_KERNEL\|(ZERO\|)?ACCOUNT$'
prints '^alloc_pipe_info$'
prints '^free_pipe_info$'
