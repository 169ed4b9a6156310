// SPDX-License-Identifier: GPL-2.0-or-later
// Functions whose first instruction is one of AVX. How often their result is not what it is without a tracer. Status 77: this
// processor has no AVX2.
#include <stdint.h>
#include <stdio.h>

#ifdef __x86_64__
typedef uint64_t function(uint64_t x);

// They give x + 1; the first instruction takes part in it.
#define FUNCTION(name, insn, rest) \
	__asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n\t" insn "\n\t" rest "\n\tret\n.size " #name ", . - " #name); \
	function name;
FUNCTION(shuffles, "vpshufd $0xe4, %xmm0, %xmm1", "vmovq %xmm1, %rax\n\tinc %rax") // 70, as a jump with a condition
FUNCTION(ors, "vpor %xmm0, %xmm0, %xmm1", "vmovq %xmm1, %rax\n\tinc %rax") // EB, as a jump
FUNCTION(compares, "vcmpps $0, %xmm0, %xmm0, %xmm1", "movabs $1, %rax\n\tmovabs $1, %rax\n\tadd %rdi, %rax") // C2, as a return
FUNCTION(adds, "vpaddq %xmm0, %xmm0, %xmm1", "vmovq %xmm1, %rax\n\tshr $1, %rax\n\tinc %rax") // D4, which is none

static int run(function *called)
{
	int wrong = 0;

	for (uint64_t i = 0; i < 100; i++) {
		uint64_t result;

		// The argument is in %xmm0, too. What this function keeps below its stack pointer stays.
		__asm__ volatile("vmovq %1, %%xmm0\n\tvpxor %%xmm1, %%xmm1, %%xmm1\n\tsub $128, %%rsp\n\tcall *%2\n\tadd $128, %%rsp"
				 : "=a"(result)
				 : "D"(i), "r"(called)
				 : "xmm0", "xmm1", "memory", "cc");
		wrong += result != i + 1;
	}
	return wrong;
}

int main(void)
{
	if (!__builtin_cpu_supports("avx2"))
		return 77;
	printf("%d %d %d %d wrong\n", run(shuffles), run(ors), run(compares), run(adds));
	return 0;
}
#else
int main(void)
{
	return 77;
}
#endif
