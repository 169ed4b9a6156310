# SPDX-License-Identifier: GPL-2.0-or-later
# Of an array of texts $x$$ shows the first one, as of an array of `char *`.
. "$SUITE/lib.sh"
cat >prog.c <<'EOF'
struct s { char two[2][4], one[1][4], deep[2][2][3]; unsigned char bytes[2][2]; signed short numbers[2][2]; } s = {
	{ "ab", "cd" }, { "ef" }, { { "g", "h" }, { "i", "j" } }, { "k", "l" }, { { 1, 2 } }
};
char names[3][8] = { "one", "two" };
__attribute__((noipa)) int work(struct s *s, char (*rows)[8]) { return s->two[0][0] + rows[0][0]; }
int main(void) { return !work(&s, names); }
EOF
gcc -g -O1 -o prog prog.c || fail "gcc"
cat >x.stp <<'EOF'
probe process("./prog").function("work") {
	println($s$$)
	println($s$)
	println($s->two$, $s->two[1]$, $rows$, @var("names")$)
}
EOF
expect 0 "$SPILE" --engine=user -c ./prog x.stp
is '{.two=["ab", ...], .one=["ef", ...], .deep=["g", ...], .bytes=["k", ...], .numbers=[1, ...]}
{.two=[...], .one=[...], .deep=[...], .bytes=[...], .numbers=[...]}
["ab", ...]"cd""one"["one", ...]'
