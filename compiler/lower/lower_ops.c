// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_ops.h"

#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_portable.h"

#define MAX_STACK 64 // values on a location program's stack: compilers use a handful
#define MAX_BRANCHES 64 // in a location program: each can double the number of paths through it

struct stack {
	struct ir_expr *v[MAX_STACK];
	unsigned n;
};

static const struct abi *abi_of(const struct access *a)
{
	return a->v->module && a->v->module->abi ? a->v->module->abi : a->l->abi;
}

// 8 bytes of a floating point register, from byte `at` on.
static struct ir_expr *read_float(struct access *a, const struct abi_bank *bank, int64_t dwarf, uint32_t at)
{
	a->l->reads_floats = true;
	return access_context(a, bank->offset + 16 * (uint32_t)(dwarf - bank->dwarf) + at, 8, false);
}

static struct ir_expr *read_register(struct access *a, int64_t dwarf)
{
	const struct abi *abi = abi_of(a);
	const struct abi_reg *reg = abi ? abi_reg_dwarf(abi, dwarf) : NULL;
	const struct abi_bank *bank = abi ? abi_bank_dwarf(abi, dwarf) : NULL;

	if (reg)
		return access_context(a, reg->offset, abi->word_size, false);
	return bank ? read_float(a, bank, dwarf, 0) : access_cannot(a, "a register that no probe sees");
}

static struct ir_expr *entry_register(struct access *a, int64_t dwarf)
{
	for (unsigned i = 0; i < a->v->n_kept; i++)
		if (a->v->kept[i].reg == dwarf)
			return lower_expr(a->l, a->v->kept[i].value);
	return access_cannot(a, "a register of the entry that is not kept");
}

// The run-time address: the linker's address plus the distance that the loader moved the file.
static struct ir_expr *run_time_address(struct access *a, const struct loc_op *op)
{
	int64_t address = op->a;
	struct lower *l = a->l;
	const struct site *site = l->site;
	const struct dbg_module *module = a->v->module;
	bool is_watch = site && site->kind == SP_SITE_WATCH;
	struct ir_expr *known;

	if (op->section)
		return access_binary(a, IR_ADD, lower_section(l, module, op->section), ir_const(l->unit, address));
	lower_bind(l, module, a->v->text, a->place);
	if (module->is_kernel)
		return access_binary(a, IR_ADD, lower_kernel_slide(l, module), ir_const(l->unit, address));
	if (!module->is_pie)
		return ir_const(l->unit, address);
	// The program counter of a uprobe is at the probed instruction, and a watchpoint knows what it watches. The distance of that
	// from the linker's address of it is the distance that the whole file was moved.
	if (!site_knows_load_address(site, module))
		return access_cannot(a, "an address of a file whose place in memory is not known");
	known = access_context(a, is_watch ? module->abi->watched_offset : module->abi->pc_offset, 8, false);
	return access_binary(a, IR_ADD, known, ir_const(l->unit, (int64_t)((uint64_t)address - (is_watch ? site->watched : site->pc))));
}

static struct ir_expr *thread_pointer(struct access *a)
{
	struct ir_expr *e = lower_thread_pointer(a->l, a->v->module->abi);

	return e ? e : access_cannot(a, "a thread pointer that is not known");
}

