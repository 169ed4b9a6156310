// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/lower_ops.h"

#include "compiler/ir/lower_portable.h"

#define MAX_STACK 64 // of a location program: compilers use a handful
#define MAX_BRANCHES 64 // ways through it can double with each

struct stack {
	struct ir_expr *v[MAX_STACK];
	unsigned n;
};

static struct ir_expr *read_register(struct access *a, int64_t dwarf)
{
	const struct site *site = a->l->site;
	const struct abi *abi = a->v->module && a->v->module->abi ? a->v->module->abi : a->l->abi;
	const struct abi_reg *reg = abi ? abi_reg_dwarf(abi, (int)dwarf) : NULL;

	if (!site || (site->prog_kind != SP_PROG_REGS && site->prog_kind != SP_PROG_PERF))
		return access_cannot(a, DIAG_VAR_PLACE, "registers are not at hand at this probe");
	if (abi && dwarf >= abi->float_dwarf && dwarf < abi->float_dwarf + abi->n_floats)
		return access_cannot(a, DIAG_VAR_PLACE, "it is in a floating point register, which probes do not see");
	if (!reg)
		return access_cannot(a, DIAG_VAR_PLACE,
			      "it is in a register that the kernel does not save for probes");
	return access_context(a, reg->offset, 8, false);
}

static struct ir_expr *entry_register(struct access *a, int64_t dwarf)
{
	const struct site *site = a->l->site;

	if (site && site->func && !site->is_return && site->pc && site->pc == site->func->entry_pc)
		return read_register(a, dwarf);
	return access_cannot(
		a, DIAG_VAR_PLACE,
		"it was in a register when the function was entered, and is not kept after that");
}

// Where the linker put it plus what the loader moved it by.
static struct ir_expr *run_time_address(struct access *a, const struct loc_op *op)
{
	int64_t address = op->a;
	struct lower *l = a->l;
	const struct site *site = l->site;
	const struct dbg_module *module = a->v->module ? a->v->module : site ? site->module : NULL;
	struct ir_expr *pc;

	if (!module)
		return access_cannot(a, DIAG_VAR_PLACE, "its module is not known");
	if (op->section)
		return access_binary(a, IR_ADD, lower_section(l, module, op->section), ir_const(l->unit, address));
	lower_bind(l, module, a->v->text);
	if (module->is_kernel)
		return access_binary(a, IR_ADD, lower_kernel_slide(l, module), ir_const(l->unit, address));
	if (!module->is_pie)
		return ir_const(l->unit, address);
	// At a uprobe the program counter is the probed instruction: how far it is from where the linker put that instruction
	// is how far everything else of the file was moved.
	if (!site || site->module != module || site->kind != SP_SITE_UPROBE || l->n_sites != 1 ||
	    !module->abi)
		return access_cannot(
			a, DIAG_VAR_PLACE,
			"it is static data of a position-independent file, whose load address "
			"is only known at probes inside of that file");
	pc = access_context(a, module->abi->pc_offset, 8, false);
	return access_binary(a, IR_ADD, pc, ir_const(l->unit, (int64_t)((uint64_t)address - site->pc)));
}

static enum ir_expr_op arithmetic(enum loc_op_kind kind)
{
	switch (kind) {
	case LOC_SUB: return IR_SUB;
	case LOC_MUL: return IR_MUL;
	case LOC_DIV: return IR_DIV;
	case LOC_SMOD: return IR_MOD;
	case LOC_UDIV: return IR_UDIV;
	case LOC_UMOD: return IR_UMOD;
	case LOC_AND: return IR_AND;
	case LOC_OR: return IR_OR;
	case LOC_XOR: return IR_XOR;
	case LOC_SHL: return IR_SHL;
	case LOC_SHR: return IR_USHR;
	case LOC_SHRA: return IR_SHR;
	case LOC_EQ: return IR_EQ;
	case LOC_NE: return IR_NE;
	case LOC_LT: return IR_LT;
	case LOC_LE: return IR_LE;
	case LOC_GT: return IR_GT;
	case LOC_GE: return IR_GE;
	case LOC_ADD:
	case LOC_CONST:
	case LOC_REG:
	case LOC_ENTRY_REG:
	case LOC_ADDR:
	case LOC_CPU:
	case LOC_TLS:
	case LOC_DEREF:
	case LOC_NEG:
	case LOC_NOT:
	case LOC_ABS:
	case LOC_DUP:
	case LOC_DROP:
	case LOC_SWAP:
	case LOC_ROT:
	case LOC_PICK:
	case LOC_SEXT:
	case LOC_ZEXT:
	case LOC_BRANCH:
	case LOC_SKIP:
		break;
	}
	return IR_ADD;
}

