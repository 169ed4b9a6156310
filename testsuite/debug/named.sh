# SPDX-License-Identifier: GPL-2.0-or-later
# Entries of 16 kernel functions and more, named one by one, are attached in one call; returns are not, nor several handlers of fewer functions.
. "$SUITE/lib.sh"
for vmlinux in /usr/lib/debug/boot/vmlinux-*; do
	release=${vmlinux##*/vmlinux-}
	[ -e "$vmlinux" ] && nm "$vmlinux" | grep -q ' T ksys_read$' && break
	release=
done
[ -n "$release" ] || skip "no kernel with debug information is installed"
hooks() { expect 0 "$SPILE" -v -p3 -r "$release" "$@" named.stp; }
names=(read write readv writev open statx getattr link unlink rename mkdir rmdir symlink mknod truncate)
printf 'probe kernel.function("vfs_%s").call { exit() }\n' "${names[@]}" "${names[@]}" >named.stp
hooks
[ "$(grep -cE '^  kernel.*: fentry: BTF knows vfs_' err)" = 30 ] || fail "not 30 trampolines: $(grep '^  ' err)"
echo 'probe kernel.function("vfs_fsync").call, kernel.function("vfs_fsync").return { exit() }' >>named.stp
hooks
[ "$(grep -cE '^  kernel.*: kprobe: 16 functions are attached in one call$' err)" = 31 ] || fail "no link: $(grep '^  ' err)"
says '^  kernel\.function\("vfs_fsync@fs/sync\.c:[0-9]+"\)\.return: fexit: BTF knows vfs_fsync$'
