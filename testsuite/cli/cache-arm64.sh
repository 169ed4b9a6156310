# SPDX-License-Identifier: GPL-2.0-or-later
# The probe cache for aarch64: a program and a kernel answer and compile the same from it, where no debug information of them is; of the
# kernel, not even the kernel.
. "$SUITE/lib.sh"
unset XDG_CACHE_HOME DEBUGINFOD_URLS
mkdir home
export HOME=$TMP/home
arm="clang --target=aarch64-linux-gnu -g -O2 -ffreestanding -nostdlib -fuse-ld=lld -Wl,--build-id=sha1"
cat >prog.c <<'C'
struct inner { short small; unsigned char bytes[4]; };
struct outer { const char *name; struct inner in; struct outer *next; };
__attribute__((noinline)) int first(struct outer *o, int n) { return o->in.small + n; }
void _start(void) { struct outer o = { "top", { 2, "xyz" }, 0 }; for (;;) first(&o, 3); }
C
cat >kernel.c <<'C'
struct file { long pos; const char *name; };
__attribute__((noinline)) long vfs_read(struct file *file, char *buf, unsigned long count) { return file->pos + *buf + (long)count; }
int _stext(void) { struct file f = { 1, "x" }; return (int)vfs_read(&f, (char *)&f, 3); }
C
$arm -o prog prog.c 2>/dev/null && $arm -Wl,-e,_stext -o vmlinux-6.1.0-arm kernel.c 2>/dev/null || skip "clang and lld make no programs for aarch64"
id=$(readelf -n vmlinux-6.1.0-arm | sed -n 's/.*Build ID: //p')
printf 'spile-target 1\narch aarch64\nrelease 6.1.0-arm\nbuild-id %s\ncpus 2\n' "$id" >box.target
user='process("./prog").function("first")' kernel='kernel.function("vfs_read")'
ask() { # OBJECT
	"$SPILE" --no-cache -L "$user" || return
	"$SPILE" --no-cache $kernel_of -L "$kernel" || return
	"$SPILE" --no-cache --target box.target -p4 -o "$1.user.spo" -e "probe $user { printf(\"%d %s\\n\", \$n, \$o->in\$) }" || return
	"$SPILE" --no-cache $kernel_of --target box.target -p4 -o "$1.kernel.spo" -e "probe $kernel { printf(\"%d %d\\n\", \$count, \$file->pos) }"
}
expect 0 "$SPILE" cache add "$user \$o \$n"
expect 0 "$SPILE" cache add -r ./vmlinux-6.1.0-arm "$kernel \$count"
grep -hq ' o=%x0:x64 n=%x1:s32$' home/.debug/.build-id/*/*/probes || fail "perf's cache has not the registers: $(cat home/.debug/.build-id/*/*/probes)"
expect 0 "$SPILE" cache add --all-functions ./prog
expect 0 "$SPILE" cache list
prints "^$id probes of \[kernel.kallsyms\] 6\.1\.0-arm: kernel\.function\(\"vfs_read\"\)"


# perf's probe of that kernel is one of scripts for it, and of no other kernel.
expect 0 "$SPILE" --no-cache -r ./vmlinux-6.1.0-arm -L 'cache.probe("probe:vfs_read")'
prints '\$count:unsigned long'
expect 1 "$SPILE" --no-cache -L 'cache.probe("probe:vfs_read")'
says "perf's cache has it for the build $id of \[kernel\.kallsyms\], and "

kernel_of="-r ./vmlinux-6.1.0-arm" ask with >with 2>&1 || fail "no answers: $(cat with)"
[ "$(grep -cE '\$o:struct outer\* \$n:int|\$count:unsigned long' with)" = 2 ] || fail "other answers: $(cat with)"
objcopy=$(command -v llvm-objcopy llvm-objcopy-14 | head -n 1)
${objcopy:-llvm-objcopy} --strip-all prog || skip "no llvm-objcopy"
kernel_of="-r 6.1.0-arm"
HOME=$TMP/empty ask none >none 2>&1 && fail "it does without the cache"
rm vmlinux-6.1.0-arm
ask without >without 2>&1 || fail "no answers from the cache: $(cat without)"
diff <(sed s/with/X/ with) <(sed s/without/X/ without) || fail "other answers from the cache"
cmp with.user.spo without.user.spo || fail "another object for the program"
cmp with.kernel.spo without.kernel.spo || fail "another object for the kernel"
