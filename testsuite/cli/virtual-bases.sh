# SPDX-License-Identifier: GPL-2.0-or-later
# C++: members of virtual bases, which the object's virtual table leads to: of both bases of a diamond, and behind another virtual base.
. "$SUITE/lib.sh"
cat >prog.cc <<'C'
struct Root { int root = 77; unsigned bits : 3 = 5; virtual ~Root() {} };
struct Mid : virtual Root { int mid = 10; };
struct Side : virtual Root { int side = 20; };
struct Own { int own = 1; virtual ~Own() {} };
struct Leaf : Mid, Side, Own { int leaf = 30; const char *name = "leaf"; };
struct Far : virtual Leaf { int far = 40; };
struct Plain : Own { int plain = 50; };
int sum;
__attribute__((noinline, weak)) void use(Leaf *leaf, Far &far, Side *side, Plain plain)
{
	sum = leaf->root + far.root + side->root + plain.plain;
}
int main()
{
	Far far;
	Leaf leaf;

	leaf.root = 78;
	far.mid = 11;
	use(&leaf, far, &far, Plain());
	return 0;
}
C
cat >prog.stp <<'STP'
probe process("./prog").function("use") {
  printf("%d %d %d %d %d\n", $leaf->root, $leaf->bits, $leaf->side, $leaf->own, $leaf->leaf)
  printf("%d %d %d %s %d\n", $far->root, $far->mid, $far->side, user_string($far->name), $far->far)
  printf("%d %d %d\n", $side->root, user_int(&$side->root), $plain->own)
  println($leaf$$, " ", $far$)
}
STP
for options in "g++ -O0" "g++ -O2" "g++ -O1 -m32" "clang++ -O0 -gdwarf-4" "clang++ -O2"; do
	command -v "${options%% *}" >/dev/null || continue
	[ "${options##* }" != -m32 ] || runs_32_bits || continue
	# shellcheck disable=SC2086
	$options -g -o prog prog.cc 2>messages || continue
	expect 0 "$SPILE" --engine=user -c ./prog prog.stp
	sed -Ei 's/0x[0-9a-f]+/POINTER/g; s/_vptr[.$]/_vptr./g' out
	is '78 5 20 1 30
77 11 20 leaf 40
77 77 1
{<class>={._vptr.Mid=POINTER, .mid=10, <class>={...}}, <class>={._vptr.Side=POINTER, .side=20, <class>={...}}, <class>={._vptr.Own=POINTER, .own=1}, .leaf=30, .name="leaf"} {._vptr.Far=POINTER, .far=40, <class>={...}}'
done
[ -x prog ] || skip "no C++ compiler"
expect 1 "$SPILE" -p2 -e 'probe process("./prog").function("use") { println($far->rooot) }'
says '^    hint: did you mean '"'root'"'?'
