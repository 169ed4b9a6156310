# SPDX-License-Identifier: GPL-2.0-or-later
# Structures that Go and Rust have for texts are texts, of the length that they say: in memory, in registers, empty, absent, as keys;
# in a handler's string and in what is printed. A C program has them here, with names that are put into its assembler text.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "no gcc"
cat >texts.c <<'C'
#include <stdint.h>
#include <stdlib.h>
struct go_string { const uint8_t *str; int64_t len; };
struct rust_str { const uint8_t *data_ptr; uint64_t length; };
struct unique { struct { const uint8_t *pointer; } pointer; struct { int none[0]; } marker; };
struct rust_string { struct { struct { struct { struct unique ptr; uint64_t cap; } inner; struct { int none[0]; } marker; } buf; uint64_t len; } vec; };
struct other_string { const uint8_t *str; int32_t *len; }; // no text
struct all { int n; struct go_string go; struct rust_str part; struct rust_string owned; };
struct other { struct other_string other; };
__attribute__((noinline, noclone)) int look(struct go_string go, struct rust_str part, struct all *all, struct other *other)
{
	asm volatile("" : "+m"(*all), "+m"(*other));
	return all->n + (int)go.len + (int)part.length + !other;
}
int main(int argc, char **argv)
{
	const uint8_t *text = (const uint8_t *)"hello \"world\", and more";
	struct all all = { *(volatile const uint8_t *)text == 'h', { text, 5 }, { text + 6, 7 }, { { { { { { text }, { } }, 8 }, { } }, 5 } } };
	struct other other = { { text, NULL } };
	int sum = look(all.go, all.part, &all, &other);
	all.go = (struct go_string){ NULL, 0 };
	all.part = (struct rust_str){ (const uint8_t *)1, 0 };
	all.owned.vec.buf.inner.ptr.pointer.pointer = (const uint8_t *)16;
	return sum + look(all.go, all.part, &all, &other) + (argc > 9 && argv) == 14 ? 0 : 1;
}
C
cat >texts.stp <<'END'
probe process("./texts").function("look") {
	println($$parms$); println($$parms$$)
	text = $go$ . $all->owned$; println(text); println($all$); counts[$part$]++
}
probe end { foreach (k+ in counts) println(k, counts[k]) }
global counts
END
for options in "-O0" "-O2" "-O1 -gdwarf-4"; do
	gcc -g $options -S -o texts.s texts.c || fail gcc
	sed -i 's/"go_string"/"string"/; s/"other_string"/"string"/; s/"rust_str"/"\&str"/; s/"rust_string"/"String"/' texts.s
	gcc -o texts texts.s || fail gcc
	expect 0 "$SPILE" --engine=user -c ./texts texts.stp
	is 'go="hello" part="\"world\"" all={.n=1, .go="hello", .part="\"world\"", .owned="hello"} other={.other={...}}
go="hello" part="\"world\"" all={.n=1, .go="hello", .part="\"world\"", .owned="hello"} other={.other={.str="hello \"world\", and more", .len=0x0}}
"hello""hello"
{.n=1, .go="hello", .part="\"world\"", .owned="hello"}
go="" part="" all={.n=1, .go="", .part="", .owned=0x10} other={.other={...}}
go="" part="" all={.n=1, .go="", .part="", .owned=0x10} other={.other={.str="hello \"world\", and more", .len=0x0}}
""0x10
{.n=1, .go="", .part="", .owned=0x10}
""1
"\"world\""1'
done
# As values they are strings, which are not written.
expect 1 "$SPILE" --engine=user -g -p2 -e 'probe process("./texts").function("look") { $go = "x" }'
says '^semantic error: the variable cannot be written: it is a text \[E[0-9]*\]$'
cat >values.stp <<'END'
probe process("./texts").function("look") {
	try { n[$go, $part]++; println($all->part, strlen($all->go), $go == "hello"); println($all->owned) } catch (e) { println(e) }
}
probe process("./texts").function("look").return { println("[", $go . $part, " ", @cast($all, "all", "./texts")->go, "]") }
probe end { foreach ([a, b] in n+) println(a, "-", b) }
global n
END
expect 0 "$SPILE" --engine=user -c ./texts values.stp
is '"world"51
hello
[hello"world" hello]
00
read fault at 0x0000000000000010
[ ]
hello-"world"
-'
