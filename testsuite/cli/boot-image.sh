# SPDX-License-Identifier: GPL-2.0-or-later
# -r of a kernel that is installed without debug information: the BTF in its boot image takes the place, as that of the running one does.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "boot images of x86"
[ -r /sys/kernel/btf/vmlinux ] || skip "the running kernel has no BTF"
unset XDG_CACHE_HOME DEBUGINFOD_URLS
release=5.99.0-none
mkdir -p root/boot root/lib/modules/$release
image=root/boot/vmlinuz-$release
# make_image PAYLOAD...: a boot image with that, and the size of what is compressed in it.
make_image() {
	python3 - "$image" kernel "$@" <<'P'
import os, struct, sys
payload, size = open(sys.argv[3], 'rb').read(), os.path.getsize(sys.argv[2])
payload += b'' if sys.argv[3].endswith('.gz') else struct.pack('<I', size)
header = bytearray(1024)
header[0x1f1] = 1
header[0x202:0x208] = b'HdrS\x0f\x02'
struct.pack_into('<II', header, 0x248, 0, len(payload))
open(sys.argv[1], 'wb').write(header + payload)
P
}
${CC:-gcc} -nostdlib -static -Wl,--build-id -o kernel -x c - <<<'void _start(void) { }' 2>cc || skip "no compiler"
objcopy --add-section .BTF=/sys/kernel/btf/vmlinux --set-section-flags .BTF=alloc,readonly kernel 2>/dev/null || skip "no objcopy"
strip kernel
gzip -k -1 kernel
f='kernel.function("vfs_read")'
look() { expect "$1" "$SPILE" --no-cache --sysroot="$TMP/root" -r $release -L "$f"; }
n=0
for command in 'gzip -k -1' 'xz -k -0 --check=crc32' 'lz4 -l -q' 'zstd -q -1'; do
	command -v ${command%% *} >/dev/null || continue
	rm -f kernel.*
	$command kernel || fail "$command"
	make_image kernel.*
	look 0
	prints '^kernel\.function\("vfs_read"\) \$file:struct file\* \$buf:char\* \$count:size_t \$pos:loff_t\*$'
	quiet
	n=$((n + 1))
done
[ $n -gt 0 ] || skip "no program that compresses"
# Kernels that are installed here, and modules of them, which are compressed by some distributions.
unshare -rm true 2>/dev/null && for boot in /boot/vmlinuz-*; do
	installed=${boot#/boot/vmlinuz-}
	set -- /lib/modules/$installed/kernel/fs/overlayfs/overlay.ko*
	[ -e "$boot" ] && [ -e "$1" ] || continue
	expect 0 unshare -rm bash -c '[ ! -d /usr/lib/debug ] || mount -t tmpfs none /usr/lib/debug && exec "$@"' - \
		"$SPILE" --no-cache -r $installed -L 'module("overlay").function("ovl_open")'
	is 'module("overlay").function("ovl_open") $inode:struct inode* $file:struct file*'
	quiet
done

expect 0 "$SPILE" --no-cache -r "$TMP/$image" -L "$f.return"
prints '^kernel\.function\("vfs_read"\)\.return \$return:ssize_t '
expect 0 "$SPILE" --no-cache --sysroot="$TMP/root" -r $release -p4 -o x.spo -e "probe $f { println(kernel_string(\$file->f_path->dentry->d_name->name)) }"
expect 1 "$SPILE" --no-cache --sysroot="$TMP/root" -r $release -L 'kernel.statement("vfs_read@*:*")'
says "no debug information for kernel $release \\(looked at $TMP/$image, .*\\); "

# What is wrong with an image is told, and it is not used.
refused() { # WHY
	look 1
	says "^WARNING: $TMP/$image: what is in it $1\$"
}
gzip -fk -1 kernel
head -c 100000 kernel.gz >cut.gz && printf '\0\0\1\0' >>cut.gz
make_image cut.gz
refused 'cannot be decompressed \(gzip\)'
printf 'BZh91AY&SY1234567890' >kernel.bz2
make_image kernel.bz2
refused 'is compressed by bzip2, which is not supported'
printf 'nothing of this sort' >kernel.none
make_image kernel.none
refused 'is compressed by an unknown program, which is not supported'
echo text >$image
look 1
says "^WARNING: $TMP/$image is not a boot image of x86\$"
strip -R .BTF -o bare kernel && mv bare kernel && gzip -fk kernel && make_image kernel.gz
look 1
says "looked at .*$TMP/$image \\(which has no BTF\\)"
