# SPDX-License-Identifier: GPL-2.0-or-later
# In .return probes, what $$vars shows of a variable at the entry is a text: neither the variable itself in the same handler, nor a number
# of the same name in another function is taken for it. Nor is a private variable or function of another file.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"

cat >shown.c <<'C'
__attribute__((noinline)) int number(int names)
{
	__asm__ volatile("" ::: "memory");
	return names + 1;
}

__attribute__((noinline)) int texts(int i)
{
	static volatile char names[4] = "abc";

	__asm__ volatile("" ::: "memory");
	return names[i];
}

int main(void)
{
	return number(7) + texts(1) == 0;
}
C
gcc -g -O2 -o shown shown.c || exit 1
for order in 'number texts' 'texts number'; do
	set -- $order
	expect 0 "$SPILE" --engine=user -c ./shown -e "probe process(\"./shown\").function(\"$1\").return, process(\"./shown\").function(\"$2\").return { println(\$\$vars) }"
	quiet
	is 'names=0x7
i=0x1 names=[...]'
done
expect 0 "$SPILE" --engine=user -c ./shown -e 'probe process("./shown").function("texts").return { println($$vars, " ", user_string($names)) }'
is 'i=0x1 names=[...] abc'

mkdir lib
cat >lib/number.stp <<'S'
private global n = 1
private function f() { return 10 }
probe number = process("./shown").function("number").return { theirs = @entry(n + f()) }
S
expect 0 "$SPILE" --engine=user -I lib -c ./shown -e 'private global n = 2 private function f() { return 20 } probe number { println(theirs, " ", @entry(n + f())) }'
quiet
is '11 22'
