# SPDX-License-Identifier: GPL-2.0-or-later
# Of all modules of a kernel, those are opened whose debug information has the text of a function's name: opening all takes a gigabyte.
. "$SUITE/lib.sh"
release=
for file in /usr/lib/debug/lib/modules/*/kernel/net/sunrpc/sunrpc.ko; do
	release=${file#/usr/lib/debug/lib/modules/} release=${release%%/*}
	[ -e "/usr/lib/debug/boot/vmlinux-$release" ] && [ -e "/lib/modules/$release/modules.dep" ] && break
	release=
done
[ -n "$release" ] || skip "no kernel is installed with debug information of its modules"
n=$(wc -l <"/lib/modules/$release/modules.dep")

# lists POINT: what all modules have is what sunrpc has.
lists() {
	expect 0 "$SPILE" --no-cache -r "$release" -l "module(\"sunrpc\").$1"
	mv out sunrpc
	[ -s sunrpc ] || fail "nothing is there"
	expect 0 "$SPILE" --no-cache -v -r "$release" -l "module(\"*\").$1"
	cmp out sunrpc || fail "all modules have something else: $(diff sunrpc out)"
	left_out=$(sed -n 's/^  \([0-9]*\) modules have no .*/\1/p' err)
	[ "$left_out" -gt $((n - 20)) ] && [ "$left_out" -lt "$n" ] || fail "left out: $left_out of $n"
}
lists 'function("*rpc_create_xpr?*")'
lists 'function("__hash_deferred_r?q").inline' # which no symbol tells of
lists 'function("xprt_create_transp*@net/sunrpc/xprt.c")'
lists 'statement("xprt_create_transport@net/sunrpc/xprt.c:*")'
expect 1 "$SPILE" --no-cache -r "$release" -l 'module("*").function("no_such_function_*")'
says "looked in $n modules\$"
