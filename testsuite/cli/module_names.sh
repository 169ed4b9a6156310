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
	expect 0 "$SPILE" --no-cache -r "$release" -l "module(\"*\").$1"
	cmp out sunrpc || fail "all modules have something else: $(diff sunrpc out)"
	expect 0 "$SPILE" --no-cache -v -r "$release" -p2 -e "probe module(\"*\").$1 { print(1) }"
	left_out=$(sed -n 's/^  \([0-9]*\) modules have no .*/\1/p' err)
	[ "$left_out" -gt $((n - 20)) ] && [ "$left_out" -lt "$n" ] || fail "left out: $left_out of $n"
}
lists 'function("*rpc_create_xpr?*")'
lists 'function("__hash_deferred_r?q").inline' # which no symbol tells of
lists 'function("xprt_create_transp*@net/sunrpc/xprt.c")'
lists 'statement("xprt_create_transport@net/sunrpc/xprt.c:*")'
expect 1 "$SPILE" --no-cache -r "$release" -l 'module("*").function("no_such_function_*")'
says "looked in $n modules\$"

# Where another root folder has no kernel, a pattern finds the modules that a name finds.
mkdir root
expect 0 "$SPILE" --no-cache -r "$release" --sysroot="$PWD/root" -l 'module("sunrpc").function("xprt_create_transport")'
mv out sunrpc
expect 0 "$SPILE" --no-cache -r "$release" --sysroot="$PWD/root" -l 'module("sunrp[c]").function("xprt_create_transport")'
cmp out sunrpc || fail "by a pattern there is $(cat out)"

# A module's file may have a '-' in its name, where the kernel has a '_'.
for file in "/lib/modules/$release"/kernel/arch/x86/kvm/kvm-intel.ko*; do
	[ -e "$file" ] || continue
	expect 0 "$SPILE" --no-cache -r "$release" -l 'module("kvm_intel").function("vmx_vcpu_load")'
	mv out kvm
	for name in kvm-intel 'kvm-*' 'kvm_*'; do
		expect 0 "$SPILE" --no-cache -r "$release" -l "module(\"$name\").function(\"vmx_vcpu_load\")"
		cmp out kvm || fail "module $name: $(cat out)"
	done
	expect 0 "$SPILE" --no-cache -r "$release" -l 'kprobe.module("kvm-intel").function("vmx_vcpu_load")'
	prints '^kprobe\.module\("kvm_intel"\)'
done

# All modules are open at a time, but no files: a process may have 20 descriptors.
probes=(--no-cache -r "$release" -p2 -e 'probe module("n*").function("nf*") { print(1) }')
expect 0 "$SPILE" "${probes[@]}"
mv out all
little_memory() { (ulimit -v 20000000 && exec "$@"); }
few_files() { (ulimit -n 20 && exec "$@"); }
expect 0 few_files "$SPILE" "${probes[@]}"
cmp out all || fail "with few descriptors: $(wc -l <out) of $(wc -l <all)"

# A module that there is no memory for is not left out silently, in a script or in a listing.
! grep -q -e -fsanitize "$BUILD/Makefile" || skip "sanitizers take terabytes of addresses"
modules=root/lib/modules/$release kernel=usr/lib/debug/boot/vmlinux-$release
mkdir -p "$modules/kernel" root/usr/lib/debug/boot
ln -s "/$kernel" "root/$kernel"
cp "/usr/lib/debug/lib/modules/$release/kernel/net/sunrpc/sunrpc.ko" "$modules/kernel"
truncate -s 100G "$modules/kernel/large.ko" # of which the disk has nothing
printf 'kernel/%s.ko:\n' sunrpc large >"$modules/modules.dep"
expect 1 little_memory "$SPILE" --no-cache --sysroot "$PWD/root" -r "$release" -p2 -e 'probe module("*").function("rpc_*") { print(1) }'
says '^semantic error: cannot map .*/large\.ko: Cannot allocate memory \[E507\]$'
expect 1 little_memory "$SPILE" --no-cache --sysroot "$PWD/root" -r "$release" -l 'module("*").function("rpc_*")'
says '^semantic error: cannot map .*/large\.ko: Cannot allocate memory \[E507\]$'