// DWARF shifts everything out, the IR takes the count modulo 64.
static struct ir_expr *shift(struct access *a, enum ir_expr_op op, struct ir_expr *x, struct ir_expr *count)
{
	struct ir_expr *all;

	x = access_shared(a, x);
	count = access_shared(a, count);
	all = op == IR_SHR ? lower_with(a->l, IR_SHR, x, 63) : ir_const(a->l->unit, 0);
	return lower_choose(a->l, lower_with(a->l, IR_EQ, lower_with(a->l, IR_AND, count, ~63), 0),
			    access_binary(a, op, x, count), all);
}

static void apply_binary(struct access *a, struct stack *s, enum loc_op_kind kind)
{
	struct ir_expr *y = s->v[--s->n], *x = s->v[--s->n];
	enum ir_expr_op op = arithmetic(kind);
	bool shifts = op == IR_SHL || op == IR_SHR || op == IR_USHR;
	bool divides = op == IR_DIV || op == IR_MOD || op == IR_UDIV || op == IR_UMOD;

	if (shifts && y->op == IR_CONST && (uint64_t)y->imm >= 64) {
		s->v[s->n++] = op == IR_SHR ? access_binary(a, IR_SHR, x, ir_const(a->l->unit, 63))
					    : ir_const(a->l->unit, 0);
		return;
	}
	if (shifts && y->op != IR_CONST) {
		s->v[s->n++] = shift(a, op, x, y);
		return;
	}
	s->v[s->n++] = ir_binary(a->l->unit, op, x, y, divides ? a->place : IR_NO_PLACE);
}

static void apply_unary(struct access *a, struct stack *s, const struct loc_op *op)
{
	struct ir_expr **top = &s->v[s->n - 1], *cond;

	if (op->kind == LOC_NEG || op->kind == LOC_NOT) {
		*top = ir_unary(a->l->unit, op->kind == LOC_NEG ? IR_NEG : IR_NOT, *top);
	} else if (op->kind == LOC_ABS) {
		*top = access_shared(a, *top);
		cond = ir_unary(a->l->unit, IR_COND, access_binary(a, IR_LT, *top, ir_const(a->l->unit, 0)));
		cond->b = ir_unary(a->l->unit, IR_NEG, *top);
		cond->c = *top;
		*top = cond;
	} else if (op->kind == LOC_DEREF) {
		*top = op->a >= 1 && op->a <= 8
			       ? access_load_bytes(a, *top, (unsigned)op->a)
			       : access_cannot(a, DIAG_VAR_PLACE,
					"its location reads more than 8 bytes at once");
	} else {
		*top = access_extract(a, *top, 0, (unsigned)SP_MIN(op->a, (int64_t)8) * 8,
			       op->kind == LOC_SEXT);
	}
}

static void rearrange(struct access *a, struct stack *s, const struct loc_op *op)
{
	struct ir_expr **top = &s->v[s->n - 1], *e = *top;

	if (op->kind == LOC_DROP) {
		s->n--;
	} else if (op->kind == LOC_SWAP) {
		*top = top[-1];
		top[-1] = e;
	} else if (op->kind == LOC_ROT) { // the top becomes the third
		*top = top[-1];
		top[-1] = top[-2];
		top[-2] = e;
	} else {
		struct ir_expr **picked = top - (op->kind == LOC_PICK ? op->a : 0);
		*picked = access_shared(a, *picked);
		s->v[s->n++] = *picked;
	}
}

// How many values an operation takes.
static unsigned operands(const struct loc_op *op)
{
	switch (op->kind) {
	case LOC_CONST: case LOC_REG: case LOC_ENTRY_REG: case LOC_ADDR: case LOC_CPU: case LOC_SKIP:
		return 0;
	case LOC_TLS:
	case LOC_DEREF:
	case LOC_NEG:
	case LOC_NOT:
	case LOC_ABS:
	case LOC_DUP:
	case LOC_DROP:
	case LOC_SEXT:
	case LOC_ZEXT:
	case LOC_BRANCH:
		return 1;
	case LOC_ADD:
	case LOC_SUB:
	case LOC_MUL:
	case LOC_DIV:
	case LOC_SMOD:
	case LOC_UDIV:
	case LOC_UMOD:
	case LOC_AND:
	case LOC_OR:
	case LOC_XOR:
	case LOC_SHL:
	case LOC_SHR:
	case LOC_SHRA:
	case LOC_EQ:
	case LOC_NE:
	case LOC_LT:
	case LOC_LE:
	case LOC_GT:
	case LOC_GE:
	case LOC_SWAP:
		return 2;
	case LOC_ROT:
		return 3;
	case LOC_PICK:
		return op->a >= 0 && op->a < MAX_STACK ? (unsigned)op->a + 1 : MAX_STACK + 1;
	}
	return MAX_STACK + 1;
}

