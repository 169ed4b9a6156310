# SPDX-License-Identifier: GPL-2.0-or-later
# A kernel without debug information but its BTF, as most distributions have it.
. "$SUITE/lib.sh"
[ -n "${HIDDEN:-}" ] || exec unshare -m env HIDDEN=1 bash "$0"
release=$(uname -r)
mount -t tmpfs none /usr/lib/debug || fail "debug information cannot be hidden"

expect 0 "$SPILE" -L 'kernel.function("vfs_read")'
is 'kernel.function("vfs_read") $file:struct file* $buf:char* $count:size_t $pos:loff_t*'
expect 0 "$SPILE" -L 'kernel.function("vfs_read").return'
is 'kernel.function("vfs_read").return $return:ssize_t $file:struct file* $buf:char* $count:size_t $pos:loff_t*'

head -c 54321 /dev/zero >known_file
cat >probe.stp <<'S'
probe kernel.function("vfs_read")
{
  if (pid() != target() || $count != 777) next
  printf("%d at %d of %s, %d bytes\n", $count, $pos[0], kernel_string($file->f_path->dentry->d_name->name), $file->f_inode->i_size)
  println($$parms)
  println($file->f_path->dentry->d_name$$)
  println(@cast(task_current(), "task_struct")->tgid == pid(), " ", @cast(task_current(), "struct task_struct", "kernel")->comm$)
}
probe kernel.function("vfs_rea[d]").return
{
  if (pid() == target() && @entry($count) == 777)
    printf("%s, %d bytes from %d to %d of %s\n", $$return, $return, @entry($pos ? $pos[0] : 0), kernel_long($pos), $file->f_path->dentry->d_name->name$)
}
S
expect 0 "$SPILE" -c "dd if=known_file of=/dev/null bs=777 skip=3 count=1 status=none iflag=skip_bytes" probe.stp
quiet
prints '^777 at 3 of known_file, 54321 bytes$'
prints '^file=0xf[0-9a-f]{15} buf=0x[0-9a-f]+ count=0x309 pos=0xf[0-9a-f]{15}$'
prints '^\{.*\.len=10.*\.name="known_file"\}$'
prints '^1 "dd"$'
prints '^return=0x309, 777 bytes from 3 to 780 of "known_file"$'

# A function whose parameters gcc has changed is in no BTF: its symbol is enough for what needs no variables by name.
expect 0 "$SPILE" -l 'kprobe.function("finish_task_switch*")'
is 'kprobe.function("finish_task_switch.isra.0")'
expect 0 "$SPILE" -c "sleep 0.1" -e 'global n probe scheduler.cpu_on { if (execname() == "sleep" && task_prev) n++ } probe end { println(n > 0) }'
quiet
is 1

# What DWARF alone has is named, and how to get it.
missing() # WHAT POINT
{
	expect 1 "$SPILE" -p2 -e "probe $2 { println(1) }"
	says "^    note: DWARF alone tells $1: no debug information for kernel ${release//[.+]/.} \(.*\); install linux-image-.*-dbg, or set DEBUGINFOD_URLS "
	expect 0 "$SPILE" -p2 -e "probe $2? { println(1) } probe begin { println(2) }"
}
missing 'source files and lines' 'kernel.function("vfs_read@fs/read_write.c")'
missing 'source files and lines' 'kernel.statement("vfs_read@fs/read_write.c:450")'
missing 'inlined instances' 'kernel.function("vfs_read").inline'
missing 'which functions are exported' 'kernel.function("vfs_read").exported'
missing labels 'kernel.function("vfs_read").label("x")'
missing calls 'kernel.function("vfs_read").callee("rw_verify_area")'
expect 1 "$SPILE" -p2 -e 'probe kernel.function("vfs_read") { println($$locals) }'
says '^semantic error: \$\$locals needs debug information \(DWARF\), which kernel does not have \[E506\]$'
says '^    hint: no debug information for kernel '
expect 1 "$SPILE" -p2 -e 'probe kernel.function("vfs_read") { println($ret) }'
says '^    note: only parameters are known without DWARF: no debug information for kernel '

# Modules have their own: what the kernel's lacks. The guest's root is of the file system overlay.
grep -q '^overlay ' /proc/modules || skip "the module overlay is not loaded"
expect 0 "$SPILE" -L 'module("overlay").function("ovl_open")'
is 'module("overlay").function("ovl_open") $inode:struct inode* $file:struct file*'
expect 0 "$SPILE" -c "dd if=known_file of=/dev/null bs=777 count=1 status=none" -e '
probe module("overlay").function("ovl_open") {
  if (pid() == target() && kernel_string($file->f_path->dentry->d_name->name) == "known_file") println($inode->i_size)
}'
is 54321

# Nobody answers, but who asks is made.
modprobe nfsv4 || skip "there is no module nfsv4"
ip link set lo up
mkdir -p mnt
cat >probe.stp <<'S'
probe kernel.trace("xprt_create") { println(kernel_string($xprt->servername)) }
probe kernel.trace("sunrpc:xprt_create*") { println(pp()) exit() }
S
expect 0 "$SPILE" -L 'kernel.trace("xprt_create")'
prints '^kernel\.trace\("sunrpc:xprt_create"\) \$xprt:struct rpc_xprt const\* \$state:long unsigned int .*\$addr:char\[\] \$port:char\[\]$'
expect 0 "$SPILE" -c "mount -i -t nfs4 -o addr=127.0.0.1,clientaddr=127.0.0.1,soft,timeo=5,retrans=1 nobody.here:/ mnt" probe.stp
prints '^nobody\.here$'
prints '^kernel\.trace\("sunrpc:xprt_create"\)$'
