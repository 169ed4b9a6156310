# SPDX-License-Identifier: GPL-2.0-or-later
# A std::string is its text, as in gdb: short and long ones, alone, among members and in a list of variables, in both engines' forms.
. "$SUITE/lib.sh"
command -v g++ >/dev/null || skip "no g++"
cat >strings.cc <<'C'
#include <string>
struct item { int id; std::string name; };
__attribute__((noinline)) int look(const std::string &text, item *i) { return (int)text.size() + i->id; }
__attribute__((noinline)) std::string make(int n) { return std::string(n, 'x') + "\""; }
int main()
{
	item i = { 7, "a name that is too long for the object itself" };

	return look("short", &i) + (int)make(3).size() - 16;
}
C
cat >strings.stp <<'END'
probe process("./strings").function("look") { println($text$); println($i$); println($i$$); println($i->name$); println($$parms$$); kept[$text$] = 1; println($text, strlen($i->name)) }
probe process("./strings").function("look") { foreach (k in kept) println(k) delete kept }
probe process("./strings").function("make").return { println($return$) }
global kept
END
for options in "-O0" "-O2" "-O1 -gdwarf-4" "-O1 -gsplit-dwarf" "-O1 -D_GLIBCXX_USE_CXX11_ABI=1 -gz"; do
	g++ -g $options -o strings strings.cc || fail g++
	expect 0 "$SPILE" --engine=user -c ./strings strings.stp
	is '"short"
{.id=7, .name="a name that is too long for the object itself"}
{.id=7, .name="a name that is too long for the object itself"}
"a name that is too long for the object itself"
text="short" i={.id=7, .name="a name that is too long for the object itself"}
short45
"short"
"xxx\""'
done
