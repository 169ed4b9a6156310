# SPDX-License-Identifier: GPL-2.0-or-later
# perf's cache: marks are written as perf buildid-cache writes them, a probe has all its places, and what perf has is taken over.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "registers of x86_64"
unset XDG_CACHE_HOME DEBUGINFOD_URLS
mkdir ours perfs empty
export HOME=$TMP/ours
cp "$PROGS/marks" prog
cp "$PROGS/calls" calls
id=$(readelf -n prog | sed -n 's/.*Build ID: //p') id2=$(readelf -n calls | sed -n 's/.*Build ID: //p')
[ -n "$id" ] && [ -n "$id2" ] || skip "the compiler writes no build-ids"
probes=.debug/.build-id/${id:0:2}/${id:2}/probes

# Marks: each with all its arguments that perf can record, and the place of its semaphore.
for mark in step element guarded; do
	expect 0 "$SPILE" cache add "process(\"./prog\").mark(\"$mark\")"
	prints "^$id $TMP/prog: %sdt_prog:$mark\$"
done
offset() { readelf -n prog | grep -A2 -E "Provider: $1\$" | grep -A1 "Name: $2\$" | sed -n 's/.*Location: 0x0*\([0-9a-f]*\),.*/\1/p' | head -n 1; }
grep -qx "p:sdt_prog/step $TMP/prog:0x$(offset prog step) arg1=%di:s32 arg2=%ax:s8 arg3=%dx:u16 arg4=%si:u64" ours/$probes || fail "other: $(cat ours/$probes)"
grep -qE "^p:sdt_prog/guarded $TMP/prog:0x[0-9a-f]+\(0x[0-9a-f]+\) arg1=%[a-z]+:s32\$" ours/$probes || fail "no semaphore: $(cat ours/$probes)"
expect 0 "$SPILE" --kprobe-events 'process("./prog").provider("prog").mark("step") $arg2'
prints "^p:spile/step $TMP/prog:0x[0-9a-f]+ arg2=%ax:s8\$"
if command -v perf >/dev/null && HOME=$TMP/perfs perf buildid-cache --add "$TMP/prog" >/dev/null 2>&1 && [ -s perfs/$probes ]; then
	diff <(sort perfs/$probes) <(sort ours/$probes) || fail "perf writes other marks"
	perf probe --cache --list >listed 2>/dev/null && ! grep -qx 'sdt_prog:step=step' listed && fail "perf lists: $(cat listed)"
fi

# A program without debug information has its marks all the same; what it has no more is told.
cp prog bare && objcopy --strip-debug bare
mkdir bare-home
export HOME=$TMP/bare-home
expect 0 "$SPILE" cache add 'process("./bare").mark("step")'
prints "^$id $TMP/bare: %sdt_prog:step\$"
expect 0 "$SPILE" cache list
prints "^$id perf's probes of $TMP/bare: %sdt_prog:step\$"
expect 1 "$SPILE" cache add 'process("./bare").function("main")'
says '^ERROR: no debug information took part: there is nothing to keep$'
export HOME=$TMP/ours

# A function that is inlined twice is one probe with two events.
cat >twice.c <<'C'
volatile int counter;
static inline __attribute__((always_inline)) void twice(int x) { counter += x; counter *= 2; }
__attribute__((noinline)) int letters(int p, int v, int r) { counter += p; return counter + v + r; }
int main(int argc, char **argv) { twice(argc); if (argv) counter++; twice(counter); return letters(argc, argc, argc); }
C
if ${CC:-gcc} -g -O2 -Wl,--build-id -o twice twice.c; then
	expect 0 "$SPILE" cache add 'process("./twice").function("twice")'
	grep -h -A2 '^#twice' ours/.debug"$TMP"/twice/*/probes | cut -d: -f1,2 | sed "s, $TMP.*,," >events
	diff events - <<E || fail "other events"
#twice
p:probe_twice/twice
p:probe_twice/twice_1
E
	# A variable whose name is the beginning of a word for several is none of these.
	expect 0 "$SPILE" cache add 'process("./twice").function("letters") $p $v $r $params'
	grep -qx '#letters p v r $params' ours/.debug"$TMP"/twice/*/probes || fail "other: $(cat ours/.debug"$TMP"/twice/*/probes)"
fi

# What perf has becomes ours. What says nothing, or is of another build, is told.
export HOME=$TMP/perfs
mkdir -p "perfs/.debug$TMP/calls/$id2" perfs/.debug/.build-id/${id2:0:2}
ln -s "../..$TMP/calls/$id2" perfs/.debug/.build-id/${id2:0:2}/${id2:2}
cat >"perfs/.debug$TMP/calls/$id2/probes" <<E
#add a b
p:probe_calls/add $TMP/calls:0x1 a=%di:s32
#mine=add%return \$retval
r:probe_calls/mine $TMP/calls:0x1 ret=\$retval:s64
#look:2 u
#add;return*
#calls.c
#"x") { system("true") } probe begin { function("add
%sdt_nosuch:step=step
%other:step=step
E
expect 1 "$SPILE" cache import-perf
prints "^$id2 $TMP/calls: [0-9]+ bytes\$"
for left in 'add;return\*' 'calls\.c' '"x"\) \{ system\("true"\) \} .*' '%other:step'; do
	says "^WARNING: $left is left out: no probe point says the same\$"
done
says '^semantic error: nothing matches process\(".*/calls"\)\.provider\("nosuch"\)\.mark\("step"\)'
expect 0 "$SPILE" cache list
prints "^$id2 probes of $TMP/calls: process..$TMP/calls...function..add..\$"
prints "^$id2 probes of $TMP/calls: process..$TMP/calls...function..add...return\$"
prints "^$id2 probes of $TMP/calls: process..$TMP/calls...statement..look@\\*:\\+2..\$"
"$SPILE" --no-cache -L 'process("./calls").function("add")' >with
strip calls
"$SPILE" --no-cache -L 'process("./calls").function("add")' | diff with - || fail "other answers"
cp prog calls
expect 0 "$SPILE" cache import-perf
says "^WARNING: perf's probes of $TMP/calls are left out: they are of the build $id2, and this is $id\$"
rm calls
expect 0 "$SPILE" cache import-perf
says "^WARNING: perf's probes of $TMP/calls are left out: they are of the build $id2, and it is not here, or has no build-id\$"
HOME=$TMP/empty
expect 0 "$SPILE" cache import-perf
is ''
