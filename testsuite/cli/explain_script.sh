# SPDX-License-Identifier: GPL-2.0-or-later
# --explain SCRIPT: the script with the instructions that its lines have become. How many there are is LLVM's affair, and
# whether the kernel takes the programs depends on who asks; the lines of other files come from where they are.
. "$SUITE/lib.sh"
cat >lines.stp <<'END'
global calls

function add(x)
{
	calls += x
}

probe process(@1).function("tick")
{
	add(ktime_get_ns())
	if (calls > 7)
		printf("%d\n", pid())

}

probe end { println(calls) }
END
once=$BUILD/testsuite/progs/once
lines() { sed -nE '/^lines.stp$/,$s/^ +[0-9]+ ( +([0-9]+|-))/N\1/; /^lines.stp$/,$p' out; }
expect 0 "$SPILE" --explain lines.stp "$once"
quiet
grep -q '^probe process("' out || fail "what --cost prints is missing"
prints '^  kernel: [0-9]+ instructions, '
grep -Eq '^(  loaded: [0-9]+ instructions(, [0-9]+ followed by the verifier)?(, [0-9]+ bytes of machine code)?|not loaded here: .+)$' out ||
	fail "what the kernel makes of it is missing"
lines
echo "--- -v: the instructions"
expect 0 "$SPILE" --explain -v lines.stp "$once"
grep -E '^ +[0-9]+: call (ktime_get_ns|ringbuf_submit)$' out | sed -E 's/^ +[0-9]+/N/' | sort -u
# Each of the handler's instructions stands under one line; some take two slots.
sed -n 's/^  kernel: \([0-9]*\) instructions.*/\1/p' out >slots
awk '/^ +[a-z_0-9]+:$/ { name = $1 } name == "tick_0:" && /^ +[0-9]+: / { print $1 + 0 }' out | sort -n >shown
sort -nu shown | cmp - shown || fail "an instruction stands under two lines"
awk 'NR > 1 && $1 > before + 2 { exit 1 } { before = $1 }' shown || fail "instructions are missing"
[ "$(tail -n 1 shown)" = "$(($(cat slots) - 1))" ] || fail "the last instruction is $(tail -n 1 shown) of $(cat slots)"

echo "--- a text, of standard input and of -e"
echo 'probe begin { println(1) }' | "$SPILE" --explain - | sed -n 1p
"$SPILE" --explain -e 'probe process(@1).function("tick") { exit() }' "$once" | sed -nE '/^<input>$/,$s/^ +[0-9]+ ( +([0-9]+|-))/N\1/p'
expect 2 "$SPILE" --explain
says '^spile: a script is missing$|a script is missing'
