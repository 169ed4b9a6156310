# SPDX-License-Identifier: GPL-2.0-or-later
# Parameters and results that fentry and fexit have in their context, and that the verifier knows no type for: pointers to
# pointers, to functions and to enumerations.
. "$SUITE/lib.sh"
# argv of the program that the kernel runs when a device has no driver.
echo 'mknod device c 60 7; cat device 2>/dev/null; sleep 1' >open.sh
cat >argv.stp <<'S'
probe kernel.function("kernel_execve") {
	println(kernel_string($kernel_filename), " ", kernel_string($argv[0]), " ", kernel_string($argv[1]), " ", $argv == &$argv[0])
	exit()
}
S
expect 0 "$SPILE" -v -c 'sh open.sh' argv.stp
says '^probe kernel\.function\("kernel_execve@fs/exec\.c:[0-9]+"\): fentry: '
prints '^(/[a-z/]+/modprobe) \1 -q 1$'
# A function: attaching changes code on all processors, and is seen by others only.
cat >call.stp <<'S'
global name
probe kernel.function("smp_call_function_single") { name = symname($func) }
probe kernel.function("on_each_cpu_cond_mask") { name = symname($func) }
probe end { println(name != "") }
S
expect 0 "$SPILE" -p4 call.stp
echo 'global n probe kernel.function("vfs_fsync") { n <<< 1 }' >other.stp
expect 0 "$SPILE" -c "$SPILE -T 1 other.stp >/dev/null" call.stp
is 1
# What a security hook gives back through a pointer to a pointer, unless the kernel asks nobody there.
[ -e /sys/kernel/security/lsm ] || mount -t securityfs securityfs /sys/kernel/security
grep -qw bpf /sys/kernel/security/lsm || exit 0
"$SPILE" -T 1 -e 'probe lsm.inode_getsecurity { println($buffer) }' >out 2>err && exit 0
[ $? = 3 ] || fail "it is neither asked nor told that it is not"
says '^ERROR: the kernel refused the handler of lsm\.inode_getsecurity: the kernel has this security hook, and asks no BPF programs there '
