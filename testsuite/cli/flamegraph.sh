# SPDX-License-Identifier: GPL-2.0-or-later
# --folded and --flamegraph: arrays that are keyed by stacks, with names that no picture may take for its own.
. "$SUITE/lib.sh"
cat >texts.stp <<'S'
global calls, sums, other, plain
probe begin
{
	calls["a<b>&\"c'", "leaf+0x1/0x9 [lib]\nouter<int&>+0x2/0x9 [prog]\nmain+0x3/0x9 [prog]\n"] = 3
	calls["a<b>&\"c'", "outer<int&>+0x2/0x9 [prog]\nmain+0x3/0x9 [prog]\n"] = 1
	calls["b;c", " 0x12 : leaf+0x1/0x9 at x.c:1 [lib]\n 0x13 [prog+0x4/0x5]\ncut"] = 4
	sums["0x5 0x77 "] <<< 10
	sums["0x5 0x77 "] <<< 20
	other["no stack"] = 5
	plain[1] = 6
	exit()
}
S
expect 0 "$SPILE" --folded --flamegraph text.svg texts.stp
is "other[\"no stack\"]=5
plain[1]=6
0x77;0x5 2
a<b>&\"c';main;outer<int&> 1
a<b>&\"c';main;outer<int&>;leaf 3
b:c;[prog];leaf 4"
quiet
# The picture is XML; each frame is as wide as its number is, right above the one that has called it.
expect 0 "$SPILE" --flamegraph page.html texts.stp
is "other[\"no stack\"]=5
plain[1]=6"
# The stacks of a program and of the kernel make one, in whatever order they are keys; where there is only one, no frame is empty.
cat >both.stp <<'S'
global both, turned, lines, none
probe begin
{
	both["w", "0xffffffff00000012 0xffffffff00000034 ", "0x5 0x77 "] = 7
	both["w", "", "0x5 0x77 "] = 1
	both["w", "0xffffffff00000012 ", ""] = 2
	turned["t", "0x5 0x77 ", "0xffffffff00000012 "] = 3
	lines["l", "in+0x1/0x9 [kernel]\nout+0x1/0x9 [kernel]\n", " 0x12 : leaf+0x1/0x9 [/bin/u]\n 0x13 : main+0x1/0x9 [/bin/u]\n"] = 4
	none["n", backtrace()] = 5
	exit()
}
S
expect 0 "$SPILE" --folded both.stp
is "l;main;leaf;out;in 4
n;[no stack] 5
t;0x77;0x5;0xffffffff00000012_[k] 3
w;0x77;0x5 1
w;0x77;0x5;0xffffffff00000034_[k];0xffffffff00000012_[k] 7
w;0xffffffff00000012_[k] 2"
quiet
cat >check.py <<'P'
import sys, xml.etree.ElementTree as tree
svg = '{http://www.w3.org/2000/svg}'
root = tree.fromstring(sys.stdin.read().replace('<!DOCTYPE html>', ''))
frames = []
for g in root.iter(svg + 'g'):
    if g.get('class') != 'f':
        continue
    rect = g.find(svg + 'rect')
    frames.append((int(g.get('data-d')), float(rect.get('x')), float(rect.get('width')), int(rect.get('y')), g.find(svg + 'title').text))
for depth, x, width, y, title in frames:
    print(depth, round((x - 12) / 117.6, 2), round(width / 117.6, 2), title)
    below = [f for f in frames if f[0] == depth - 1 and f[1] <= x + 0.02 and x + width <= f[1] + f[2] + 0.02]
    assert not depth or (len(below) == 1 and below[0][3] == y + 19), title
P
cat >want <<'W'
0 0.0 10.0 all (10, 100.00%)
1 0.0 2.0 0x77 (2, 20.00%)
2 0.0 2.0 0x5 (2, 20.00%)
1 2.0 4.0 a<b>&"c' (4, 40.00%)
2 2.0 4.0 main (4, 40.00%)
3 2.0 4.0 outer<int&> (4, 40.00%)
4 2.0 3.0 leaf (3, 30.00%)
1 6.0 4.0 b:c (4, 40.00%)
2 6.0 4.0 [prog] (4, 40.00%)
3 6.0 4.0 leaf (4, 40.00%)
W
for file in text.svg page.html; do
	python3 check.py <$file >got || fail "$file"
	diff want got || fail "$file"
done
# Its script is that of flamegraph.js on one line, where texts are as they were.
grep -q '^(()=>{var inverted,zoomed,.*textContent=test?.Clear search.:.Search.}function .*;turn(false)})();$' text.svg || fail "the script"
! command -v node >/dev/null || sed -n '/^(()=>{/p' text.svg | node --check - || fail "node does not take the script"
# The runtime alone does it, too; names of addresses are those of the program of -c, which has ended.
expect 0 "$SPILE" -p4 -o stacks.spo -e "global n probe process(\"$PROGS/stack\").function(\"leaf\") { n[ubacktrace()]++ }"
expect 0 "$SPILE_RUN" --engine=user --folded --flamegraph run.svg -c "$PROGS/stack" stacks.spo
prints 'main;outer;inner;leaf [0-9]+$'
python3 check.py <run.svg >got || fail run.svg
grep -q ' leaf (' got || fail "leaf is not drawn"
expect 2 "$SPILE" --flamegraph text.png texts.stp
says '^ERROR: --flamegraph writes FILE.svg or FILE.html, not "text.png"$'
[ ! -e text.png ] || fail "there is a file"
expect 1 "$SPILE" --flamegraph nowhere/text.svg texts.stp
says '^ERROR: cannot write "nowhere/text.svg": No such file or directory$'
expect 0 "$SPILE" --folded -e 'global n probe begin { n["x"]++ exit() }'
says '^WARNING: --folded: no array of the script has stacks as keys'
exit 0
