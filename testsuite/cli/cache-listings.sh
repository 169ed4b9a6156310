# SPDX-License-Identifier: GPL-2.0-or-later
# Listings are kept as compiled scripts are: what is printed again is what was printed, with the same messages, as long as all that it
# depends on is as it was.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache
mkdir cache
cp "$BUILD/testsuite/progs/ticks" prog
sleep 0.1 # what was changed within a tick of the file system's clock is not kept

# listed WORDS...: lists with these, and compares with what is listed without the cache.
listed()
{
	expect 0 "$SPILE" -v --no-cache "$@"
	cp out without
	expect 0 "$SPILE" -v "$@"
	cmp without out || fail "another listing with the cache: $*"
}
hits() { listed "$@"; says '^Listing: using cached [0-9a-f]{64}(\.places)?\.list\.$'; }
misses() { listed "$@"; ! grep -q 'using cached' err || fail "taken from the cache: $*"; }

misses -l 'process("./prog").function("*")'
hits -l 'process("./prog").function("*")'
misses -L 'process("./prog").function("*")'
hits -L 'process("./prog").function("*")'
misses --json -L 'process("./prog").function("*")'
hits --json -L 'process("./prog").function("*")'
# With -v the addresses of the places are listed, too: another listing.
expect 0 "$SPILE" -L 'process("./prog").function("*")'
! grep -q 'pc=' out || fail "places without -v"
expect 0 "$SPILE" --no-cache -L 'process("./prog").function("*")'
cp out without
expect 0 "$SPILE" -L 'process("./prog").function("*")'
cmp without out || fail "another listing with the cache, without places"
misses -l 'process("./prog").function("main")'
hits -l 'process("./prog").function("main")'
touch prog
sleep 0.1
misses -l 'process("./prog").function("main")'
hits -l 'process("./prog").function("main")'

expect 0 "$SPILE" cache list
prints '^[0-9a-f]{28} +[0-9]+ .* listing: -L process\("\./prog"\)\.function\("\*"\)$'
file=$(cd cache/spile && ls ./*.places.list | head -n 1)
file=${file#./}
expect 0 "$SPILE" cache show "${file%.list}"
prints '^  result      -L process\("\./prog"\)\.function\("\*"\)$'

# A damaged one is told, and not used. Nothing is kept of what matches nothing.
printf '\377' | dd of="cache/spile/$file" bs=1 seek=300 conv=notrunc 2>dd || fail "dd"
expect 0 "$SPILE" cache verify
prints "^$file is removed: its content has changed$"
n=$(ls cache/spile | wc -l)
expect 1 "$SPILE" -l 'process("./prog").function("nosuch")'
[ "$(ls cache/spile | wc -l)" = "$n" ] || fail "kept without a match"
