# SPDX-License-Identifier: GPL-2.0-or-later
# A probe in a restartable sequence (rseq(2)) would take its thread out of that, and is refused; beside it, all is probed.
. "$SUITE/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "its sequence is x86_64's"
cat >sequence.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <sys/rseq.h>

#define area ((struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset))

static long n_done;

// Is the thread in no sequence any more when it comes to the end of this one?
__attribute__((noipa)) static int sequence(void)
{
	uint64_t inside;

	__asm__ volatile(".pushsection __rseq_cs, \"aw\"\n"
			 ".balign 32\n"
			 "	.quad 0, elsewhere, 1, sequence_abort\n"
			 "1:	.quad 0, sequence_begin, sequence_end - sequence_begin, sequence_abort\n"
			 ".popsection\n"
			 "sequence_again:\n"
			 "	leaq 1b(%%rip), %%rax\n"
			 "	movq %%rax, %1\n"
			 "sequence_begin:\n"
			 "	movq %2, %%rcx\n"
			 "sequence_middle:\n"
			 "	leaq 1(%%rcx), %%rcx\n"
			 "	movq %1, %0\n"
			 "	movq %%rcx, %2\n"
			 "sequence_end:\n"
			 ".pushsection .text.elsewhere, \"ax\"\n"
			 "elsewhere:\n"
			 "	.byte 0x0f, 0xb9, 0x3d\n"
			 "	.long 0x53053053\n"
			 "sequence_abort:\n"
			 "	jmp sequence_again\n"
			 ".popsection"
			 : "=&r"(inside), "+m"(*(uint64_t *)&area->rseq_cs), "+m"(n_done) : : "rax", "rcx", "cc");
	return !inside;
}

int main(void)
{
	int n_outside = 0;

	for (int i = 0; i < 100; i++)
		n_outside += sequence();
	printf("%ld %d\n", n_done, n_outside);
	return 0;
}
C
linkers=bfd
! command -v ld.lld >/dev/null || linkers+=" lld" # leaves the addresses to the dynamic linker
for linker in $linkers; do
	gcc -O1 -g -fuse-ld=$linker -o sequence sequence.c || skip "needs a C library with rseq(2)"
	[ "$(./sequence)" = '100 0' ] || skip "no restartable sequences are registered here: $(./sequence)"
	at() { echo "0x$(nm sequence | sed -n "s/^0*\(.*\) . sequence_$1\$/\1/p")"; }
	for place in begin middle; do
		for absolute in "" .absolute; do
			expect 1 "$SPILE" --engine=user -c ./sequence -e "probe process(\"./sequence\").statement($(at $place))$absolute { println(1) }"
			says "^semantic error: sequence cannot be probed: $(at $place) is in a restartable sequence \\(rseq\\(2\\)\\), which a probe would break \\[E408\\]\$"
		done
	done
	for place in again end; do
		expect 0 "$SPILE" --engine=user -c ./sequence -e "global n probe process(\"./sequence\").statement($(at $place)).absolute { n++ } probe end { println(n) }"
		is '100 0
100'
	done
	expect 0 "$SPILE" --engine=user -c ./sequence -e "global n probe process(\"./sequence\").function(\"main\"),
		process(\"./sequence\").statement($(at middle)) ? { n++ } probe end { println(n) }"
	is '100 0
1'
done

# One that no section tells is found when it is met: the kernel lets it begin anew, without the probe.
sed 's/__rseq_cs, /.data.rel.other, /' sequence.c >other.c
gcc -O1 -g -o other other.c || fail "gcc"
at() { echo "0x$(nm other | sed -n "s/^0*\(.*\) . sequence_$1\$/\1/p")"; }
for place in begin middle; do
	expect 0 timeout 20 "$SPILE" --engine=user -c ./other -e "global n probe process(\"./other\").statement($(at $place)).absolute { n++ } probe end { println(n) }"
	is '100 0
0'
	says '^WARNING: the breakpoint at 0x[0-9a-f]* in process [0-9]* was taken out: it is in a restartable sequence \(rseq\(2\)\), which a probe would break$'
done
