# SPDX-License-Identifier: GPL-2.0-or-later
# Types of C++ are listed by its words: class, references. What a class is in one unit may be a struct in another.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "needs g++"
cat >box.cc <<'END'
class Box { public: int n; };
struct Lid { Box *of; };
__attribute__((noinline)) int take(Box &box, const Box *other, Lid lid, int &&spare) { return box.n + other->n + lid.of->n + spare; }
int main(int argc, char **)
{
	Box box = { argc };
	return take(box, &box, Lid{ &box }, 3) == 0;
}
END
g++ -g -O0 -o box box.cc || fail "g++"
expect 0 "$SPILE" -L 'process("./box").function("take")'
prints ' \$box:class Box& \$other:class Box const\* \$lid:struct Lid \$spare:int&&$'
expect 0 "$SPILE" --engine=user -c ./box -e 'probe process.function("take") {
	println($box->n, " ", @cast($other, "class Box")->n, " ", @cast($other, "struct Box")->n)
}'
is "1 1 1"
cat >other.cc <<'END'
struct Box;
int take(Box *box) { return !box; }
END
cat >main.cc <<'END'
class Box { public: int n; };
int take(Box *box);
Box *give(Box *box) { return box; }
int main() { Box box = { 4 }; return take(give(&box)); }
END
g++ -g -O0 -w -o two main.cc other.cc || fail "g++ of two units"
expect 0 "$SPILE" --engine=user -c ./two -e 'global box
probe process.function("give") { box = $box }
probe process.function("take") { box = $box }
probe end { println(box ? "kept" : "") }'
is kept
