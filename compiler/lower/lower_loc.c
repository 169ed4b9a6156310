// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_loc.h"

#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_float.h"
#include "compiler/lower/lower_ops.h"
#include "compiler/lower/lower_portable.h"

// ---- objects in pieces --------------------------------------------------------------------------

static struct ir_expr *piece_bits(struct access *a, const struct loc_piece *piece, uint64_t bit,
				  unsigned n, bool is_signed)
{
	uint64_t value = 0;

	switch (piece->where) {
	case LOC_IN_MEMORY:
		return access_load_bits(a, lower_ops(a, piece), bit, n, is_signed);
	case LOC_IS_VALUE:
		if (bit >= 64 && bit + n <= 128)
			return access_extract(a, lower_upper_half(a, piece), (unsigned)bit - 64, n, is_signed);
		if (bit + n > 64)
			return access_cannot(a, "it is wider than the register that holds it");
		return access_extract(a, lower_ops(a, piece), (unsigned)bit, n, is_signed);
	case LOC_IS_BYTES:
		for (unsigned i = 0; i < n; i++) {
			uint64_t from = bit + i;
			if (from / 8 < piece->n_bytes)
				value |= (uint64_t)(piece->bytes[from / 8] >> (from % 8) & 1) << i;
		}
		if (is_signed && n < 64 && value >> (n - 1) & 1)
			value |= ~0ull << n;
		return ir_const(a->l->unit, (int64_t)value);
	case LOC_POINTS_TO:
		return access_cannot(a, "the pointer was optimised out (only what it points to is left)");
	case LOC_ABSENT:
		break;
	}
	return access_cannot(a, "it is optimised out");
}

static struct ir_expr *object_bits(struct access *a, uint64_t bit, unsigned n, bool is_signed)
{
	const struct loc *loc = a->loc;
	struct ir_expr *all = NULL;
	uint64_t start = 0, end = bit + n;

	for (unsigned i = 0; i < loc->n_pieces; i++) {
		const struct loc_piece *piece = &loc->pieces[i];
		uint64_t piece_end = piece->bit_size ? start + piece->bit_size : UINT64_MAX;
		uint64_t from = SP_MAX(bit, start), to = SP_MIN(end, piece_end);
		if (from < to && i < 64 && a->v->absent_pieces >> i & 1)
			return access_cannot(a, "a piece that is not at hand");
		if (from < to) {
			bool last = to == end;
			struct ir_expr *part = piece_bits(a, piece, piece->bit_off + (from - start),
							  (unsigned)(to - from), is_signed && last);
			if (from > bit)
				part = access_binary(a, IR_SHL, part,
					      ir_const(a->l->unit, (int64_t)(from - bit)));
			all = all ? access_binary(a, IR_OR, all, part) : part;
		}
		start = piece_end;
		if (start >= end)
			return all;
	}
	return access_cannot(a, "a part of it is optimised out");
}

// ---- access paths -------------------------------------------------------------------------------

static struct ir_expr *read_fixed_bits(struct access *a, unsigned bit, unsigned n, bool is_signed)
{
	switch (a->kind) {
	case IS_MEMORY:
		return access_load_bits(a, a->expr, bit, n, is_signed);
	case IS_NUMBER:
		if (a->offset * 8 + bit + n > 64)
			return access_cannot(a, "it is wider than the register that holds it");
		return access_extract(a, a->expr, (unsigned)a->offset * 8 + bit, n, is_signed);
	case IS_OBJECT:
		return object_bits(a, (uint64_t)a->offset * 8 + bit, n, is_signed);
	}
	return NULL;
}

// An element of an array in registers, by an index that is known when the script runs: a test of the index for each element.
static struct ir_expr *read_element(struct access *a, unsigned i, unsigned bit, unsigned n, bool is_signed)
{
	int64_t offset = a->offset;
	struct ir_expr *chosen = NULL;

	if (i == a->n_indexes)
		return read_fixed_bits(a, bit, n, is_signed);
	for (uint64_t k = a->indexes[i].count; k-- > 0;) {
		struct lower_list list;
		struct ir_expr *element;

		lower_list_begin(a->l, &list);
		a->offset = offset + (int64_t)k * a->indexes[i].stride;
		element = read_element(a, i + 1, bit, n, is_signed);
		element = ir_seq(a->l->unit, lower_list_end(a->l, &list), element);
		chosen = chosen ? lower_choose(a->l, lower_with(a->l, IR_EQ, a->indexes[i].index, (int64_t)k), element, chosen) :
				  element;
	}
	a->offset = offset;
	return chosen;
}

