// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/vm/vm_verify.h"

#include "runtime/abi/uservm.h"
#include "runtime/base/cleanup.h"

// Not in the headers of all distributions: cpu=v4.
#ifndef BPF_MEMSX
#define BPF_MEMSX 0x80
#endif

#define FRAME_POINTER 10
#define N_REGS 11

enum { FREE, INSN, SECOND_HALF }; // what an instruction slot holds

struct verify {
	const struct bundle *bundle;
	uint8_t *slots; // FREE, INSN, SECOND_HALF for each of bundle->user
	uint32_t first, end; // the program's code
};

// Calls with src_reg 0 that vm_call.c implements.
static bool is_call(int32_t id)
{
	switch (id) {
	case BPF_FUNC_probe_read:
	case BPF_FUNC_ktime_get_ns:
	case BPF_FUNC_get_prandom_u32:
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_current_pid_tgid:
	case BPF_FUNC_get_current_uid_gid:
	case BPF_FUNC_get_current_comm:
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf:
	case BPF_FUNC_probe_write_user:
	case BPF_FUNC_probe_read_str:
	case BPF_FUNC_probe_read_user:
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_user_str:
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_jiffies64:
	case BPF_FUNC_ktime_get_boot_ns:
	case BPF_FUNC_ktime_get_coarse_ns:
	case BPF_FUNC_snprintf:
	case BPF_FUNC_get_attach_cookie:
	case BPF_FUNC_get_func_ip:
	case BPF_FUNC_get_stack:
	case BPF_FUNC_send_signal_thread:
		return true;
	}
	return id >= SP_VM_CALL_FIRST && id < SP_VM_CALL_END;
}

static uint64_t area_size(const struct bundle *b, enum sp_vm_area area)
{
	switch (area) {
	case SP_VM_AREA_DATA:
		return b->head->data_size;
	case SP_VM_AREA_SLOTS:
		return (uint64_t)b->head->n_slots * sizeof(uint64_t);
	case SP_VM_AREA_UDATA:
		return b->udata_size;
	case SP_VM_AREA_COUNT:
		break;
	}
	return 0;
}

static const char *check_load_imm(const struct verify *v, uint32_t at)
{
	const struct bpf_insn *i = &v->bundle->user[at];

	if (i->off || i[1].code || i[1].dst_reg || i[1].src_reg || i[1].off)
		return "a malformed 64-bit immediate load";
	switch (i->src_reg) {
	case 0:
		return NULL;
	case SP_VM_LD_MAP:
		if ((uint32_t)i->imm >= v->bundle->n_maps || i[1].imm)
			return "the map's index is out of range";
		return NULL;
	case SP_VM_LD_AREA:
		if ((uint32_t)i->imm >= SP_VM_AREA_COUNT)
			return "an unknown memory area";
		if ((uint32_t)i[1].imm > area_size(v->bundle, (enum sp_vm_area)i->imm))
			return "the address is outside its memory area";
		return NULL;
	}
	return "an unknown kind of immediate";
}

static const char *check_alu(const struct bpf_insn *i)
{
	bool is64 = BPF_CLASS(i->code) == BPF_ALU64, reg = BPF_SRC(i->code) == BPF_X;
	int op = BPF_OP(i->code);

	if (op == BPF_END) {
		if (i->off || i->src_reg || (is64 && reg) ||
		    (i->imm != 16 && i->imm != 32 && i->imm != 64))
			return "a malformed byte swap";
		return NULL;
	}
	if (op == BPF_NEG)
		return i->off || reg || i->imm || i->src_reg ? "a malformed negation" : NULL;
	if (op > BPF_END)
		return "an unknown operation";
	if (reg ? i->imm != 0 : i->src_reg != 0)
		return "an operand that is not used";
	if (i->off == 0)
		return NULL;
	if ((op == BPF_DIV || op == BPF_MOD) && i->off == 1)
		return NULL;
	if (op == BPF_MOV && reg && (i->off == 8 || i->off == 16 || (i->off == 32 && is64)))
		return NULL;
	return "an unknown variant of an operation";
}

static const char *check_atomic(const struct bpf_insn *i)
{
	if (BPF_SIZE(i->code) != BPF_W && BPF_SIZE(i->code) != BPF_DW)
		return "an atomic operation of a wrong size";
	switch (i->imm) {
	case BPF_ADD:
	case BPF_AND:
	case BPF_OR:
	case BPF_XOR:
	case BPF_CMPXCHG:
		return NULL;
	case BPF_ADD | BPF_FETCH:
	case BPF_AND | BPF_FETCH:
	case BPF_OR | BPF_FETCH:
	case BPF_XOR | BPF_FETCH:
	case BPF_XCHG:
		return i->src_reg == FRAME_POINTER ? "it writes the frame pointer" : NULL;
	}
	return "an unknown atomic operation";
}

static const char *check_memory(const struct bpf_insn *i)
{
	int mode = BPF_MODE(i->code);

	switch (BPF_CLASS(i->code)) {
	case BPF_LDX:
		if (mode == BPF_MEM || (mode == BPF_MEMSX && BPF_SIZE(i->code) != BPF_DW))
			return i->imm ? "an operand that is not used" : NULL;
		break;
	case BPF_ST:
		if (mode == BPF_MEM)
			return i->src_reg ? "an operand that is not used" : NULL;
		break;
	case BPF_STX:
		if (mode == BPF_MEM)
			return i->imm ? "an operand that is not used" : NULL;
		if (mode == BPF_ATOMIC)
			return check_atomic(i);
		break;
	}
	return "an unknown memory access";
}

