# SPDX-License-Identifier: GPL-2.0-or-later
# In a nested function the name of a variable of the function around it is not that of a global one: there is no such variable to be read.
. "$SUITE/lib.sh"
cat >nested.c <<'C'
int x = 100, y = 200, sink;
__attribute__((noinline)) int around(int q)
{
	int x = q;
	__attribute__((noinline)) int nested(int k) { x += k; sink += x + y; return x; }
	return nested(3) + nested(4);
}
int main(void) { return around(5) == 0; }
C
gcc -g -O0 -o nested nested.c 2>/dev/null || skip "this compiler has no nested functions"
readelf --debug-dump=info nested | grep -q DW_AT_static_link || skip "this compiler does not tell which functions are nested"
expect 1 "$SPILE" -p2 -e 'probe process("./nested").function("nested") { println($x) }'
says '^semantic error: there is no \$x in nested \[E501\]$'
expect 0 "$SPILE" --engine=user -c ./nested -e 'probe process("./nested").function("nested") { println(@defined($x), " ", $y, " ", $k, " ", @var("x")) }'
is '0 200 3 100
0 200 4 100'