static struct ir_expr *read_bits(struct access *a, unsigned bit, unsigned n, bool is_signed)
{
	return read_element(a, 0, bit, n, is_signed);
}

// An index into an array in registers must be checked: no memory follows the last element.
static void index_element(struct access *a, struct ir_expr *index, const struct site_step *step)
{
	const char *text = sp_arena_printf(&a->l->unit->arena, "the index of %s is outside of the array, which is in registers",
					   a->v->text);
	struct ir_stmt *outside = ir_stmt_new(a->l->unit, IR_S_IF, a->place), *fail;

	index = access_shared(a, index);
	if (a->kind == IS_NUMBER)
		a->expr = access_shared(a, a->expr);
	outside->a = access_binary(a, IR_LOR, lower_with(a->l, IR_LT, index, 0), lower_with(a->l, IR_GE, index, (int64_t)step->count));
	fail = ir_stmt_new(a->l->unit, IR_S_FAIL, a->place);
	fail->a = ir_literal(a->l->unit, text, strlen(text));
	outside->then = fail;
	lower_emit(a->l, outside);
	a->indexes[a->n_indexes].index = index;
	a->indexes[a->n_indexes].stride = step->bytes;
	a->indexes[a->n_indexes++].count = step->count;
}

static void start_context(struct access *a)
{
	const struct site_value *v = a->v;
	const struct c_type *type = c_type_strip(v->base_type);
	enum sp_prog_kind kind = a->l->site ? a->l->site->prog_kind : SP_PROG_USER;
	bool is_words = prog_context_is_words(kind);

	a->kind = IS_NUMBER;
	if (is_words || !access_is_size(v->ctx_size)) {
		// The kernel's verifier allows only loads of whole words from this context.
		a->expr = access_context(a, v->ctx_off / 8 * 8, 8, false);
		a->offset = v->ctx_off % 8;
	} else {
		a->expr = access_context(a, v->ctx_off, v->ctx_size, type && type->is_signed);
	}
}

// A context is memory of the kernel like any other.
static struct ir_expr *read_word(struct access *a, struct ir_expr *address)
{
	struct ir_expr *e = ir_expr_new(a->l->unit, IR_LOAD, IR_LONG, IR_NO_PLACE);

	e->size = 8;
	e->space = IR_SPACE_KERNEL;
	e->a = address;
	e->b = ir_const(a->l->unit, 0);
	return e;
}

#define MAX_ARGS 255 // the byte of that word that has their number

static void start_args(struct access *a)
{
	struct ir_expr *start = access_context(a, a->v->ctx_off, 0, false), *n;

	if (a->v->base == SITE_BASE_RESULT) {
		n = read_word(a, lower_with(a->l, IR_SUB, start, 8));
		n = lower_with(a->l, IR_MUL, lower_with(a->l, IR_AND, n, MAX_ARGS), 8);
		start = access_binary(a, IR_ADD, start, n);
	}
	a->kind = IS_NUMBER;
	a->expr = read_word(a, start);
}

// Programs whose context is not typed read the registers as any memory of the kernel.
static struct ir_expr *read_pt_regs(struct access *a, uint32_t offset, uint32_t size)
{
	bool is_typed = a->l->site->prog_kind == SP_PROG_TYPED_TP;
	struct ir_expr *e = ir_expr_new(a->l->unit, is_typed ? IR_REG : IR_LOAD, IR_LONG, IR_NO_PLACE);

	e->size = (uint8_t)size;
	if (is_typed) {
		e->offset = offset;
		return e;
	}
	e->space = IR_SPACE_KERNEL;
	e->a = access_add(a, access_context(a, 0, 8, false), offset);
	e->b = ir_const(a->l->unit, 0);
	return e;
}

