// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/unwind/cfi_program.h"

#include "runtime/abi/unwind.h"

#define REG_RBP 6
#define REG_RSP 7
#define REG_R10 10
#define MAX_REMEMBERED 16
#define CFA_MAX ((1 << (SP_UNWIND_CFA_BITS - 1)) - 1) // words

enum {
	CFA_NOP = 0x00, CFA_SET_LOC, CFA_ADVANCE1, CFA_ADVANCE2, CFA_ADVANCE4, CFA_OFFSET_EXTENDED, CFA_RESTORE_EXTENDED, CFA_UNDEFINED,
	CFA_SAME_VALUE, CFA_REGISTER, CFA_REMEMBER, CFA_RESTORE_STATE, CFA_DEF, CFA_DEF_REGISTER, CFA_DEF_OFFSET, CFA_DEF_EXPRESSION,
	CFA_EXPRESSION, CFA_OFFSET_EXTENDED_SF, CFA_DEF_SF, CFA_DEF_OFFSET_SF, CFA_VAL_OFFSET, CFA_VAL_OFFSET_SF, CFA_VAL_EXPRESSION,
	CFA_GNU_ARGS_SIZE = 0x2e, CFA_GNU_NEGATIVE_OFFSET,
	CFA_ADVANCE = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0 // with an operand in the low six bits
};

// ---- expressions -----------------------------------------------------------------------------------------------------

enum { OP_DEREF = 0x06, OP_AND = 0x1a, OP_PLUS = 0x22, OP_SHL = 0x24, OP_GE = 0x2a, OP_LIT0 = 0x30, OP_BREG0 = 0x70 };

// rsp + 8 + ((rip & 15) >= N) * 8: entries of a PLT push one word or two.
static bool is_plt(struct sp_bytes b, int64_t *ret)
{
	static const uint8_t front[] = { OP_BREG0 + REG_RSP, 8, OP_BREG0 + 16, 0, OP_LIT0 + 15, OP_AND };
	static const uint8_t back[] = { OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };

	if (b.end - b.at != sizeof(front) + 1 + sizeof(back) || memcmp(b.at, front, sizeof(front)) != 0 ||
	    memcmp(b.at + sizeof(front) + 1, back, sizeof(back)) != 0)
		return false;
	*ret = b.at[sizeof(front)] - OP_LIT0;
	return *ret >= 0 && *ret < 16;
}

static struct cfi_cfa cfa_expression(struct sp_bytes b)
{
	struct cfi_cfa cfa = { CFI_CFA_NONE, 0 };
	uint64_t op;

	if (is_plt(b, &cfa.offset)) {
		cfa.kind = CFI_CFA_PLT;
		return cfa;
	}
	op = sp_bytes_number(&b, 1);
	cfa.offset = sp_bytes_sleb(&b);
	if (sp_bytes_number(&b, 1) != OP_DEREF || b.bad || b.at != b.end)
		return cfa;
	cfa.kind = op == OP_BREG0 + REG_RSP ? CFI_CFA_SP_DEREF : op == OP_BREG0 + REG_RBP ? CFI_CFA_BP_DEREF : CFI_CFA_NONE;
	return cfa;
}

static struct cfi_saved saved_expression(struct sp_bytes b)
{
	bool is_bp = sp_bytes_number(&b, 1) == OP_BREG0 + REG_RBP && sp_bytes_sleb(&b) == 0;

	return (struct cfi_saved){ is_bp && !b.bad && b.at == b.end ? CFI_SAVED_AT_BP : CFI_SAVED_OTHER, 0 };
}

// ---- rules -----------------------------------------------------------------------------------------------------------

struct run {
	const struct cfi_common *common;
	struct sp_bytes insns;
	struct cfi_rules rules;
	struct cfi_rules remembered[MAX_REMEMBERED];
	unsigned n_remembered;
	uint64_t pc, end;
	struct cfi_rows *rows; // NULL: of the common part
};

// Compilers do not tell that `leave` has restored rbp, when it was where it points to.
static uint32_t rbp_code(const struct cfi_rules *r)
{
	const struct cfi_saved *rbp = &r->rbp;

	switch (rbp->kind) {
	case CFI_SAVED_SAME:
	case CFI_SAVED_UNDEFINED:
	case CFI_SAVED_OTHER: // a register has it: calls keep only rbx and r12 to r15, which nobody follows
		return SP_UNWIND_RBP_SAME;
	case CFI_SAVED_AT_BP:
		return r->cfa.kind == CFI_CFA_SP ? SP_UNWIND_RBP_SAME : SP_UNWIND_RBP_AT_BP;
	case CFI_SAVED_AT_CFA:
		break;
	}
	return rbp->offset < 0 && rbp->offset % 8 == 0 && -rbp->offset / 8 <= SP_UNWIND_RBP_MAX ? (uint32_t)(-rbp->offset / 8) :
												   UINT32_MAX;
}