// Operations that combine the two topmost values.
static const enum ir_expr_op arithmetic[] = {
	[LOC_ADD] = IR_ADD, [LOC_SUB] = IR_SUB, [LOC_MUL] = IR_MUL, [LOC_DIV] = IR_DIV, [LOC_SMOD] = IR_MOD,
	[LOC_UDIV] = IR_UDIV, [LOC_UMOD] = IR_UMOD, [LOC_AND] = IR_AND, [LOC_OR] = IR_OR, [LOC_XOR] = IR_XOR,
	[LOC_SHL] = IR_SHL, [LOC_SHR] = IR_USHR, [LOC_SHRA] = IR_SHR, [LOC_EQ] = IR_EQ, [LOC_NE] = IR_NE,
	[LOC_LT] = IR_LT, [LOC_LE] = IR_LE, [LOC_GT] = IR_GT, [LOC_GE] = IR_GE,
};

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
	enum ir_expr_op op = arithmetic[kind];
	bool shifts = op == IR_SHL || op == IR_SHR || op == IR_USHR;
	bool divides = op == IR_DIV || op == IR_MOD || op == IR_UDIV || op == IR_UMOD;

	if (shifts && y->op == IR_CONST && (uint64_t)y->value >= 64) {
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
			       : access_cannot(a, "its location reads more than 8 bytes at once");
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

static struct ir_expr *pushed(struct access *a, const struct loc_op *op)
{
	struct ir_expr *cpu;

	if (op->kind == LOC_REG)
		return read_register(a, op->a);
	if (op->kind == LOC_ENTRY_REG)
		return entry_register(a, op->a);
	if (op->kind == LOC_ADDR)
		return run_time_address(a, op);
	if (op->kind == LOC_TLS)
		return thread_pointer(a);
	if (op->kind == LOC_CONST)
		return ir_const(a->l->unit, op->a);
	cpu = ir_expr_new(a->l->unit, IR_BUILTIN, IR_LONG, IR_NO_PLACE);
	cpu->builtin = BUILTIN_CPU;
	return cpu;
}

// Are there as many values on the stack as the operation takes?
static bool has_operands(const struct stack *s, const struct loc_op *op)
{
	if (op->kind == LOC_PICK && (op->a < 0 || op->a >= (int64_t)s->n))
		return false;
	return s->n >= loc_op_info(op->kind)->n_operands;
}

static void step(struct access *a, struct stack *s, const struct loc_op *op)
{
	switch (loc_op_info(op->kind)->class) {
	case LOC_PUSHES:
		s->v[s->n++] = pushed(a, op);
		break;
	case LOC_CHANGES:
		apply_unary(a, s, op);
		break;
	case LOC_COMBINES:
		apply_binary(a, s, op->kind);
		break;
	case LOC_REORDERS:
		rearrange(a, s, op);
		break;
	case LOC_LEADS: // run() handles these
		break;
	}
}

static struct ir_expr *run(struct access *a, const struct loc_piece *piece, unsigned i, struct stack *s);

// The value that the operations from `i` on leave. Its statements go into a list of their own: they run on this branch only.
static struct ir_expr *run_arm(struct access *a, const struct loc_piece *piece, uint64_t i, struct stack s)
{
	struct lower_list list;
	struct ir_expr *value;

	lower_list_begin(a->l, &list);
	value = i <= piece->n_ops ? run(a, piece, (unsigned)i, &s) :
				    access_cannot(a, "its location program is broken");
	return ir_seq(a->l->unit, lower_list_end(a->l, &list), value);
}

static struct ir_expr *branch(struct access *a, const struct loc_piece *piece, unsigned i, struct stack *s)
{
	struct ir_expr *cond = s->v[--s->n], *yes;
	uint64_t target = i + 1 + (uint64_t)piece->ops[i].a;

	if (cond->op == IR_CONST)
		return run_arm(a, piece, cond->value ? target : i + 1, *s);
	if (++a->n_branches > MAX_BRANCHES)
		return access_cannot(a, "its location has too many branches");
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

		if (!has_operands(s, op) || s->n == MAX_STACK)
			return access_cannot(a, "its location program is broken");
		if (op->kind == LOC_BRANCH)
			return branch(a, piece, i, s);
		if (op->kind == LOC_SKIP)
			return run_arm(a, piece, i + 1 + (uint64_t)op->a, *s);
		step(a, s, op);
	}
	if (a->failed)
		return ir_const(a->l->unit, 0);
	return s->n ? s->v[s->n - 1] : access_cannot(a, "its location program is empty");
}

struct ir_expr *lower_ops(struct access *a, const struct loc_piece *piece)
{
	struct stack s = { .n = 0 };

	return run(a, piece, 0, &s);
}

struct ir_expr *lower_upper_half(struct access *a, const struct loc_piece *piece)
{
	const struct abi *abi = abi_of(a);
	const struct abi_bank *bank = abi && piece->n_ops == 1 && piece->ops[0].kind == LOC_REG ?
					      abi_bank_dwarf(abi, piece->ops[0].a) : NULL;

	return bank ? read_float(a, bank, piece->ops[0].a, 8) :
		      access_cannot(a, "it is wider than the register that holds it");
}