static void start_regs(struct access *a)
{
	const struct site_value *v = a->v;
	bool is_compat_site = a->l->site->args.syscall.flags & SP_SYSCALL_COMPAT;
	bool has_both = v->compat_size && a->l->site->prog_kind == SP_PROG_TYPED_TP;
	struct ir_expr *mask = has_both ? lower_compat_mask(a->l) : NULL, *native;

	a->kind = IS_NUMBER;
	if (mask) {
		a->expr = access_binary(a, IR_AND, read_pt_regs(a, v->compat_off, v->compat_size), mask);
		native = read_pt_regs(a, v->ctx_off, v->ctx_size);
		native = access_binary(a, IR_AND, native, ir_unary(a->l->unit, IR_NOT, mask));
		a->expr = access_binary(a, IR_OR, a->expr, native);
	} else if (v->compat_size && is_compat_site) {
		a->expr = read_pt_regs(a, v->compat_off, v->compat_size);
	} else {
		a->expr = read_pt_regs(a, v->ctx_off, v->ctx_size);
	}
}

static void start_record(struct access *a)
{
	struct ir_expr *where;

	a->kind = IS_MEMORY;
	a->space = IR_SPACE_KERNEL;
	if (!a->v->is_data_loc) {
		a->expr = access_context(a, a->v->ctx_off, 0, false);
		return;
	}
	// __data_loc: the text's offset in the record in the low half, its length in the high half
	where = access_extract(a, access_context(a, a->v->ctx_off, 4, false), 0, 16, false);
	a->expr = access_binary(a, IR_ADD, access_context(a, 0, 0, false), where);
}

static void start_location(struct access *a, const struct loc *loc)
{
	a->loc = loc;
	a->kind = IS_OBJECT;
	if (!loc || !loc->n_pieces) {
		access_cannot(a, "it has no location");
	} else if (loc->n_pieces == 1 && !loc->pieces[0].bit_size && loc->pieces[0].where == LOC_IN_MEMORY) {
		a->kind = IS_MEMORY;
		a->expr = lower_ops(a, &loc->pieces[0]);
	}
}

static void start(struct access *a)
{
	const struct site_value *v = a->v;

	switch (v->base) {
	case SITE_BASE_LOC:
		start_location(a, v->loc);
		break;
	case SITE_BASE_CTX:
		start_context(a);
		break;
	case SITE_BASE_REGS:
		start_regs(a);
		break;
	case SITE_BASE_ARGS:
	case SITE_BASE_RESULT:
		start_args(a);
		break;
	case SITE_BASE_RECORD:
		start_record(a);
		break;
	case SITE_BASE_EXPR:
		a->kind = access_is_aggregate(v->base_type) ? IS_MEMORY : IS_NUMBER;
		a->expr = lower_expr(a->l, v->expr);
		break;
	case SITE_BASE_CONST:
		a->kind = IS_NUMBER;
		a->expr = ir_const(a->l->unit, v->number);
		break;
	}
}

// The piece that holds byte `offset`, and which bit of the piece that is; NULL: none does.
static const struct loc_piece *piece_at(const struct access *a, uint64_t *bit_ret)
{
	uint64_t start = 0, bit = (uint64_t)a->offset * 8;

	for (unsigned i = 0; i < a->loc->n_pieces; i++) {
		const struct loc_piece *piece = &a->loc->pieces[i];
		uint64_t end = piece->bit_size ? start + piece->bit_size : UINT64_MAX;
		if (bit >= start && bit < end) {
			*bit_ret = piece->bit_off + bit - start;
			return piece;
		}
		start = end;
	}
	return NULL;
}

// Goes on with the address of an object, when so many bytes of it are together in memory.
static bool object_to_memory(struct access *a, uint64_t bytes)
{
	uint64_t bit;
	const struct loc_piece *piece = piece_at(a, &bit);

	if (!piece || piece->where != LOC_IN_MEMORY || piece->bit_off % 8 ||
	    (piece->bit_size && bit - piece->bit_off + bytes * 8 > piece->bit_size))
		return false;
	a->kind = IS_MEMORY;
	a->expr = access_add(a, lower_ops(a, piece), (int64_t)(bit / 8));
	return true;
}

// A pointer may be optimised out while the object it points to is described: goes on with that object. False: not so here.
static bool enter_pointee(struct access *a)
{
	uint64_t bit;
	const struct loc_piece *piece = a->kind == IS_OBJECT ? piece_at(a, &bit) : NULL;

	if (!piece || piece->where != LOC_POINTS_TO || bit)
		return false;
	a->offset = 0;
	start_location(a, piece->pointee);
	if (a->kind == IS_MEMORY)
		a->expr = access_add(a, a->expr, piece->pointee_off);
	else
		a->offset = piece->pointee_off;
	return true;
}