static uint32_t info_of(const struct cfi_common *c, const struct cfi_rules *r)
{
	static const uint8_t kinds[] = { [CFI_CFA_NONE] = SP_UNWIND_NONE, [CFI_CFA_SP] = SP_UNWIND_SP, [CFI_CFA_BP] = SP_UNWIND_BP,
					 [CFI_CFA_R10] = SP_UNWIND_R10, [CFI_CFA_SP_DEREF] = SP_UNWIND_NONE,
					 [CFI_CFA_BP_DEREF] = SP_UNWIND_BP_DEREF, [CFI_CFA_PLT] = SP_UNWIND_PLT };
	int64_t words = r->cfa.kind == CFI_CFA_PLT ? r->cfa.offset : r->cfa.offset / 8;
	uint32_t rbp = rbp_code(r);

	if (c->is_signal)
		return r->cfa.kind == CFI_CFA_SP_DEREF && r->cfa.offset == SP_UNWIND_SIGNAL_RSP * 8 ? SP_UNWIND_SIGNAL : SP_UNWIND_NONE;
	if (r->ret.kind == CFI_SAVED_UNDEFINED)
		return SP_UNWIND_END;
	if (r->ret.kind != CFI_SAVED_AT_CFA || r->ret.offset != -8 || rbp == UINT32_MAX || kinds[r->cfa.kind] == SP_UNWIND_NONE)
		return SP_UNWIND_NONE;
	if ((r->cfa.kind != CFI_CFA_PLT && r->cfa.offset % 8) || words > CFA_MAX || words < -CFA_MAX)
		return SP_UNWIND_NONE;
	return kinds[r->cfa.kind] | ((uint32_t)words & ((1u << SP_UNWIND_CFA_BITS) - 1)) << SP_UNWIND_KIND_BITS |
	       rbp << SP_UNWIND_RBP_SHIFT;
}

static void put_row(struct run *run, uint64_t pc, uint32_t info)
{
	struct cfi_rows *rows = run->rows;
	struct cfi_row row = { pc, info };

	if (rows->v.n && sp_vec_last(&rows->v).pc == pc)
		sp_vec_last(&rows->v) = row;
	else if (!rows->v.n || sp_vec_last(&rows->v).info != info)
		sp_vec_push(&rows->v, row);
}

static void advance(struct run *run, uint64_t to)
{
	if (!run->rows || to < run->pc) {
		run->insns.bad = true;
		return;
	}
	if (to > run->pc && run->pc < run->end)
		put_row(run, run->pc, info_of(run->common, &run->rules));
	run->pc = to;
}

static struct cfi_saved *register_rule(struct run *run, uint64_t reg, struct cfi_saved *other)
{
	return reg == REG_RBP ? &run->rules.rbp : reg == run->common->ret_register ? &run->rules.ret : other;
}

static void set_register(struct run *run, uint64_t reg, enum cfi_saved_kind kind, int64_t offset)
{
	struct cfi_saved other;

	*register_rule(run, reg, &other) = (struct cfi_saved){ kind, offset };
}

static void restore_register(struct run *run, uint64_t reg)
{
	struct run begun = { .common = run->common, .rules = run->common->rules };
	struct cfi_saved other = { 0 };

	*register_rule(run, reg, &other) = *register_rule(&begun, reg, &other);
}

static int64_t factored(const struct run *run, int64_t offset)
{
	return (int64_t)((uint64_t)offset * (uint64_t)run->common->data_factor);
}

static void set_cfa_register(struct run *run, uint64_t reg)
{
	run->rules.cfa.kind = reg == REG_RSP ? CFI_CFA_SP : reg == REG_RBP ? CFI_CFA_BP : reg == REG_R10 ? CFI_CFA_R10 : CFI_CFA_NONE;
}

// ---- instructions ----------------------------------------------------------------------------------------------------

static void run_cfa(struct run *run, unsigned op)
{
	struct sp_bytes *b = &run->insns;

	if (op == CFA_DEF_EXPRESSION) {
		run->rules.cfa = cfa_expression(sp_bytes_take(b, sp_bytes_uleb(b)));
		return;
	}
	if (op == CFA_DEF || op == CFA_DEF_REGISTER || op == CFA_DEF_SF)
		set_cfa_register(run, sp_bytes_uleb(b));
	if (op == CFA_DEF || op == CFA_DEF_OFFSET)
		run->rules.cfa.offset = (int64_t)sp_bytes_uleb(b);
	else if (op == CFA_DEF_SF || op == CFA_DEF_OFFSET_SF)
		run->rules.cfa.offset = factored(run, sp_bytes_sleb(b));
}

