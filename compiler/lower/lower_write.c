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
	ret->bit_size = ret->size * 8;
	return true;
}

static struct ir_expr *binary(struct lower *l, enum ir_expr_op op, struct ir_expr *a, int64_t b)
{
	return ir_binary(l->unit, op, a, ir_const(l->unit, b), IR_NO_PLACE);
}

// What one instruction reads or writes of a number: bytes of it, and which bits of these are the number's.
struct part {
	unsigned byte, size; // in bytes, from the address of the number's first byte
	unsigned first;	     // bit of the number that is the first of this part
	unsigned shift, n;   // where these bits are in the part's bytes, and how many
};

// A bit-field takes the fewest bytes that hold it: those beside it are another member's, which the program may be changing.
static struct part part_at(const struct lower_memory *m, unsigned byte)
{
	unsigned left = m->size - byte, end = m->bit_off + m->bit_size;
	struct part part = { .byte = byte, .size = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1 };
	unsigned from = byte ? byte * 8 : m->bit_off;

	part.first = from - m->bit_off;
	part.shift = from - byte * 8;
	part.n = SP_MIN(end, (byte + part.size) * 8) - from;
	return part;
}

static struct ir_expr *part_address(struct lower *l, const struct lower_memory *m, const struct part *part)
{
	return part->byte ? binary(l, IR_ADD, m->address, part->byte) : m->address;
}

static struct ir_expr *load(struct lower *l, const struct lower_memory *m, const struct part *part, bool is_signed)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_LOAD, IR_LONG, m->place);

	e->a = part_address(l, m, part);
	e->size = (uint8_t)part->size;
	e->is_signed = is_signed;
	e->space = m->space;
	return e;
}

static uint64_t mask_of(const struct part *part)
{
	return part->n >= 64 ? ~0ull : (1ull << part->n) - 1;
}

// Reads the number as the script sees it: a bit-field without the bits around it.
static struct ir_expr *read(struct lower *l, const struct lower_memory *m)
{
	struct part part = part_at(m, 0);
	struct ir_expr *all = NULL;

	if (m->bit_size == m->size * 8u && part.size == m->size)
		return load(l, m, &part, m->is_signed);
	for (unsigned byte = 0; byte < m->size; byte += part.size) {
		struct ir_expr *bits;

		part = part_at(m, byte);
		bits = binary(l, IR_USHR, load(l, m, &part, false), part.shift);
		all = all ? ir_binary(l->unit, IR_OR, all, binary(l, IR_SHL, bits, part.first), IR_NO_PLACE) : bits;
	}
	all = ir_unary(l->unit, m->is_signed ? IR_SEXT : IR_ZEXT, all);
	all->bits = (uint8_t)m->bit_size;
	return all;
}

// The bytes of a part with the value's bits: those around a bit-field keep theirs.
static struct ir_expr *bytes(struct lower *l, const struct lower_memory *m, const struct part *part, struct ir_expr *value)
{
	uint64_t mask = mask_of(part);

	if (part->first)
		value = binary(l, IR_USHR, value, part->first);
	if (part->n == part->size * 8)
		return value;
	value = binary(l, IR_SHL, binary(l, IR_AND, value, (int64_t)mask), part->shift);
	return ir_binary(l->unit, IR_OR,
			 binary(l, IR_AND, load(l, m, part, false), (int64_t)~(mask << part->shift)), value, IR_NO_PLACE);
}

static void store(struct lower *l, const struct lower_memory *m, struct ir_expr *value)
{
	struct part part = part_at(m, 0);

	if (part.size < m->size)
		value = lower_keep(l, value);
	for (unsigned byte = 0; byte < m->size; byte += part.size) {
		struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_STORE, m->place);

		part = part_at(m, byte);
		s->a = part_address(l, m, &part);
		s->b = bytes(l, m, &part, value);
		s->size = (uint8_t)part.size;
		s->space = m->space;
		lower_emit(l, s);
	}
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
	store(l, &m, value);
	if (!wanted)
		return NULL;
	return is_step && !e->incdec.is_prefix ? old : value;
}