static struct ir_expr *first_bit(struct access *a, const struct site_step *step)
{
	return lower_bit_offset(a->l, a->v->module, step->in, step->member, step->n_bits, step->bit);
}

static struct ir_expr *address(struct access *a)
{
	if (a->kind == IS_OBJECT)
		object_to_memory(a, 1);
	if (a->failed)
		return a->expr ? a->expr : ir_const(a->l->unit, 0);
	if (a->kind != IS_MEMORY)
		return access_cannot(a, "it is in a register and has no address");
	return a->expr;
}

static void follow_virtual(struct access *a, uint64_t slot)
{
	struct ir_expr *object = access_shared(a, address(a));
	unsigned n = 8 * access_pointer_size(a->v);

	a->kind = IS_MEMORY;
	a->expr = object;
	a->expr = access_add(a, read_bits(a, 0, n, false), (int64_t)-slot);
	a->expr = access_binary(a, IR_ADD, object, read_bits(a, 0, n, true));
}

static void follow(struct access *a, const struct site_step *step)
{
	// A bit-field that is written has a fixed offset: only reads look it up at load time.
	bool is_looked_up = a->kind == IS_MEMORY && step->in && !(step->n_bits && a->writes);
	struct ir_expr *index;

	if (step->by_layout || (step->in && !is_looked_up))
		lower_bind(a->l, a->v->module, a->v->text, a->place);
	switch (step->kind) {
	case STEP_ADD:
		if (is_looked_up && step->n_bits) {
			a->bit = access_binary(a, IR_AND, first_bit(a, step), ir_const(a->l->unit, 7));
			a->expr = access_binary(a, IR_ADD, a->expr,
						access_binary(a, IR_USHR, first_bit(a, step), ir_const(a->l->unit, 3)));
		} else if (is_looked_up)
			a->expr = access_binary(a, IR_ADD, a->expr,
					 lower_member_offset(a->l, a->v->module, step->in, step->member, step->member_size,
							     step->bytes));
		else if (a->kind == IS_MEMORY)
			a->expr = access_add(a, a->expr, step->bytes);
		else
			a->offset += step->bytes;
		break;
	case STEP_DEREF:
		if (enter_pointee(a))
			break;
		a->expr = read_bits(a, 0, 8 * access_pointer_size(a->v), false);
		a->kind = IS_MEMORY;
		a->offset = 0;
		a->n_indexes = 0;
		a->space = a->v->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL;
		break;
	case STEP_SCALE:
		index = lower_expr(a->l, step->index);
		if (a->kind != IS_MEMORY && index->op != IR_CONST) {
			index_element(a, index, step);
			break;
		}
		index = ir_binary(a->l->unit, IR_MUL, index,
				  is_looked_up ? lower_member_offset(a->l, a->v->module, step->in, "", 0, step->bytes) :
						 ir_const(a->l->unit, step->bytes),
				  IR_NO_PLACE);
		if (a->kind == IS_MEMORY)
			a->expr = index->op == IR_CONST ? access_add(a, a->expr, index->value) :
							  access_binary(a, IR_ADD, a->expr, index);
		else
			a->offset += index->value;
		break;
	case STEP_VIRTUAL:
		follow_virtual(a, (uint64_t)step->bytes);
		break;
	}
}

// `n` bits from bit a->bit (0 to 7) on. They are loaded with all bytes that they can touch.
static struct ir_expr *bits_from(struct access *a, unsigned n, bool is_signed)
{
	unsigned bytes = n <= 1 ? 1 : n <= 9 ? 2 : n <= 25 ? 4 : 8;

	return access_extract(a, access_binary(a, IR_USHR, access_load_bytes(a, a->expr, bytes), a->bit), 0, n, is_signed);
}

static struct ir_expr *value(struct access *a)
{
	const struct site_value *v = a->v;
	const struct c_type *type = c_type_strip(v->type);
	bool is_signed = type && (type->kind == C_INT || type->kind == C_ENUM) && type->is_signed;
	unsigned size;

