# SPDX-License-Identifier: GPL-2.0-or-later
# Compiled scripts are kept, and used again only when all is as it was: else the script is compiled anew, and the result is that of
# a compilation without the cache.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$TMP/cache
mkdir cache tapset
cp "$BUILD/testsuite/progs/ticks" prog
echo 'function mine() { return 1 }' >tapset/mine.stp
cat >script.stp <<'S'
global given = 1
probe process("./prog").function("main") { println(1) }
probe begin { printf("%d %d %s\n", mine(), given, @1) exit() }
S
settle() { sleep 0.1; } # what was changed within a tick of the file system's clock is not kept

# made WORDS...: compiles with these, and compares with what is made without the cache.
made()
{
	expect 0 "$SPILE" -v -p4 -I tapset -o with.spo "$@"
	cp err first
	expect 0 "$SPILE" --no-cache -p4 -I tapset -o without.spo "$@"
	cmp with.spo without.spo || fail "another result with the cache: $*"
	cp first err
}
hits() { made "$@"; says '^Pass 1 to 4: using cached [0-9a-f]{64}\.result\.$'; }
misses() { settle; made "$@"; ! grep -q 'using cached' err || fail "taken from the cache: $*"; }

settle
misses script.stp one two
says "script argument 2 \('two'\) is not used"
grep -v '^Pass' err >said
hits script.stp one two
grep -v '^Pass' err | diff said - || fail "the messages are others"
expect 0 "$SPILE" -p4 -I tapset -o with.spo script.stp one two
! grep -q uprobe err || fail "said without -v"
[ "$(ls cache/spile)" = "$(basename cache/spile/*.result)" ] || fail "there is more than one file"

# The script and the options.
misses script.stp two two
misses -D MAXSTRINGLEN=128 script.stp one two
misses -G given=7 script.stp one two
misses -u script.stp one two
misses -w script.stp one two
misses --diag=json script.stp one two
misses --engine=user script.stp one two
misses -E 'probe end { println(2) }' script.stp one two
misses -c true script.stp one two
misses -T 1 -D MAXSTRINGLEN=256 script.stp one two
hits -c true script.stp one two
hits script.stp one two
cp script.stp other.stp
misses other.stp one two
echo '// one more line' >>script.stp
misses script.stp one two
hits script.stp one two
misses -e 'probe begin { exit() }'
hits -e 'probe begin { exit() }'

# The library: a file that is read, one that is new, one that is gone, one in the place of another.
echo 'function mine() { return 2 }' >tapset/mine.stp
misses script.stp one
hits script.stp one
touch tapset/mine.stp
misses script.stp one
echo 'function unused() { return 2 }' >tapset/new.stp
misses script.stp one
rm tapset/new.stp
misses script.stp one
cp -p tapset/mine.stp same && mv same tapset/mine.stp
misses script.stp one
mkdir tapset/area
misses script.stp one
echo 'function mine() { return 3 }' >tapset/mine.stp
misses script.stp one
says '^[0-9a-f]{64}\.result in the cache is not used: tapset/mine.stp has changed$'
hits script.stp one

# A program: its content, what is found in its place, debug information that appears. The build-ids of what took part are told.
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
name=$(ls -t cache/spile | head -n 1)
expect 0 "$SPILE" cache show "$name"
prints "^  file        \./prog    build-id $(id_of prog)\$"
prints "^  file        .*libc\.so\.6    build-id [0-9a-f]{40}\$"
mv prog kept && cp "$BUILD/testsuite/progs/busy" prog
expect 0 "$SPILE" cache show "$name"
prints "^  file        \./prog    build-id $(id_of kept), now $(id_of prog)    \(has changed\)\$"
mv kept prog
settle
cp prog copy && mv copy prog
misses script.stp one
hits script.stp one
strip -g prog
misses script.stp one
mkdir .debug
hits script.stp one
objcopy --only-keep-debug "$BUILD/testsuite/progs/ticks" .debug/prog.debug && objcopy --add-gnu-debuglink=.debug/prog.debug prog
misses script.stp one
hits script.stp one
rm .debug/prog.debug
misses script.stp one
hits script.stp one
mkdir bin && cp prog bin/named
settle
export PATH=$PATH:$TMP/bin
misses -e 'probe process("named").function("main") { println(1) }'
hits -e 'probe process("named").function("main") { println(1) }'
mkdir early && cp prog early/named
settle
PATH=$TMP/early:$PATH misses -e 'probe process("named").function("main") { println(1) }'
misses -e 'probe process("named").function("main") { println(1) }'
hits -e 'probe process("named").function("main") { println(1) }'
(mkdir below && cd below && cp -r ../tapset ../script.stp ../prog . && settle && misses script.stp one && hits script.stp one) || exit 1

