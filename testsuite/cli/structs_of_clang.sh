# SPDX-License-Identifier: GPL-2.0-or-later
# Of a structure that is passed in registers clang says from the first instruction on that it is where the function will put it, below the
# stack pointer: there is nothing yet. And a static function need not hand back the address of a structure that it returns.
. "$SUITE/lib.sh"
cc=$(newest clang) || skip "needs clang"
cat >p.c <<'E'
struct s { char name[8]; signed char c; };
struct big { char text[24]; long n; };
volatile int go;
int sink;
struct s one, stored;
struct big ret;
static inline void use(void *p) { asm volatile("" :: "r"(p) : "memory"); }
__attribute__((noinline)) int pass(int a, struct s v) { asm volatile("" ::: "memory"); sink = a; use(&v); return go; }
static __attribute__((noinline)) struct big give(int a) { go += a; asm volatile("" ::: "memory"); return ret; }
int main(void)
{
	one = (struct s){ "abc", -3 };
	ret = (struct big){ "text", 9 };
	for (int i = 0; i < 2; i++) {
		struct big b = give(i);
		use(&b);
		pass(i, one);
	}
	return 0;
}
E
for level in -O0 -O1 -O2 -O3; do
	"$cc" -g $level -o p p.c || fail "clang $level"
	"$SPILE" -w -c ./p -e 'global n, wrong, structs
	probe process("./p").function("pass") { n++ text = $$parms$$
		if (text !~ "v=\\{.name=(\\?|\"abc\"), .c=(\\?|.\\\\375.)\\}$" && text !~ "v=\\?$") { wrong++ println(text) } }
	probe process("./p").function("give").return { structs++ text = $$return$$
		if (text != "return={.text=\"text\", .n=9}" && text != "return=?") { wrong++ println(text) } }
	probe end { println(n, " ", structs, " ", wrong) }' >out 2>err || fail "$level"
	is "2 2 0"
done