	if (v->address_of || access_is_aggregate(type))
		return address(a);
	size = access_size(type);
	if (!access_is_size(size))
		return access_cannot(a, "its type has no width that a number can have");
	if (!v->bit_size) {
		struct ir_expr *bits = read_bits(a, 0, size * 8, is_signed);

		return type && type->kind == C_FLOAT && size == 4 && !a->failed ? lower_float_widen(a->l, bits) : bits;
	}
	if (a->bit)
		return bits_from(a, v->bit_size, is_signed);
	return read_bits(a, v->bit_off, v->bit_size, is_signed);
}

static void walk(struct access *a)
{
	const struct site_value *v = a->v;

	a->space = v->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL;
	a->place = v->text ? lower_place(a->l, a->span, "identifier", v->text)
			   : lower_place(a->l, a->span, "", NULL);
	lower_bind_base(a->l, v, a->place);
	start(a);
	for (unsigned i = 0; i < v->n_steps && !a->failed; i++)
		follow(a, &v->steps[i]);
}

struct ir_expr *lower_site_value(struct lower *l, const struct ast_expr *e)
{
	const struct site_value *v = e->resolved;
	struct access a = { .l = l, .v = v, .span = e->span };
	struct lower_list list;
	struct ir_expr *result;

	lower_list_begin(l, &list);
	walk(&a);
	result = a.failed ? lower_zero(l, IR_LONG) : value(&a);
	if (a.failed)
		result = lower_zero(l, IR_LONG);
	return ir_seq(l->unit, lower_list_end(l, &list), result);
}

bool lower_object_open(struct lower *l, const struct ast_expr *e, struct lower_object *ret)
{
	struct access a = { .l = l, .v = e->resolved, .span = e->span };
	const struct c_type *type = c_type_strip(e->resolved->type);

	if (e->resolved->is_absent)
		return false;
	walk(&a);
	if (a.kind == IS_OBJECT && !a.failed)
		object_to_memory(&a, type ? type->size : 1);
	if (a.failed)
		return false;
	*ret = (struct lower_object){
		.of = e,
		.place = a.place,
		.space = a.space,
		.pointees = e->resolved->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL,
		.loc = a.loc,
		.offset = a.offset,
	};
	if (a.kind == IS_MEMORY)
		ret->address = access_shared(&a, a.expr);
	else if (a.kind == IS_NUMBER)
		ret->number = access_shared(&a, a.expr);
	return true;
}

struct ir_expr *lower_object_address(struct lower *l, const struct lower_object *object, uint64_t bytes)
{
	struct access a = { .l = l };

	return access_add(&a, object->address, (int64_t)bytes);
}

struct ir_expr *lower_object_bits(struct lower *l, const struct lower_object *object, uint64_t bit, unsigned n,
				  bool is_signed)
{
	struct access a = { .l = l, .v = object->of->resolved, .span = object->of->span, .place = object->place,
			    .space = object->space, .loc = object->loc, .offset = object->offset, .is_soft = true,
			    .is_quiet = true };
	struct ir_expr *value;

	if (object->address) {
		value = access_load_bits(&a, object->address, bit, n, is_signed);
	} else {
		a.kind = object->number ? IS_NUMBER : IS_OBJECT;
		a.expr = object->number;
		value = read_bits(&a, (unsigned)bit, n, is_signed);
	}
	return a.failed ? NULL : value;
}

bool lower_site_memory(struct lower *l, const struct ast_expr *e, struct lower_memory *ret)
{
	const struct site_value *v = e->resolved;
	const struct c_type *type = c_type_strip(v->type);
	struct access a = { .l = l, .v = v, .span = e->span, .writes = true };
	unsigned size = access_size(type);

	walk(&a);
	if (a.kind == IS_OBJECT && !a.failed)
		object_to_memory(&a, size);
	if (a.failed)
		return false;
	if (a.kind != IS_MEMORY) {
		access_cannot(&a, "what is not in memory is written");
		return false;
	}
	*ret = (struct lower_memory){ .address = a.expr, .place = a.place, .space = a.space, .size = (uint8_t)size };
	ret->is_signed = type && (type->kind == C_INT || type->kind == C_ENUM) && type->is_signed;
	ret->bit_size = v->bit_size ? v->bit_size : size * 8;
	if (v->bit_size) {
		ret->address = access_add(&a, a.expr, v->bit_off / 8);
		ret->bit_off = v->bit_off % 8;
		ret->size = (uint8_t)((ret->bit_off + v->bit_size + 7) / 8);
	}
	return true;
}
