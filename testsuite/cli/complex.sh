# SPDX-License-Identifier: GPL-2.0-or-later
# _Complex numbers are structures of their two parts: parameters, members, globals and results.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the options are for x86_64"
command -v gcc >/dev/null || skip "needs gcc"
cat >complex.c <<'C'
struct wave { double _Complex z; int after; };
double _Complex global = 3.5 + 4.25i;
unsigned long _Complex sizes = 1;
__attribute__((noipa)) void use(float _Complex f, double _Complex d, long double _Complex l, int _Complex i, struct wave *s)
{
	volatile double _Complex kept = d + f + (double _Complex)l + i + s->z;

	(void)kept;
}
__attribute__((noipa)) float _Complex in_float(float _Complex f) { return f * 2; }
__attribute__((noipa)) double _Complex in_double(int n, double _Complex d) { return d * n; }
__attribute__((noipa)) int _Complex in_int(int _Complex i) { return i; }
__attribute__((noipa)) long double _Complex in_long(long double _Complex l) { return l; }
int main(void)
{
	struct wave s = { 1.5 + 2.5i, 7 };

	use(1.25f + 2.25fi, 5.5 - 6.5i, 7 + 8i, 3 - 4i, &s);
	in_float(1 - 2i);
	in_double(3, 1 + 2i);
	in_int(5 + 6i);
	in_long(1);
	return 0;
}
C
cat >complex.stp <<'STP'
probe process("./complex").function("use") {
  printf("%s\n%s %s %s\n", $$parms, $s->z$, $s$, @var("global")$)
  printf("%d\n%s\n", $i->imag, @var("sizes")$)
}
probe process("./complex").function("in_float").return, process("./complex").function("in_double").return,
      process("./complex").function("in_int").return { printf("%s %s\n", ppfunc(), $return$) }
STP
for options in "-O0" "-m32 -O0"; do
	[ "$options" = -O0 ] || runs_32_bits || continue
	# shellcheck disable=SC2086
	gcc -g $options -o complex complex.c || continue
	expect 0 "$SPILE" --engine=user -c ./complex complex.stp
	sed -Ei 's/s=0x[0-9a-f]+/s=ADDRESS/' out
	is 'f={.real=1.25, .imag=2.25} d={.real=5.5, .imag=-6.5} l={.real=7, .imag=8} i={.real=3, .imag=-4} s=ADDRESS
{.real=1.5, .imag=2.5} {.z={.real=1.5, .imag=2.5}, .after=7} {.real=3.5, .imag=4.25}
-4
?
in_float {.real=2, .imag=-4}
in_double {.real=3, .imag=6}
in_int {.real=5, .imag=6}'
	expect 1 "$SPILE" -p2 -e 'probe process("./complex").function("use") { println($d) }'
	says '^semantic error: a whole complex double is not a value '
	says '^    hint: name a member, such as \$d->real, or take the address: &\$d$'
done
# Of integers but int, gcc does not tell the sign. Two registers of the x87 have the result.
gcc -g -O0 -o complex complex.c
expect 1 "$SPILE" -p2 -e 'probe process("./complex").function("use") { println(@var("sizes")) }'
says '^semantic error: a value of type __unknown__ cannot be read '
expect 1 "$SPILE" -p2 -e 'probe process("./complex").function("in_long").return { println($return$) }'
says '^semantic error: \$return of in_long is not returned in registers '
