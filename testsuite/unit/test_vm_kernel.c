// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel runs the same instructions as the VM, and both must come to the same result: random programs of arithmetic,
// forward jumps, stack accesses and atomics, over random numbers and those at the edges.
#define _GNU_SOURCE
#include "expect.h"
#include "vm_make.h"

#include <bpf/bpf.h>
#include <errno.h>

#define PROGRAMS 300
#define BODY 60 // instructions between setting the registers and mixing them
#define SLOTS 4 // numbers on the stack

struct random {
	uint64_t state;
	bool v4; // the kernel knows cpu=v4
};

static uint32_t pick(struct random *r, uint32_t below)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)(r->state >> 32) % below;
}

static uint64_t pick_number(struct random *r)
{
	static const uint64_t edges[] = { 0, 1, 2, 7, 8, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
					  0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX, 1ull << 63,
					  UINT64_MAX, UINT64_MAX - 1 };
	if (pick(r, 2))
		return edges[pick(r, SP_ARRAY_SIZE(edges))];
	return (uint64_t)pick(r, UINT32_MAX) << 32 | pick(r, UINT32_MAX);
}

static struct bpf_insn pick_alu(struct random *r)
{
	static const uint8_t ops[] = { BPF_ADD, BPF_SUB, BPF_MUL, BPF_DIV, BPF_OR, BPF_AND, BPF_LSH, BPF_RSH,
				       BPF_NEG, BPF_MOD, BPF_XOR, BPF_MOV, BPF_ARSH, BPF_END };
	struct bpf_insn i = INSN(pick(r, 2) ? BPF_ALU : BPF_ALU64, pick(r, 10), 0, 0, 0);
	bool is64 = i.code == BPF_ALU64;
	uint8_t op = ops[pick(r, SP_ARRAY_SIZE(ops))];

	i.code |= op;
	if (op == BPF_NEG)
		return i;
	if (op == BPF_END) {
		i.imm = 16 << pick(r, 3);
		if (is64 && !r->v4)
			i.code = BPF_ALU | BPF_END;
		if (BPF_CLASS(i.code) == BPF_ALU && pick(r, 2))
			i.code |= BPF_TO_BE;
		return i;
	}
	if ((op == BPF_DIV || op == BPF_MOD) && r->v4)
		i.off = (int16_t)pick(r, 2);
	if (pick(r, 2)) {
		i.code |= BPF_X;
		i.src_reg = pick(r, 10) & 15;
		if (op == BPF_MOV && r->v4)
			i.off = (int16_t[]){ 0, 8, 16, is64 ? 32 : 0 }[pick(r, 4)];
		return i;
	}
	i.imm = (int32_t)pick_number(r);
	// What the verifier refuses.
	if (op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH)
		i.imm &= is64 ? 63 : 31;
	if ((op == BPF_DIV || op == BPF_MOD) && i.imm == 0)
		i.imm = 3;
	return i;
}

// A condition that skips the next one or two instructions.
static struct bpf_insn pick_jump(struct random *r)
{
	static const uint8_t ops[] = { BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET, BPF_JNE, BPF_JSGT,
				       BPF_JSGE, BPF_JLT, BPF_JLE, BPF_JSLT, BPF_JSLE };
	struct bpf_insn i = INSN((pick(r, 2) ? BPF_JMP : BPF_JMP32) | ops[pick(r, SP_ARRAY_SIZE(ops))], pick(r, 10), 0,
				 (int16_t)(1 + pick(r, 2)), 0);

	if (pick(r, 2)) {
		i.code |= BPF_X;
		i.src_reg = pick(r, 10) & 15;
	} else {
		i.imm = (int32_t)pick_number(r);
	}
	return i;
}

static struct bpf_insn pick_memory(struct random *r)
{
	static const uint8_t sizes[] = { BPF_B, BPF_H, BPF_W, BPF_DW };
	static const int atomics[] = { BPF_ADD, BPF_AND, BPF_OR, BPF_XOR, BPF_ADD | BPF_FETCH, BPF_AND | BPF_FETCH,
				       BPF_OR | BPF_FETCH, BPF_XOR | BPF_FETCH, BPF_XCHG, BPF_CMPXCHG };
	unsigned size = pick(r, 4), reg = pick(r, 10);
	int16_t at = (int16_t)(-8 * (int)(1 + pick(r, SLOTS)));

	switch (pick(r, 5)) {
	case 0:
		return INSN(BPF_LDX | BPF_MEM | sizes[size], reg, 10, at, 0);
	case 1:
		if (r->v4 && size < 3)
			return INSN(BPF_LDX | 0x80 | sizes[size], reg, 10, at, 0);
		return INSN(BPF_LDX | BPF_MEM | BPF_DW, reg, 10, at, 0);
	case 2:
		return INSN(BPF_STX | BPF_MEM | sizes[size], 10, reg, at, 0);
	case 3:
		return INSN(BPF_ST | BPF_MEM | sizes[size], 10, 0, at, (int32_t)pick_number(r));
	}
	return INSN(BPF_STX | BPF_ATOMIC | (pick(r, 2) ? BPF_W : BPF_DW), 10, reg, at,
		    atomics[pick(r, SP_ARRAY_SIZE(atomics))]);
}

