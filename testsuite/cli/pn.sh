# SPDX-License-Identifier: GPL-2.0-or-later
# pn() in a handler of several sites, itself and in a function.
. "$SUITE/lib.sh"
cat >pn.stp <<'STP'
probe shapes.number = process(@1).function("real") { }
probe shapes.packed = process(@1).function("nothing") { }
probe shapes.any = process(@1).function("*value"), process(@1).function("real") { }
function name() { return pn() }
probe shapes.*, shapes.any.return { println(name(), " ", name() == pn(), " ", pp() != pn(), " ", ppfunc()) }
STP
expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" -c "$PROGS/shapes >/dev/null" pn.stp "$PROGS/shapes"
quiet
sort out >sorted
mv sorted out
is 'shapes.any 1 1 by_value
shapes.any 1 1 real
shapes.any.return 1 1 by_value
shapes.any.return 1 1 real
shapes.number 1 1 real
shapes.packed 1 1 nothing'

# pnlabel()
command -v gcc >/dev/null || exit 0
cat >label.c <<'C'
int main(int argc, char **argv)
{
	(void)argv;
again:
	if (--argc > 0)
		goto again;
	return 0;
}
C
gcc -g -O0 -o label label.c || fail "gcc"
expect 0 timeout 60 "$SPILE" --engine="${ENGINE:-user}" -c "./label 1" -e 'probe process("./label").function("main").label("*") {
	println(pnlabel(), pp() == pn()) }'
quiet
is 'again1
again1'
