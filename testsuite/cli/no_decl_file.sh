# SPDX-License-Identifier: GPL-2.0-or-later
# Free Pascal does not tell in which file a function is declared, finds variables by the frame pointer, and has some whose names begin with
# `$`: the file is that of the code, the prologue stores the parameters, and what scripts cannot name is not listed.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "code of x86 is made"
cat >p.c <<'C'
__attribute__((noinline)) int twice(int a, char *b)
{
	int $result = a * 2;
	int other = $result + b[0];
	return other;
}
int main(void)
{
	return twice(21, "x") != 162;
}
C
gcc -g -gdwarf-4 -O0 -fno-omit-frame-pointer -S -dA p.c || skip "no C compiler"
sed -E '/\(DW_AT_decl_file\)/s/0x3a/0x2f00/; s/GNU C[0-9]+ [^"]*/Free Pascal/' p.s |
	awk '/DW_OP_fbreg/ { sub(/0x91/, "0x76"); print; getline; print "\t" $1 "\t" $2 + 16; next } { print }' >like-pascal.s
gcc -o p like-pascal.s && ./p || fail "it is not made"
! cmp -s p.s like-pascal.s || fail "nothing was changed"

expect 0 "$SPILE" -L 'process("./p").function("*@p.c")'
sed -i "s,$PWD/,,g" out
is 'process("p").function("main@p.c:8")
process("p").function("twice@p.c:2") $a:int $b:char* $other:int'
expect 0 "$SPILE" --engine=user -c ./p -e 'probe process("./p").function("twice") { println($$parms$) }
probe process("./p").statement("twice@p.c:5") { println($$vars$) }'
is 'a=21 b="x"
a=21 b="x" other=162'
quiet