// A program whose result depends on all registers and the stack. Returns its length.
static size_t make_program(struct random *r, struct bpf_insn *code)
{
	size_t n = 0;

	for (unsigned reg = 0; reg < 10; reg++) {
		uint64_t number = pick_number(r);
		const struct bpf_insn load[] = { LD_NUM(reg, number) };

		memcpy(&code[n], load, sizeof(load));
		n += 2;
	}
	for (unsigned s = 0; s < SLOTS; s++)
		code[n++] = STX(DW, 10, s, (int16_t)(-8 * (int)(s + 1)));
	for (unsigned i = 0; i < BODY; i++) {
		unsigned kind = pick(r, 10);

		code[n++] = kind < 6 ? pick_alu(r) : kind < 8 ? pick_memory(r) : pick_jump(r);
	}
	// The targets of the last jumps.
	code[n++] = MOV_R(0, 0);
	code[n++] = MOV_R(0, 0);
	for (unsigned reg = 1; reg < 10; reg++) {
		code[n++] = ALU64_I(MUL, 0, 31);
		code[n++] = ALU64_R(ADD, 0, reg);
	}
	for (unsigned s = 0; s < SLOTS; s++) {
		code[n++] = LDX(DW, 1, 10, (int16_t)(-8 * (int)(s + 1)));
		code[n++] = ALU64_I(MUL, 0, 31);
		code[n++] = ALU64_R(ADD, 0, 1);
	}
	return n;
}

// The low or high half of what the program leaves in r0. A test run gives 32 bits. Negative: errno.
static int64_t run_in_kernel(const struct bpf_insn *code, size_t n, bool high)
{
	struct bpf_insn all[256];
	char packet[64] = "", words[4096] = "";
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet), .repeat = 1);
	int fd, ret;

	memcpy(all, code, n * sizeof(*code));
	if (high)
		all[n++] = ALU64_I(RSH, 0, 32);
	all[n++] = EXIT();
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "t", "GPL", all, n,
			   &(struct bpf_prog_load_opts){ .sz = sizeof(struct bpf_prog_load_opts), .log_buf = words,
							 .log_size = sizeof(words), .log_level = 0 });
	if (fd < 0)
		return -errno;
	ret = bpf_prog_test_run_opts(fd, &opts) < 0 ? -errno : 0;
	close(fd);
	return ret < 0 ? ret : (int64_t)opts.retval;
}

static void print_program(const struct bpf_insn *code, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("  %3zu: code 0x%02x dst %u src %u off %d imm %d\n", i, code[i].code, code[i].dst_reg,
		       code[i].src_reg, code[i].off, code[i].imm);
}

static bool compare(const struct bpf_insn *code, size_t n)
{
	int64_t low = run_in_kernel(code, n, false), high = run_in_kernel(code, n, true), here;
	struct bpf_insn all[256];
	struct vm_made made;
	uint64_t want;

	if (low < 0 || high < 0) {
		printf("the kernel refuses the program: %s\n", strerror((int)-SP_MIN(low, high)));
		return false;
	}
	want = (uint64_t)low | (uint64_t)high << 32;
	memcpy(all, code, n * sizeof(*code));
	all[n] = EXIT();
	if (!vm_made_init(&made, all, n + 1, 0)) {
		printf("the VM refuses the program: %s\n", made.error);
		vm_made_deinit(&made);
		return false;
	}
	here = vm_made_run(&made, NULL, NULL, 0);
	if (made.error)
		printf("%s\n", made.error);
	vm_made_deinit(&made);
	if ((uint64_t)here != want)
		printf("the VM has 0x%" PRIx64 ", the kernel 0x%" PRIx64 "\n", (uint64_t)here, want);
	return (uint64_t)here == want;
}

int main(int argc, char **argv)
{
	const struct bpf_insn plain[] = { MOV_I(0, 7) }, v4[] = { MOV_I(0, 7), INSN(BPF_ALU64 | BPF_END, 0, 0, 0, 16) };
	struct random r = { .state = 0x9e3779b97f4a7c15 };
	struct bpf_insn code[256];
	int64_t ret = run_in_kernel(plain, 1, false);
	unsigned programs = PROGRAMS;

	if (ret < 0) {
		printf("programs cannot be run in this kernel: %s\n", strerror((int)-ret));
		return 77;
	}
	// Another start, and more of them: test_vm_kernel SEED COUNT
	if (argc > 1)
		r.state = strtoull(argv[1], NULL, 0) | 1;
	if (argc > 2)
		programs = (unsigned)strtoul(argv[2], NULL, 0);
	EXPECT_NUM(ret, 7);
	r.v4 = run_in_kernel(v4, 2, false) == 0x0700;
	for (unsigned i = 0; i < programs && expect_failures < 3; i++) {
		size_t n = make_program(&r, code);

		if (!compare(code, n)) {
			printf("program %u:\n", i);
			print_program(code, n);
			expect_failures++;
		}
	}
	printf("%u programs, cpu=%s\n", programs, r.v4 ? "v4" : "v3");
	return expect_status();
}
