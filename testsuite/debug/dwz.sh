# SPDX-License-Identifier: GPL-2.0-or-later
# What dwz has moved to partial units, or to a file that several programs share, is found by the same names.
. "$SUITE/lib.sh"
command -v dwz >/dev/null || skip "needs dwz"
cat >shop.h <<'C'
namespace shop {
struct Item { long price, count, weight, size; long total(long tax); long cheap() { return price < 3 ? price * count : weight; } };
class Basket {
	int n, m, k;
public:
	struct Line { int a, b, c, d; int sum(int more); };
	Basket(int n);
	~Basket();
	int add(int x);
	int remove(int y);
	static int many(Basket *b, int c);
	template <typename T> T as(T start) { return start + n; }
};
}
C
cat >first.cc <<'C'
#include "shop.h"
namespace shop {
Basket::Basket(int n) : n(n), m(1), k(2) {}
Basket::~Basket() { n = 0; }
__attribute__((noinline)) int Basket::add(int x) { return n += x; }
}
int use(shop::Item *item, shop::Basket::Line *line);
int main(int argc, char **argv)
{
	shop::Basket b(argc);
	shop::Item item = { argc, 2, 3, 4 };
	shop::Basket::Line line = { 1, 2, 3, argc };
	return b.add(3) + b.remove(2) + use(&item, &line) + shop::Basket::many(&b, 2) + (int)item.cheap() + (int)b.as(argv[0][0]);
}
C
cat >second.cc <<'C'
#include "shop.h"
namespace shop {
__attribute__((noinline)) int Basket::remove(int y) { return n -= y; }
__attribute__((noinline)) int Basket::many(Basket *b, int c) { return b->n * c; }
__attribute__((noinline)) long Item::total(long tax) { return price * count + tax; }
__attribute__((noinline)) int Basket::Line::sum(int more) { return a + b + c + d + more; }
}
int use(shop::Item *item, shop::Basket::Line *line) { return item->total(5) + line->sum(1) + (int)item->cheap(); }
C
g++ -gdwarf-4 -O1 -o plain first.cc second.cc || fail "g++"
listed()
{
	for name in add remove many total cheap sum as use main 'Basket::add' 'shop::Basket::add' 'shop::Item::total' 'Item::cheap' \
		'Basket::Line::sum' 'Line::sum' 'shop::Basket::*' 'Basket::*' '*::total' 't*' 'Item::*' 'Basket::Basket' '*' 'sum@*second.cc' \
		'~Basket' 'as<char>' 'Basket::as*' 'nosuch' 'Item::nosuch' 'add(int)'; do
		echo "== $name"
		"$SPILE" -L "process(\"./$1\").function(\"$name\")" 2>/dev/null
	done | sed "s,$PWD/$1\",PROGRAM\","
}
listed plain >want
[ "$(grep -c '^process' want)" -ge 40 ] || fail "the plain program has few: $(cat want)"
grep -q 'Item::total@.*\$tax:long int' want || fail "no variables"
cp plain packed && dwz packed || fail "dwz"
readelf --debug-dump=info packed 2>/dev/null | grep -q DW_TAG_partial_unit || fail "dwz has made no partial unit"
cp plain one && cp plain two && dwz -m shared one two || fail "dwz -m"
for program in packed one two; do
	listed $program >got
	diff -u want got || fail "$program"
done
