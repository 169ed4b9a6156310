# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel modules that are loaded, unloaded and loaded again while they are probed.
. "$SUITE/lib.sh"
[ -e /sys/module/dummy ] && skip "the module dummy is loaded"
cat >use.sh <<'S'
use() { modprobe dummy numdummies=0; sleep 2; ip link add spile0 type dummy; ip link del spile0; }
use; modprobe -r dummy; sleep 2; use
S
expect 0 timeout 300 "$SPILE" -v -c "sh -e use.sh" -e '
probe module("dummy").function("dummy_setup") { println(ppfunc()) }
probe module("dummy").function("dummy_setup").return { println("returns") }
probe module("loop").function("lo_ioctl") ? { println("never") }'
is 'dummy_setup
returns
dummy_setup
returns'
grep -E '^WARNING|^kernel module' err | sort >told
cat >want <<'S'
WARNING: kernel module `dummy` is not loaded: its probes are set when it is
kernel module `dummy` was loaded: 2 probes set
kernel module `dummy` was loaded: 2 probes set
kernel module `dummy` was unloaded: its probes are gone until it is loaded again
S
grep -v loop told | diff want - || fail "other words"

# Variables are where they were when the script started.
expect 0 timeout 300 "$SPILE" -v -c "sh -c 'modprobe -r dummy; sleep 2; modprobe dummy; sleep 2'" -e '
probe module("dummy").function("dummy_setup") { println(@var("numdummies")) }'
says '^WARNING: kernel module `dummy` was loaded anew, and its probes are not set: the script reads its variables where they were before; start it again$'
