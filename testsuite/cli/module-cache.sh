# SPDX-License-Identifier: GPL-2.0-or-later
# The probe cache has functions of kernel modules, too: what is added where debug information is answers the same where it is not.
. "$SUITE/lib.sh"
for debug in /usr/lib/debug/lib/modules/*/kernel/fs/overlayfs/overlay.ko; do
	release=${debug#/usr/lib/debug/lib/modules/} release=${release%%/*}
	module=/lib/modules/$release/kernel/fs/overlayfs/overlay.ko
	[ -e "$debug" ] && [ -e "$module" ] && [ -e "/usr/lib/debug/boot/vmlinux-$release" ] && break
	module=
done
[ -n "$module" ] || skip "no kernel has debug information and a module overlay.ko that is not compressed"
mkdir home
export HOME=$TMP/home
unset XDG_CACHE_HOME DEBUGINFOD_URLS
id=$(readelf -n "$module" | sed -n 's/.*Build ID: //p')
# The same kernel without debug information of its modules.
mkdir -p root/usr/lib/debug/boot root/lib/modules
ln -s "/usr/lib/debug/boot/vmlinux-$release" root/usr/lib/debug/boot/
bare=root/${module#/}
mkdir -p "${bare%/*}"
cp "$module" "$bare"
cp /lib/modules/$release/modules.* root/lib/modules/$release/

open='module("overlay").function("ovl_open")'
ask() {
	for point in "${points[@]}"; do
		"$SPILE" --no-cache -r $release "$@" -L "$point"
	done
}
compile() {
	"$SPILE" --no-cache -r $release "$@" --stop-after=lower --dump=lower -e "probe $open { println(\$file->f_path->dentry, \$inode->i_ino) }
		probe $open.return { println(\$return) } probe module(\"overlay\").function(\"ovl_alloc_inode\") { println(\$ovl_inode_cachep) }"
}
expect 0 "$SPILE" cache add -r $release "$open"
prints "^$id \\[overlay\\]: [0-9]+ bytes\$"
prints "^$id $module: ovl_open\$"
if command -v perf >/dev/null && perf probe --cache --list >listed 2>/dev/null; then
	grep -qxF "$module ($id):" listed && grep -qx ovl_open listed || fail "perf lists: $(cat listed)"
fi
expect 0 "$SPILE" cache add -r $release 'module("overlay").function("ovl_alloc_inode")'
expect 0 "$SPILE" cache list
prints "^$id probes of \\[overlay\\] $release: module..overlay...function..ovl_open..\$"
points=("$open" "$open.return" 'module("overlay").statement("ovl_open@*:*")' 'module("overlay").function("ovl_alloc_inode")')
{ ask && compile; } >with 2>&1
{ ask --sysroot="$TMP/root" && compile --sysroot="$TMP/root"; } >without 2>&1
diff with without || fail "other answers from the cache"
grep -q 'ovl_open@fs/overlayfs/file.c:[0-9]*") \$inode:struct inode\* \$file:struct file\*$' with || fail "no variables: $(cat with)"

rm home/.cache/spile/*
expect 0 "$SPILE" cache add -r $release --all-functions 'module("overlay")'
[ "$(stat -c %s home/.cache/spile/$id.functions)" -lt 150000 ] || fail "it is as large as the module's debug information"
points=("$open")
ask_all() { ask "$@"; "$SPILE" --no-cache -r $release "$@" -l 'module("overlay").function("*").return'; }
ask_all >with 2>&1
ask_all --sysroot="$TMP/root" >without 2>&1
diff with without || fail "other functions from the cache"
[ "$(wc -l <with)" -gt 50 ] || fail "few functions"

# The module of another build.
flipped=$(printf '%02x' $((0x${id:0:2} ^ 1)))${id:2}
python3 - "$bare" $id $flipped <<'P'
import sys
data = open(sys.argv[1], 'rb').read()
open(sys.argv[1], 'wb').write(data.replace(bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])))
P
expect 1 "$SPILE" --no-cache -r $release --sysroot="$TMP/root" -L 'module("overlay").statement("ovl_open@*:*")'
says "the probe cache has that of the build $id, and this is $flipped"
expect 1 "$SPILE" cache add -r $release --all-functions 'module("nosuch")'
says '^ERROR: kernel .* has no module nosuch '