# A running process: its program, and what it has mapped.
cp "$BUILD/testsuite/progs/busy" busy
settle
run_busy() { ./busy "$TMP/count" & pid=$!; while [ ! -s "$TMP/count" ]; do sleep 0.05; done; }
trap 'kill $pid 2>/dev/null' EXIT
run_busy
misses -e "probe process($pid).function(\"main\") { println(5) }"
hits -e "probe process($pid).function(\"main\") { println(5) }"
for script in 'probe process.library("libc.so.6").function("malloc") { println(5) }' 'probe process.function("main") { println(5) }'; do
	misses -x $pid -e "$script"
	hits -x $pid -e "$script"
done
kill $pid

# Split debug information: where its files are, and where they are looked for first.
if ${CC:-gcc} -g -gsplit-dwarf -c -o split.o -x c - <<<'int more(int a) { return a + 1; } int main(void) { return more(-1); }' 2>cc; then
	${CC:-gcc} -o split split.o || fail "no program"
	split='probe process("./split").function("more") { println($a) }'
	settle
	misses -e "$split"
	hits -e "$split"
	touch split.dwo
	misses -e "$split"
	hits -e "$split"
	mkdir elsewhere && mv split elsewhere/split && ln -s elsewhere/split split
	misses -e "$split"
	hits -e "$split"
	cp split.dwo elsewhere/split.dwo
	misses -e "$split"
	hits -e "$split"
fi

# What is not kept.
n=$(ls cache/spile | wc -l)
expect 0 "$SPILE" --no-cache -p4 -o x.spo -e 'probe begin { println(5) exit() }'
expect 0 "$SPILE" -p2 -e 'probe begin { println(5) exit() }'
expect 0 "$SPILE" --cost -e 'probe begin { println(5) exit() }'
expect 1 "$SPILE" -p4 -o x.spo -e 'probe begin { println(nosuch()) exit() }'
[ "$(ls cache/spile | wc -l)" = "$n" ] || fail "something was kept"
# --poison-cache takes nothing, and keeps.
expect 0 "$SPILE" --poison-cache -v -p4 -o x.spo -e 'probe begin { println(5) exit() }'
[ "$(ls cache/spile | wc -l)" = $((n + 1)) ] || fail "nothing was kept"
expect 0 "$SPILE" --poison-cache -v -p4 -o x.spo -e 'probe begin { println(5) exit() }'
grep -q 'using cached' err && fail "taken from the cache"
# A run prints the same.
for i in 1 2; do
	expect 0 "$SPILE" -e 'probe begin { println(strlen(@1)) exit() }' word
	is 4
done
# What is taken needs neither the compiler nor LLVM nor libdw.
expect 0 env LD_DEBUG=files "$SPILE" -e 'probe begin { println(strlen(@1)) exit() }' word
says 'calling init: .*/libc\.so'
! grep -E 'libspile\.so|spile-gen|libLLVM|libdw' err || fail "loaded for nothing"
expect 2 "$SPILE" cache nosuch
says "^spile cache: there is no command 'nosuch'$"
expect 2 "$SPILE" cache show
! grep -q 'no command' err || fail "show is a command"
