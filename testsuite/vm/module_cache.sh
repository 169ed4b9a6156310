# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of a module that is loaded, from the probe cache alone.
. "$SUITE/lib.sh"
[ -n "${HIDDEN:-}" ] || exec unshare -m env HIDDEN=1 bash "$0"
grep -q '^overlay ' /proc/modules || skip "the module overlay is not loaded"
mkdir home
export HOME=$TMP/home
unset XDG_CACHE_HOME DEBUGINFOD_URLS
point='module("overlay").function("ovl_alloc_inode")'
expect 0 "$SPILE" cache add "$point"
expect 0 "$SPILE" cache add 'module("overlay").function("ovl_open").return'
mount -t tmpfs none /usr/lib/debug || skip "/usr/lib/debug cannot be hidden"
expect 0 "$SPILE" -c "touch new" -e "probe $point { println(kernel_string(\$ovl_inode_cachep->name)) exit() }"
is ovl_inode
echo text >file
# cat(1) copies in the kernel, to where the file was when it began: what another writes meanwhile would be lost.
expect 0 "$SPILE" -c "cat file >/dev/null" -e 'probe module("overlay").function("ovl_open").return { if (pid() == target()) { println("open ", $return) exit() } }'
prints '^open 0$'
