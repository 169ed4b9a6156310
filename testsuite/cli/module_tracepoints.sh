# SPDX-License-Identifier: GPL-2.0-or-later
# Tracepoints of a module of another kernel: the module of the system's name has them in its BTF.
. "$SUITE/lib.sh"
n=0
for file in /usr/lib/debug/boot/vmlinux-*; do
	release=${file##*/vmlinux-}
	[ -n "$(find "/usr/lib/debug/lib/modules/$release/" -name sunrpc.ko 2>/dev/null)" ] || continue
	n=$((n + 1))
	expect 0 "$SPILE" -r "$release" -L 'kernel.trace("sunrpc:xprt_create")'
	prints '^kernel\.trace\("sunrpc:xprt_create"\) \$xprt:struct rpc_xprt const\* \$state:long unsigned int .*\$addr:char\[\] \$port:char\[\]$'
	expect 0 "$SPILE" -r "$release" -p4 -o probe.spo -e 'probe kernel.trace("sunrpc:xprt_create") { println($xprt->prot) }'
	expect 1 "$SPILE" -r "$release" -p4 -e 'probe kernel.trace("nosuch:xprt_create") { exit() }'
	# Asked of the module itself.
	expect 0 "$SPILE" -r "$release" -l 'module("sunrpc").trace("xprt_creat*")'
	is 'module("sunrpc").trace("sunrpc:xprt_create")'
	expect 0 "$SPILE" -r "$release" -l 'module("sunr?c").tracepoint("sunrpc:xprt_create")'
	is 'module("sunrpc").tracepoint("sunrpc:xprt_create")'
	expect 1 "$SPILE" -r "$release" -l 'module("sunrpc").trace("sched_switch")'
	says '^semantic error: nothing matches module\("sunrpc"\)\.trace\("sched_switch"\)'
	expect 1 "$SPILE" -r "$release" -l 'module("nosuch").trace("sched_switch")'
	says '^semantic error: kernel .* has no module nosuch '
	builtin=$(sed -n 's|.*/\(.*\)\.ko$|\1|p;/\.ko/q' "/lib/modules/$release/modules.builtin")
	expect 1 "$SPILE" -r "$release" -l "module(\"$builtin\").function(\"*\")"
	says "^semantic error: $builtin is a part of kernel $release itself: its functions are kernel\.function\(\.\.\.\)"
done
[ $n -gt 0 ] || skip "no kernel is installed with debug information of its modules"
