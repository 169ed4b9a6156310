// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_write.h"

#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_loc.h"
#include "compiler/lower/lower_regs.h"
#include "compiler/sema/tree.h"

bool lower_is_foreign(const struct ast_expr *target)
{
	return target->kind == AST_RESOLVED || tree_is_deref(target) || tree_is_register(target);
}

static bool find(struct lower *l, const struct ast_expr *target, struct lower_memory *ret)
{
	if (target->kind == AST_RESOLVED)
		return lower_site_memory(l, target, ret);
	*ret = (struct lower_memory){
		.address = lower_expr(l, target->call.args.v[1]),
		.place = lower_place(l, target->op_span, "operator", target->call.name),
		.space = target->call.builtin == BUILTIN_KDEREF ? IR_SPACE_KERNEL : IR_SPACE_USER,
		.size = (uint8_t)target->call.args.v[0]->number,
	};
	return true;
}

static struct ir_expr *load(struct lower *l, const struct lower_memory *m, bool is_signed)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_LOAD, IR_LONG, m->place);

	e->a = m->address;
	e->size = m->size;
	e->is_signed = is_signed;
	e->space = m->space;
	return e;
}

static struct ir_expr *binary(struct lower *l, enum ir_expr_op op, struct ir_expr *a, int64_t b)
{
	return ir_binary(l->unit, op, a, ir_const(l->unit, b), IR_NO_PLACE);
}

static uint64_t mask_of(const struct lower_memory *m)
{
	return m->bit_size >= 64 ? ~0ull : (1ull << m->bit_size) - 1;
}

// Reads the number as the script sees it: a bit-field without the bits around it.
static struct ir_expr *read(struct lower *l, const struct lower_memory *m)
{
	struct ir_expr *field;

	if (!m->bit_size)
		return load(l, m, m->is_signed);
	field = ir_unary(l->unit, m->is_signed ? IR_SEXT : IR_ZEXT,
			 binary(l, IR_USHR, load(l, m, false), m->bit_off));
	field->bits = m->bit_size;
	return field;
}

// The bytes to store for `value`: those around a bit-field keep their bits.
static struct ir_expr *bytes(struct lower *l, const struct lower_memory *m, struct ir_expr *value)
{
	uint64_t mask = mask_of(m);

	if (!m->bit_size)
		return value;
	value = binary(l, IR_SHL, binary(l, IR_AND, value, (int64_t)mask), m->bit_off);
	return ir_binary(l->unit, IR_OR, binary(l, IR_AND, load(l, m, false), (int64_t)~(mask << m->bit_off)), value,
			 IR_NO_PLACE);
}

// As the type has it, in the way that instructions leave it: those that write 32 bits of a register clear the others.
static struct ir_expr *in_register(struct lower *l, const struct c_type *type, struct ir_expr *value)
{
	struct ir_expr *e;

	if (type->size >= 8)
		return value;
	e = ir_unary(l->unit, type->is_signed ? IR_SEXT : IR_ZEXT, value);
	e->bits = (uint8_t)(type->size * 8);
	return binary(l, IR_AND, e, UINT32_MAX);
}

static const struct abi_reg *register_of(const struct lower *l, const struct ast_expr *target)
{
	return tree_is_register(target) ? lower_register(l, target) : target->resolved->written;
}

// The answer of a handler that the kernel asks, or a register.
static struct ir_expr *write_result(struct lower *l, const struct ast_expr *e, bool wanted)
{
	bool is_step = e->kind == AST_INCDEC;
	const struct ast_expr *target = is_step ? e->incdec.target : e->assign.target;
	const struct abi_reg *reg = register_of(l, target);
	const char *name = target->kind == AST_RESOLVED ? target->resolved->text : target->call.name;
	struct ir_expr *value = is_step ? ir_const(l->unit, e->incdec.delta) : lower_expr(l, e->assign.value), *old = NULL;
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_STORE, lower_place(l, e->span, "identifier", name));

	if (is_step || e->assign.kind == ASSIGN_OP) {
		old = lower_keep(l, lower_expr(l, target));
		value = lower_apply(l, is_step ? BIN_ADD : e->assign.op, old, value, e->op_span);
	}
	if (wanted)
		value = lower_keep(l, value);
	s->a = ir_const(l->unit, 0);
	s->b = value;
	s->size = 8;
	s->space = IR_SPACE_RESULT;
	if (reg) {
		s->a = ir_expr_new(l->unit, IR_CTX, IR_LONG, IR_NO_PLACE);
		s->a->offset = reg->offset;
		s->b = target->kind == AST_RESOLVED ? in_register(l, c_type_strip(target->resolved->type), value) : value;
		s->space = IR_SPACE_REGISTERS;
	}
	lower_emit(l, s);
	return !wanted ? NULL : is_step && !e->incdec.is_prefix ? old : value;
}

struct ir_expr *lower_write(struct lower *l, const struct ast_expr *e, bool wanted)
{
	bool is_step = e->kind == AST_INCDEC;
	const struct ast_expr *target = is_step ? e->incdec.target : e->assign.target;
	struct ir_expr *value, *old = NULL;
	struct lower_memory m;
	struct ir_stmt *s;

	if (tree_is_register(target))
		return write_result(l, e, wanted);
	if (target->kind == AST_RESOLVED &&
	    (target->resolved->written || (target->resolved->is_result && !target->resolved->n_steps)))
		return write_result(l, e, wanted);
	if (!find(l, target, &m))
		return wanted ? ir_const(l->unit, 0) : NULL;
	m.address = lower_keep(l, m.address);
	if (is_step || e->assign.kind == ASSIGN_OP)
		old = lower_keep(l, read(l, &m));
	value = is_step ? ir_const(l->unit, e->incdec.delta) : lower_expr(l, e->assign.value);
	if (old)
		value = lower_apply(l, is_step ? BIN_ADD : e->assign.op, old, value, e->op_span);
	if (wanted)
		value = lower_keep(l, value);
	s = ir_stmt_new(l->unit, IR_S_STORE, m.place);
	s->a = m.address;
	s->b = bytes(l, &m, value);
	s->size = m.size;
	s->space = m.space;
	lower_emit(l, s);
	if (!wanted)
		return NULL;
	return is_step && !e->incdec.is_prefix ? old : value;
}
