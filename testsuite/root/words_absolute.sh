# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions of 32 bits that the kernel takes for others of 64 bits when such a process has the program mapped, too, are not probed.
. "$SUITE/lib.sh"
need_32_bits
cat >absolute.c <<'C'
#define FUNCTION(name, insn) \
	__asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n\t" insn "\n\tret\n.size " #name ", . - " #name); \
	int name(void);
int counter = 7, other = 8;
FUNCTION(pushes, "push %eax\n\tmov counter, %edx\n\tpop %eax\n\tmov %edx, %eax")
FUNCTION(loads, "mov counter, %edx\n\tmov %edx, %eax")
FUNCTION(adds, "addl $1, other\n\tmov other, %eax")
FUNCTION(incs, "inc %ecx\n\tpush %eax\n\tpop %edx\n\txor %edx, %eax\n\tinc %eax") // as 64-bit code: push of another register
int main(void)
{
	for (int i = 0; i < 100; i++)
		if (pushes() != 7 || loads() != 7 || adds() != 9 + i || incs() != 1)
			return 1;
	return 0;
}
C
gcc -m32 -no-pie -O2 -o absolute absolute.c || fail gcc
./absolute || fail "it goes wrong by itself"
python3 -c 'import mmap, sys, time
file = open("absolute")
memory = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
open("mapped", "w").close()
time.sleep(1000)' &
trap "kill $!" EXIT
wait_for 60 test -e mapped
for name in loads adds incs; do
	for return in '' .return; do
		expect 3 "$SPILE" --engine=kernel -c ./absolute -e "probe process(\"$PWD/absolute\").function(\"$name\")$return { println(\"no\") }"
		says "^ERROR: cannot attach probe .*\"$name\"\\)${return/./\\.} \\(u(ret)?probe\\): the kernel can take the 32-bit instruction at offset 0x[0-9a-f]+ of .*/absolute for another one, and would do that in its place; probe another instruction, or use --engine=user\$"
	done
done
expect 0 "$SPILE" --engine=kernel -c ./absolute -e 'global n probe process(@1).function("pushes"), process(@1).function("main") { n[ppfunc()]++ }
probe end { foreach (name+ in n) println(name, " ", n[name]) }' "$PWD/absolute"
is 'main 1
pushes 100'
