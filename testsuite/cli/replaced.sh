# SPDX-License-Identifier: GPL-2.0-or-later
# A program that is replaced while it is probed. A file of the same build has the probes, too; of another build it is told what to do.
. "$SUITE/lib.sh"
ENGINE=${ENGINE:-user}
cp "$BUILD/testsuite/progs/calls" prog
cp "$BUILD/testsuite/progs/shapes" other
gcc -g -Wl,--build-id=none -o plain -x c - <<<'int main(void) { return 0; }'
gcc -g -Wl,--build-id=none -o other_plain -x c - <<<'int main(int argc, char **argv) { return argc > 1 ? argv[1][0] : 0; }'
# FILE...: what takes the place of the program, each by a rename.
cat >work.sh <<'S'
$1 >/dev/null
shift
for file; do
	cp $file new
	mv new prog
	n=$((n + 1))
	# The message says that the file was seen; the user engine looks before it starts a program.
	while [ "$ENGINE" = kernel ] && [ "$(grep -c "prog was replaced" err)" -lt $n ]; do sleep 0.05; done
	./prog >/dev/null
done
exit 0
S
traced() # PROGRAM FILE...
{
	cp "$1" prog
	ENGINE=$ENGINE expect 0 timeout 60 "$SPILE" -v --engine=$ENGINE -c "sh work.sh ./prog ${*:2}" -e 'probe process("./prog").function("main") { println("main") }
probe process("./prog").end { println("end") }'
	grep 'was replaced' err >told
}
same="$TMP/prog was replaced by a file of the same build: its probes are set there, too"
redo='while it was probed: processes that run the new file are not all seen; start the script again'
once='main
end'
calls=$BUILD/testsuite/progs/calls
traced $calls
is "$once"
[ ! -s told ] || fail "said: $(cat told)"
traced $calls $calls $calls
is "$once
$once
$once"
[ "$(cat told)" = "$same
$same" ] || fail "said: $(cat told)"
traced $calls other
is "$once"
[ "$(cat told)" = "WARNING: $TMP/prog was replaced by another build $redo" ] || fail "said: $(cat told)"
traced plain plain
is "$once
$once"
[ "$(cat told)" = "$same" ] || fail "said: $(cat told)"
traced plain other_plain
is "$once"
[ "$(cat told)" = "WARNING: $TMP/prog was replaced by another build $redo" ] || fail "said: $(cat told)"

# What was compiled for a program without a build-id is for that file alone: elsewhere a probe may be in the middle of an instruction.
cp plain prog
expect 0 "$SPILE" -p4 --engine=$ENGINE -o plain.spo -e 'probe process("./prog").function("main") { println("main") }'
cp plain new && mv new prog
expect 0 timeout 60 "$SPILE_RUN" --engine=$ENGINE plain.spo -c ./prog
is main
cp other_plain new && mv new prog
expect 4 timeout 60 "$SPILE_RUN" --engine=$ENGINE plain.spo -c ./prog
is ''
says "^ERROR: the script was compiled for $TMP/prog with build-id [0-9a-f]{16}, but here its build-id is [0-9a-f]{16}; compile it again for this machine$"