// Jumps are relative to the next instruction.
static bool is_target(const struct verify *v, uint32_t at, int64_t offset)
{
	int64_t target = (int64_t)at + 1 + offset;

	return target >= v->first && target < v->end && v->slots[target] == INSN;
}

static const char *check_jump(const struct verify *v, uint32_t at)
{
	const struct bpf_insn *i = &v->bundle->user[at];
	bool is64 = BPF_CLASS(i->code) == BPF_JMP, reg = BPF_SRC(i->code) == BPF_X;
	int op = BPF_OP(i->code);

	if (op == BPF_CALL) {
		if (!is64 || reg || i->off || i->dst_reg)
			return "an unknown call";
		if (i->src_reg == 0)
			return is_call(i->imm) ? NULL : "an unknown call";
		if (i->src_reg != BPF_PSEUDO_CALL)
			return "an unknown call";
		return is_target(v, at, i->imm) ? NULL : "the called function is outside the program";
	}
	if (op == BPF_EXIT)
		return !is64 || reg || i->off || i->imm || i->dst_reg || i->src_reg
			       ? "a malformed exit"
			       : NULL;
	if (op == BPF_JA) {
		if (reg || i->dst_reg || i->src_reg || (is64 ? i->imm : i->off))
			return "a malformed jump";
		return is_target(v, at, is64 ? i->off : i->imm) ? NULL
								: "the jump leaves the program";
	}
	if (op > BPF_JSLE)
		return "an unknown jump";
	if (reg ? i->imm != 0 : i->src_reg != 0)
		return "an operand that is not used";
	return is_target(v, at, i->off) ? NULL : "the jump leaves the program";
}

static const char *check_insn(const struct verify *v, uint32_t at)
{
	const struct bpf_insn *i = &v->bundle->user[at];
	int class = BPF_CLASS(i->code);

	if (i->dst_reg >= N_REGS || i->src_reg >= N_REGS)
		return "an unknown register";
	if (i->dst_reg == FRAME_POINTER &&
	    (class == BPF_ALU || class == BPF_ALU64 || class == BPF_LDX || class == BPF_LD))
		return "it writes the frame pointer";
	switch (class) {
	case BPF_LD:
		return check_load_imm(v, at);
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		return check_memory(i);
	case BPF_ALU:
	case BPF_ALU64:
		return check_alu(i);
	case BPF_JMP:
	case BPF_JMP32:
		return check_jump(v, at);
	}
	return "an unknown instruction";
}

static bool is_last(const struct bpf_insn *i)
{
	int class = BPF_CLASS(i->code), op = BPF_OP(i->code);

	return (class == BPF_JMP && (op == BPF_EXIT || op == BPF_JA)) ||
	       (class == BPF_JMP32 && op == BPF_JA);
}

static struct sp_err *fail(const struct verify *v, unsigned prog, uint32_t at, const char *what)
{
	return sp_err_new(SP_ERR_FORMAT,
			  "not a valid compiled script: code of %s, instruction %u (0x%02x): %s",
			  bundle_text(v->bundle, v->bundle->progs[prog].name), at - v->first,
			  v->bundle->user[at].code, what);
}

// Finds where instructions begin, and checks that no other program uses the same ones: so the whole takes linear time.
static struct sp_err *mark(struct verify *v, unsigned prog)
{
	uint32_t last = v->first;

	for (uint32_t at = v->first; at < v->end; at++) {
		const struct bpf_insn *i = &v->bundle->user[at];

		if (v->slots[at] != FREE)
			return fail(v, prog, at, "it belongs to another program, too");
		last = at;
		v->slots[at] = INSN;
		if (BPF_CLASS(i->code) != BPF_LD)
			continue;
		if (i->code != (BPF_LD | BPF_IMM | BPF_DW))
			return fail(v, prog, at, "an unknown instruction");
		if (at + 1 == v->end || v->slots[at + 1] != FREE)
			return fail(v, prog, at, "a malformed 64-bit immediate load");
		v->slots[++at] = SECOND_HALF;
	}
	return is_last(&v->bundle->user[last]) ? NULL : fail(v, prog, last, "the code has no end");
}

struct sp_err *vm_verify(const struct bundle *bundle)
{
	sp_cleanup_free uint8_t *slots = sp_calloc(bundle->n_user + 1, 1);
	struct verify v = { .bundle = bundle, .slots = slots };

	for (unsigned p = 0; p < bundle->n_progs; p++) {
		v.first = bundle->progs[p].user_insn;
		v.end = v.first + bundle->progs[p].n_user_insns;
		if (v.first == v.end)
			continue;
		SP_TRY(mark(&v, p));
		for (uint32_t at = v.first; at < v.end; at++) {
			const char *wrong = slots[at] == INSN ? check_insn(&v, at) : NULL;

			if (wrong)
				return fail(&v, p, at, wrong);
		}
	}
	return NULL;
}