static void run_register(struct run *run, unsigned op)
{
	struct sp_bytes *b = &run->insns;
	uint64_t reg = sp_bytes_uleb(b);

	if (op == CFA_OFFSET_EXTENDED)
		set_register(run, reg, CFI_SAVED_AT_CFA, factored(run, (int64_t)sp_bytes_uleb(b)));
	else if (op == CFA_OFFSET_EXTENDED_SF)
		set_register(run, reg, CFI_SAVED_AT_CFA, factored(run, sp_bytes_sleb(b)));
	else if (op == CFA_GNU_NEGATIVE_OFFSET)
		set_register(run, reg, CFI_SAVED_AT_CFA, -factored(run, (int64_t)sp_bytes_uleb(b)));
	else if (op == CFA_RESTORE_EXTENDED)
		restore_register(run, reg);
	else if (op == CFA_UNDEFINED || op == CFA_SAME_VALUE)
		set_register(run, reg, op == CFA_UNDEFINED ? CFI_SAVED_UNDEFINED : CFI_SAVED_SAME, 0);
	else if (op == CFA_EXPRESSION) {
		struct cfi_saved saved = saved_expression(sp_bytes_take(b, sp_bytes_uleb(b)));

		set_register(run, reg, saved.kind, 0);
	} else { // CFA_REGISTER, CFA_VAL_OFFSET, CFA_VAL_OFFSET_SF, CFA_VAL_EXPRESSION
		if (op == CFA_VAL_EXPRESSION)
			sp_bytes_take(b, sp_bytes_uleb(b));
		else
			sp_bytes_uleb(b);
		set_register(run, reg, CFI_SAVED_OTHER, 0);
	}
}

static void run_state(struct run *run, unsigned op)
{
	if (op == CFA_REMEMBER && run->n_remembered < MAX_REMEMBERED)
		run->remembered[run->n_remembered++] = run->rules;
	else if (op == CFA_RESTORE_STATE && run->n_remembered)
		run->rules = run->remembered[--run->n_remembered];
	else
		run->insns.bad = true;
}

static void run_extended(struct run *run, unsigned op)
{
	static const uint8_t sizes[] = { [CFA_ADVANCE1] = 1, [CFA_ADVANCE2] = 2, [CFA_ADVANCE4] = 4 };
	struct sp_bytes *b = &run->insns;

	switch (op) {
	case CFA_NOP:
		return;
	case CFA_GNU_ARGS_SIZE:
		sp_bytes_uleb(b);
		return;
	case CFA_ADVANCE1:
	case CFA_ADVANCE2:
	case CFA_ADVANCE4:
		advance(run, run->pc + sp_bytes_number(b, sizes[op]) * run->common->code_factor);
		return;
	case CFA_REMEMBER:
	case CFA_RESTORE_STATE:
		run_state(run, op);
		return;
	case CFA_DEF:
	case CFA_DEF_REGISTER:
	case CFA_DEF_OFFSET:
	case CFA_DEF_EXPRESSION:
	case CFA_DEF_SF:
	case CFA_DEF_OFFSET_SF:
		run_cfa(run, op);
		return;
	}
	if (op == CFA_SET_LOC || (op > CFA_VAL_EXPRESSION && op != CFA_GNU_NEGATIVE_OFFSET))
		b->bad = true; // nobody makes these for x86_64
	else
		run_register(run, op);
}

static void run_all(struct run *run)
{
	struct sp_bytes *b = &run->insns;

	while (b->at < b->end && !b->bad) {
		unsigned op = (unsigned)sp_bytes_number(b, 1), operand = op & 0x3f;

		switch (op & 0xc0) {
		case CFA_ADVANCE:
			advance(run, run->pc + operand * run->common->code_factor);
			break;
		case CFA_OFFSET:
			set_register(run, operand, CFI_SAVED_AT_CFA, factored(run, (int64_t)sp_bytes_uleb(b)));
			break;
		case CFA_RESTORE:
			restore_register(run, operand);
			break;
		default:
			run_extended(run, op);
		}
	}
}

void cfi_program_begin(struct cfi_common *c, struct sp_bytes insns)
{
	struct run run = { .common = c, .insns = insns };

	run_all(&run);
	c->rules = run.insns.bad ? (struct cfi_rules){ .cfa.kind = CFI_CFA_NONE } : run.rules;
}

// Behind an instruction that is not understood nothing is known.
void cfi_program_run(const struct cfi_common *c, struct sp_bytes insns, uint64_t start, uint64_t end, struct cfi_rows *rows)
{
	struct run run = { .common = c, .insns = insns, .rules = c->rules, .pc = start, .end = end, .rows = rows };

	run_all(&run);
	if (run.pc < end)
		put_row(&run, run.pc, run.insns.bad ? SP_UNWIND_NONE : info_of(c, &run.rules));
	put_row(&run, end, SP_UNWIND_NONE);
}
