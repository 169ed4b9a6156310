# SPDX-License-Identifier: GPL-2.0-or-later
# A library's variable of which the program has a copy (R_*_COPY), or another of that name, is the program's: the library reads that one, too.
. "$SUITE/lib.sh"
cat >lib.c <<'C'
int shared = 5, other = 6, alone = 8;
static int own = 7;
int work(int n) { shared += n; other += n; alone += n; own += n; return shared + other + alone + own; }
C
cat >main.c <<'C'
extern int shared;
int other = 600;
int work(int);
int main(void) { shared = 50; work(1); return work(2) == 0; }
C
cat >x.stp <<'S'
probe process("./liblib.so").function("work")
{
	println($shared, " ", $other, " ", $alone, " ", $own, " ", @var("shared@lib.c"))
	if ($n == 2)
		$alone = 20
}
probe process("./liblib.so").function("work").return { println("= ", $return) }
S
expect 0 gcc -g -O1 -fPIC -shared -o liblib.so lib.c
for flags in '-fno-pic -no-pie' '-fPIE -pie'; do
	expect 0 gcc -g -O1 $flags -o prog main.c ./liblib.so
	expect 0 "$SPILE" --engine=user -g -c ./prog x.stp
	is '50 600 8 7 50
= 669
51 601 9 8 51
= 688'
done
