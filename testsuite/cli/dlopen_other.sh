# SPDX-License-Identifier: GPL-2.0-or-later
# A library that is mapped where another one was runs its own code, though calls have returned there to the other one.
. "$SUITE/lib.sh"
command -v gcc >/dev/null || skip "needs gcc"
# library NAME: with a function run(), whose code comes in
library()
{
	{ printf '\t.section .note.GNU-stack,"",@progbits\n\t.text\n\t.globl run\n\t.type run,@function\nrun:\n'; cat; } >"$1.s"
	gcc -shared -nostdlib -o "lib$1.so" "$1.s" || fail "lib$1.so cannot be made"
}
library calls <<'S'
	sub $8, %rsp
	call *%rdi # returns to the 7th byte
	add $8, %rsp
	ret
S
library adds <<'S'
	xor %eax, %eax
	.rept 20
	add $0x01010101, %eax # the 7th byte is in its number
	.endr
	ret
S
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
__attribute__((noipa)) int probed(void) { return 1; }
int main(void)
{
	void *at[2];

	for (int i = 0; i < 2; i++) {
		void *library = dlopen(i ? "./libadds.so" : "./libcalls.so", RTLD_NOW);
		int (*run)(int (*)(void)) = (int (*)(int (*)(void)))(at[i] = dlsym(library, "run"));

		printf("%x ", (unsigned)run(probed));
		dlclose(library);
	}
	printf("%s\n", at[0] == at[1] ? "same place" : "other place");
	return 0;
}
C
gcc -g -O2 -o opens opens.c || fail "cannot be made"
[[ $(./opens) == *same* ]] || skip "the libraries are mapped at different places"
expect 0 timeout 60 "$SPILE" --engine=user -o events -c ./opens -e 'probe process.function("probed").return { println("returns ", $return) }'
quiet
is '1 14141414 same place'
mv events out
is 'returns 1'
