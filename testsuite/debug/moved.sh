# SPDX-License-Identifier: GPL-2.0-or-later
# The same program says the same wherever its debug information is: in partial units and files that programs share (dwz), type units,
# split files and packages of these, compressed, or apart from the program.
. "$SUITE/lib.sh"
command -v dwz >/dev/null || skip "needs dwz"
dwp=$(command -v dwp || newest llvm-dwp) || skip "needs dwp or llvm-dwp"
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
g++ -gdwarf-4 -O1 -gsplit-dwarf -o split first.cc second.cc || fail "g++ -gsplit-dwarf"
for program in packed one two split; do
	listed $program >got
	diff -u want got || fail "$program"
done

# Types, variables, lines and enumerators, in C.
cat >tree.h <<'C'
enum color { RED = 3, GREEN, BLUE = 9 };
struct point { int x, y; enum color c; const char *name; };
struct node { struct node *next; struct point p; union { long l; double d; char b[8]; } u; unsigned f1 : 3, f2 : 5; };
typedef struct node node_t;
typedef int (*fn_t)(struct node *);
extern node_t *head;
extern struct point table[4];
static inline int weigh(struct node *n) { return n->p.x * 2 + n->p.y; }
int run(struct node *n, fn_t f);
long walk(node_t *n, enum color c);
struct tree { struct tree *l, *r; int key; struct { short a; long b[3]; } in; };
int insert(struct tree *t, int key);
C
cat >a.c <<'C'
#include "tree.h"
node_t *head;
struct point table[4] = { { 1, 2, RED, "one" }, { 3, 4, BLUE, "two" } };
static int counter = 5;
static struct node local_node;
static int helper(struct node *n) { static int calls; calls++; counter += weigh(n); return counter; }
int main(int c, char **v)
{
	struct node n = { 0, { c, 2, GREEN, "n" } };
	struct tree t = { 0 };
	head = &n;
	local_node = n;
	return run(&n, helper) + walk(head, BLUE) + insert(&t, c) + weigh(&local_node);
}
C
cat >b.c <<'C'
#include "tree.h"
static int counter = 7;
int run(struct node *n, fn_t f) { int i, s = 0; for (i = 0; i < 3; i++) s += f(n) + counter; return s + weigh(n); }
long walk(node_t *n, enum color c) { long k = 0; while (n) { k += n->p.x + c; n = n->next; } return k; }
int insert(struct tree *t, int key) { t->key = key; if (t->l) return insert(t->l, key - 1); return t->in.b[1] + weigh(head); }
C
# Another program has other types by the same names, in the file that is shared, too.
cat >other.c <<'C'
struct tree { long other[9]; int key; };
struct alien { long other[9]; int key; };
int use(struct tree *t, struct alien *a) { return t->key + a->key; }
int main(void) { return 0; }
C
sed 's/main/second/' other.c >other2.c
cat >scripts <<'S'
probe process(@1).function("run") { println($n->p->x, $n->p$, $$vars, $f) }
probe process(@1).function("walk") { println($c, $n->u->l, $n->f2, $n->p->name$, $c == BLUE) }
probe process(@1).statement("walk@b.c:4") { println($k) }
probe process(@1).statement("*@b.c:5") { println($$vars$) }
probe process(@1).function("weigh").inline { println($$parms$$, $n->p->y) }
probe process(@1).function("helper") { println(@var("calls"), @var("counter@a.c"), @var("counter@b.c", @1)) }
probe process(@1).function("insert") { println(@cast($t, "struct tree", @1)->in->b[2], @cast($t, "tree")->key, @cast($t, "node_t")->next) }
probe process(@1).function("main") { println(@var("table")[1]->c, @var("head")->p->x, @var("local_node")$, @var("table@a.c")[2]$) }
probe begin { println(@cast(0, "struct point", @1)->name, &@cast(0, "struct node", @1)->u->d, @cast(0, "struct tree", @1)->key) }
probe begin { println(@cast(0, "struct alien", @1)->key) }
probe process(@1).function("*").call, process(@1).function("*").inline { println($$vars$, ppfunc()) }
probe process(@1).function("run").return { println($return, @entry($n->p->x)) }
probe process(@1).statement("*@a.c:*") { println(pp()) }
S
# Methods by other names, for the C++ program.
cat >methods <<'S'
probe process(@1).function("add") { println($$parms, $this->n) }
probe process(@1).function("shop::Item::total") { println($this$, $tax) }
probe process(@1).function("Item::cheap") { println($this->weight) }
probe process(@1).function("Basket::Line::sum") { println($this->d, $more, $$vars$) }
probe process(@1).function("*::*").call { println(ppfunc(), $$parms) }
probe process(@1).statement("*@second.cc:*") { println(pp()) }
probe process(@1).function("use") { println($item->price, $line->a, @cast($item, "shop::Basket")->k, @cast($item, "Basket::Line")->b) }
probe process(@1).function("Basket::Basket"), process(@1).function("~Basket") { println(pp(), $$vars) }
S
resolved()
{
	cp "$1" program
	while read -r script; do
		echo "== $script"
		"$SPILE" -w -p2 -e "$script" ./program 2>&1
	done <"$2"
}
# same SCRIPTS PROGRAM...: the first one's answers are all right, and the others' equal to them.
same()
{
	scripts=$1 first=$2
	resolved "$2" "$1" >want
	shift 2
	for program; do
		resolved "$program" "$scripts" >got
		diff -u want got || fail "$options: $first and $program"
	done
}
for options in "-gdwarf-5 -O2" "-gdwarf-4 -O1"; do
	# built NAME OPTION...: in both languages
	built() { gcc $options "${@:2}" -o "$1" a.c b.c && g++ $options "${@:2}" -o "c++$1" first.cc second.cc || fail "$1"; }
	built plain
	built types -fdebug-types-section
	built split -gsplit-dwarf
	built compressed -gz
	for p in plain c++plain; do
		gcc $options -o x other.c other2.c -Wl,-z,muldefs && cp x y || fail "gcc"
		cp $p $p.packed && dwz $p.packed || fail "dwz"
		cp $p $p.one && cp $p $p.two && dwz -m ${p/++/xx}.shared $p.one $p.two x y || fail "dwz -m"
		objcopy --only-keep-debug $p $p.debug && strip -o $p.apart $p && objcopy --add-gnu-debuglink=$p.debug $p.apart || fail "objcopy"
	done
	set --
	if [[ $options = *dwarf-4* ]]; then
		# gcc's type units of split files are in sections of one name; dwp makes one of them.
		built package -gsplit-dwarf -fdebug-types-section
		"$dwp" -e package -o program.dwp && rm package-*.dwo || fail "dwp"
		set -- package types plain.one
	else
		set -- types split compressed plain.packed plain.one plain.apart
	fi
	same scripts plain "$@"
	[ "$(grep -c 'semantic error' want)" -le 3 ] && grep -q "there is no type 'struct alien'" want || fail "$options: $(grep -A2 "semantic error" want)"
	[ "$1" != package ] || { "$dwp" -e c++package -o program.dwp && rm c++package-*.dwo; } || fail "dwp"
	same methods c++plain "${@/#/c++}"
	! grep 'semantic error' want || fail "$options: $(grep -A2 "semantic error" want)"
	rm -f program.dwp
done
# clang puts the names of classes into their type units alone.
clang=$(command -v clang++ || compgen -c clang++- | sort -V | tail -1)
[ -n "$clang" ] || exit 0
for options in -gdwarf-4 -gdwarf-5; do
	"$clang" $options -O1 -o c++plain first.cc second.cc && "$clang" $options -O1 -fdebug-types-section -o c++types first.cc second.cc || fail "$clang"
	same methods c++plain c++types
	! grep 'semantic error' want || fail "$clang $options: $(grep -A2 "semantic error" want)"
done
