# SPDX-License-Identifier: GPL-2.0-or-later
# The case of the same name in cli, through uprobes.
ENGINE=kernel . "$SUITE/cli/libraries.sh"
# A program that runs already, and one that forks, without a target.
cp "$PROGS/calls" mine
cp "$PROGS/calls" others
./mine 10000 slowly &
./others 10000 slowly &
trap 'kill %1 %2 2>/dev/null' EXIT
expect 0 timeout 120 "$SPILE" --engine=kernel -e 'global n probe process("./mine").library("libc.so.6").function("usleep") { if (++n[execname()] == 3) exit() }
probe end { foreach (p+ in n) println(p) }'
quiet
is mine
# Libraries of other ABIs, which ld.so.cache has in front, are passed over.
mkdir lib64 libx32
for abi in 64 x32; do
	echo "int known_$abi(void) { return 0; }" | gcc -m$abi -shared -nostdlib -fPIC -Wl,-soname,libknown.so.1 -o lib$abi/libknown.so.1 -x c -
done
/sbin/ldconfig -C cache "$PWD/lib64" "$PWD/libx32" 2>/dev/null
first=$(/sbin/ldconfig -C cache -p | grep -m1 libknown)
[[ $first == *libx32* ]] || fail "the cache has another order: $first"
expect 0 unshare -m sh -c "mount --bind cache /etc/ld.so.cache && exec '$SPILE' -l 'process(\"libknown.so.1\").function(\"known*\")'"
is "process(\"$PWD/lib64/libknown.so.1\").function(\"known_64\")"