static void step(struct access *a, struct stack *s, const struct loc_op *op)
{
	switch (op->kind) {
	case LOC_CONST:
		s->v[s->n++] = ir_const(a->l->unit, op->a);
		break;
	case LOC_REG:
		s->v[s->n++] = read_register(a, op->a);
		break;
	case LOC_ENTRY_REG:
		s->v[s->n++] = entry_register(a, op->a);
		break;
	case LOC_ADDR:
		s->v[s->n++] = run_time_address(a, op);
		break;
	case LOC_CPU:
		s->v[s->n] = ir_expr_new(a->l->unit, IR_BUILTIN, IR_LONG, IR_NO_PLACE);
		s->v[s->n++]->index = BUILTIN_CPU;
		break;
	case LOC_TLS:
		access_cannot(a, DIAG_VAR_PLACE, "it is thread-local");
		break;
	case LOC_ADD:
	case LOC_SUB:
	case LOC_MUL:
	case LOC_DIV:
	case LOC_SMOD:
	case LOC_UDIV:
	case LOC_UMOD:
	case LOC_AND:
	case LOC_OR:
	case LOC_XOR:
	case LOC_SHL:
	case LOC_SHR:
	case LOC_SHRA:
	case LOC_EQ:
	case LOC_NE:
	case LOC_LT:
	case LOC_LE:
	case LOC_GT:
	case LOC_GE: apply_binary(a, s, op->kind); break;
	case LOC_DEREF: case LOC_NEG: case LOC_NOT: case LOC_ABS: case LOC_SEXT: case LOC_ZEXT:
		apply_unary(a, s, op);
		break;
	case LOC_DUP: case LOC_DROP: case LOC_SWAP: case LOC_ROT: case LOC_PICK:
		rearrange(a, s, op);
		break;
	case LOC_BRANCH: case LOC_SKIP: // run() does these
		break;
	}
}

static struct ir_expr *run(struct access *a, const struct loc_piece *piece, unsigned i, struct stack *s);

// What the operations from `i` on leave, computed only when they are reached.
static struct ir_expr *run_arm(struct access *a, const struct loc_piece *piece, uint64_t i, struct stack s)
{
	struct lower_list list;
	struct ir_expr *value;

	lower_list_begin(a->l, &list);
	value = i <= piece->n_ops ? run(a, piece, (unsigned)i, &s) :
				    access_cannot(a, DIAG_VAR_PLACE, "its location program is broken");
	return ir_seq(a->l->unit, lower_list_end(a->l, &list), value);
}

static struct ir_expr *branch(struct access *a, const struct loc_piece *piece, unsigned i, struct stack *s)
{
	struct ir_expr *cond = s->v[--s->n], *yes;
	uint64_t target = i + 1 + (uint64_t)piece->ops[i].a;

	if (cond->op == IR_CONST)
		return run_arm(a, piece, cond->imm ? target : i + 1, *s);
	if (++a->n_branches > MAX_BRANCHES)
		return access_cannot(a, DIAG_VAR_PLACE, "its location has too many branches");
	cond = access_shared(a, cond);
	for (unsigned k = 0; k < s->n; k++)
		s->v[k] = access_shared(a, s->v[k]);
	yes = run_arm(a, piece, target, *s);
	return lower_choose(a->l, cond, yes, run_arm(a, piece, i + 1, *s));
}

static struct ir_expr *run(struct access *a, const struct loc_piece *piece, unsigned i, struct stack *s)
{
	for (; i < piece->n_ops && !a->failed; i++) {
		const struct loc_op *op = &piece->ops[i];

		if (operands(op) > s->n || s->n == MAX_STACK)
			return access_cannot(a, DIAG_VAR_PLACE, "its location program is broken");
		if (op->kind == LOC_BRANCH)
			return branch(a, piece, i, s);
		if (op->kind == LOC_SKIP)
			return run_arm(a, piece, i + 1 + (uint64_t)op->a, *s);
		step(a, s, op);
	}
	if (a->failed)
		return ir_const(a->l->unit, 0);
	return s->n ? s->v[s->n - 1] : access_cannot(a, DIAG_VAR_PLACE, "its location program is empty");
}

struct ir_expr *lower_ops(struct access *a, const struct loc_piece *piece)
{
	struct stack s = { .n = 0 };

	return run(a, piece, 0, &s);
}
