// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/lower_loc.h"

#include "compiler/ir/lower_expr.h"
#include "compiler/ir/lower_float.h"
#include "compiler/ir/lower_portable.h"

#define MAX_STACK 64 // of a location program: compilers use a handful

// A value on its way through the access path.
struct access {
	struct lower *l;
	const struct site_value *v;
	struct span span;
	uint32_t place;
	enum ir_space space; // of the memory that is read next
	enum {
		IS_NUMBER, // expr is the value
		IS_MEMORY, // expr is its address
		IS_OBJECT, // bytes from `offset` on of what v->loc describes
	} kind;
	struct ir_expr *expr;
	int64_t offset;
	bool writes;
	bool is_soft; // what faults is 0: it was found out before that it does not
	bool is_quiet; // what cannot be read is not reported
	bool failed;
};

static struct ir_expr *cannot(struct access *a, enum diag_id id, const char *why)
{
	if (!a->failed && !a->is_quiet)
		diag(a->l->opts->dc, a->span, id, "`%s` cannot be %s here: %s",
		     a->v->text ? a->v->text : "value", a->writes ? "written" : "read", why);
	a->failed = true;
	return ir_const(a->l->unit, 0);
}

static struct ir_expr *binary(struct access *a, enum ir_expr_op op, struct ir_expr *x,
			      struct ir_expr *y)
{
	return ir_binary(a->l->unit, op, x, y, IR_NO_PLACE);
}

static struct ir_expr *context(struct access *a, uint32_t offset, unsigned size, bool is_signed)
{
	struct ir_expr *e = ir_expr_new(a->l->unit, IR_CTX, IR_LONG, IR_NO_PLACE);

	e->imm = offset;
	e->size = (uint8_t)size;
	e->is_signed = is_signed;
	return e;
}

static struct ir_expr *add_bytes(struct access *a, struct ir_expr *address, int64_t bytes)
{
	if (address->op == IR_CTX && !address->size)
		return context(a, (uint32_t)(address->imm + bytes), 0, false);
	return binary(a, IR_ADD, address, ir_const(a->l->unit, bytes));
}

// Used more than once: computed once. Registers are as cheap as temporaries.
static struct ir_expr *shared(struct access *a, struct ir_expr *e)
{
	return e->op == IR_CTX ? e : lower_keep(a->l, e);
}

// ---- bits ---------------------------------------------------------------------------------------

static struct ir_expr *extract(struct access *a, struct ir_expr *e, unsigned bit, unsigned n,
			       bool is_signed)
{
	struct ir_expr *r;

	if (n >= 64)
		return e;
	if ((e->op == IR_CTX || e->op == IR_LOAD) && !bit && e->size * 8u == n &&
	    e->is_signed == is_signed)
		return e;
	if (bit)
		e = binary(a, is_signed && bit + n == 64 ? IR_SHR : IR_USHR, e,
			   ir_const(a->l->unit, bit));
	if (bit + n == 64)
		return e;
	r = ir_expr_new(a->l->unit, is_signed ? IR_SEXT : IR_ZEXT, IR_LONG, IR_NO_PLACE);
	r->imm = n;
	r->a = e;
	return r;
}

static bool is_access_size(unsigned size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static struct ir_expr *load(struct access *a, struct ir_expr *address, unsigned size, bool is_signed)
{
	struct ir_expr *e;

	if (address->op == IR_CTX && !address->size && address->imm % size == 0)
		return context(a, (uint32_t)address->imm, size, is_signed);
	e = ir_expr_new(a->l->unit, IR_LOAD, IR_LONG, a->place);
	e->a = address;
	e->size = (uint8_t)size;
	e->is_signed = is_signed;
	e->space = a->space;
	e->b = a->is_soft ? ir_const(a->l->unit, 0) : NULL;
	return e;
}

// Up to 8 bytes, never one more than that: the byte behind may be on a page that is not there.
static struct ir_expr *load_bytes(struct access *a, struct ir_expr *address, unsigned n)
{
	struct ir_expr *all = NULL;

	if (is_access_size(n))
		return load(a, address, n, false);
	address = shared(a, address);
	for (unsigned done = 0, size; done < n; done += size) {
		struct ir_expr *part;
		size = n - done >= 4 ? 4 : n - done >= 2 ? 2 : 1;
		part = load(a, add_bytes(a, address, done), size, false);
		if (done)
			part = binary(a, IR_SHL, part, ir_const(a->l->unit, done * 8));
		all = all ? binary(a, IR_OR, all, part) : part;
	}
	return all;
}

static struct ir_expr *load_bits(struct access *a, struct ir_expr *address, uint64_t bit,
				 unsigned n, bool is_signed)
{
	unsigned shift = bit % 8, bytes = (shift + n + 7) / 8;

	address = add_bytes(a, address, (int64_t)(bit / 8));
	if (!shift && n % 8 == 0 && is_access_size(n / 8))
		return load(a, address, n / 8, is_signed);
	if (bytes > 8)
		return cannot(a, DIAG_PACKED_BITFIELD,
			      "the bit-field spreads over two storage units");
	return extract(a, load_bytes(a, address, bytes), shift, n, is_signed);
}

// ---- location programs --------------------------------------------------------------------------

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
		return cannot(a, DIAG_VAR_PLACE, "registers are not at hand at this probe");
	if (abi && dwarf >= abi->float_dwarf && dwarf < abi->float_dwarf + abi->n_floats)
		return cannot(a, DIAG_VAR_PLACE, "it is in a floating point register, which probes do not see");
	if (!reg)
		return cannot(a, DIAG_VAR_PLACE,
			      "it is in a register that the kernel does not save for probes");
	return context(a, reg->offset, 8, false);
}

static struct ir_expr *entry_register(struct access *a, int64_t dwarf)
{
	const struct site *site = a->l->site;

	if (site && site->func && !site->is_return && site->pc && site->pc == site->func->entry_pc)
		return read_register(a, dwarf);
	return cannot(
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
		return cannot(a, DIAG_VAR_PLACE, "its module is not known");
	if (op->section)
		return binary(a, IR_ADD, lower_section(l, module, op->section), ir_const(l->unit, address));
	lower_bind(l, module, a->v->text);
	if (module->is_kernel)
		return binary(a, IR_ADD, lower_slot(l, SP_FIX_KERNEL_SLIDE, UINT32_MAX), ir_const(l->unit, address));
	if (!module->is_pie)
		return ir_const(l->unit, address);
	// At a uprobe the program counter is the probed instruction: how far it is from where the linker put that instruction
	// is how far everything else of the file was moved.
	if (!site || site->module != module || site->kind != SP_SITE_UPROBE || l->n_sites != 1 ||
	    !module->abi)
		return cannot(
			a, DIAG_VAR_PLACE,
			"it is static data of a position-independent file, whose load address "
			"is only known at probes inside of that file");
	pc = context(a, module->abi->pc_offset, 8, false);
	return binary(a, IR_ADD, pc, ir_const(l->unit, (int64_t)((uint64_t)address - site->pc)));
}

bool lower_needs_own_site(const struct site_value *v)
{
	if (v->base != SITE_BASE_LOC || !v->loc ||
	    (v->module && (v->module->is_kernel || !v->module->is_pie)))
		return false;
	for (unsigned i = 0; i < v->loc->n_pieces; i++)
		for (unsigned k = 0; k < v->loc->pieces[i].n_ops; k++)
			if (v->loc->pieces[i].ops[k].kind == LOC_ADDR)
				return true;
	return false;
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
		break;
	}
	return IR_ADD;
}

static void apply_binary(struct access *a, struct stack *s, enum loc_op_kind kind)
{
	struct ir_expr *y = s->v[--s->n], *x = s->v[--s->n];
	enum ir_expr_op op = arithmetic(kind);
	bool shifts = op == IR_SHL || op == IR_SHR || op == IR_USHR;
	bool divides = op == IR_DIV || op == IR_MOD || op == IR_UDIV || op == IR_UMOD;

	// DWARF shifts everything out, the IR takes the count modulo 64.
	if (shifts && y->op == IR_CONST && (uint64_t)y->imm >= 64) {
		s->v[s->n++] = op == IR_SHR ? binary(a, IR_SHR, x, ir_const(a->l->unit, 63))
					    : ir_const(a->l->unit, 0);
		return;
	}
	if (shifts && y->op != IR_CONST) {
		cannot(a, DIAG_VAR_PLACE, "its location shifts by a count that is not constant");
		s->v[s->n++] = x;
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
		*top = shared(a, *top);
		cond = ir_unary(a->l->unit, IR_COND, binary(a, IR_LT, *top, ir_const(a->l->unit, 0)));
		cond->b = ir_unary(a->l->unit, IR_NEG, *top);
		cond->c = *top;
		*top = cond;
	} else if (op->kind == LOC_DEREF) {
		*top = op->a >= 1 && op->a <= 8
			       ? load_bytes(a, *top, (unsigned)op->a)
			       : cannot(a, DIAG_VAR_PLACE,
					"its location reads more than 8 bytes at once");
	} else {
		*top = extract(a, *top, 0, (unsigned)SP_MIN(op->a, (int64_t)8) * 8,
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
		*picked = shared(a, *picked);
		s->v[s->n++] = *picked;
	}
}

// How many values an operation takes.
static unsigned operands(const struct loc_op *op)
{
	switch (op->kind) {
	case LOC_CONST: case LOC_REG: case LOC_ENTRY_REG: case LOC_ADDR:
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
	case LOC_TLS:
		cannot(a, DIAG_VAR_PLACE, "it is thread-local");
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
	}
}

static struct ir_expr *run(struct access *a, const struct loc_piece *piece)
{
	struct stack s = { .n = 0 };

	for (unsigned i = 0; i < piece->n_ops && !a->failed; i++) {
		if (operands(&piece->ops[i]) > s.n || s.n == MAX_STACK)
			return cannot(a, DIAG_VAR_PLACE, "its location program is broken");
		step(a, &s, &piece->ops[i]);
	}
	if (a->failed)
		return ir_const(a->l->unit, 0);
	return s.n ? s.v[s.n - 1] : cannot(a, DIAG_VAR_PLACE, "its location program is empty");
}

// ---- objects in pieces --------------------------------------------------------------------------

static struct ir_expr *piece_bits(struct access *a, const struct loc_piece *piece, uint64_t bit,
				  unsigned n, bool is_signed)
{
	uint64_t value = 0;

	switch (piece->where) {
	case LOC_IN_MEMORY:
		return load_bits(a, run(a, piece), bit, n, is_signed);
	case LOC_IS_VALUE:
		if (bit + n > 64)
			return cannot(a, DIAG_VAR_PLACE,
				      "it is wider than the register that holds it");
		return extract(a, run(a, piece), (unsigned)bit, n, is_signed);
	case LOC_IS_BYTES:
		for (unsigned i = 0; i < n; i++) {
			uint64_t from = bit + i;
			if (from / 8 < piece->n_bytes)
				value |= (uint64_t)(piece->bytes[from / 8] >> (from % 8) & 1) << i;
		}
		if (is_signed && n < 64 && value >> (n - 1) & 1)
			value |= ~0ull << n;
		return ir_const(a->l->unit, (int64_t)value);
	case LOC_ABSENT:
		break;
	}
	return cannot(a, DIAG_VAR_ABSENT, "it is optimised out");
}

static struct ir_expr *object_bits(struct access *a, uint64_t bit, unsigned n, bool is_signed)
{
	const struct loc *loc = a->v->loc;
	struct ir_expr *all = NULL;
	uint64_t start = 0, end = bit + n;

	for (unsigned i = 0; i < loc->n_pieces; i++) {
		const struct loc_piece *piece = &loc->pieces[i];
		uint64_t piece_end = piece->bit_size ? start + piece->bit_size : UINT64_MAX;
		uint64_t from = SP_MAX(bit, start), to = SP_MIN(end, piece_end);
		if (from < to) {
			bool last = to == end;
			struct ir_expr *part = piece_bits(a, piece, piece->bit_off + (from - start),
							  (unsigned)(to - from), is_signed && last);
			if (from > bit)
				part = binary(a, IR_SHL, part,
					      ir_const(a->l->unit, (int64_t)(from - bit)));
			all = all ? binary(a, IR_OR, all, part) : part;
		}
		start = piece_end;
		if (start >= end)
			return all;
	}
	return cannot(a, DIAG_VAR_ABSENT, "a part of it is optimised out");
}

// ---- access paths -------------------------------------------------------------------------------

static struct ir_expr *read_bits(struct access *a, unsigned bit, unsigned n, bool is_signed)
{
	switch (a->kind) {
	case IS_MEMORY:
		return load_bits(a, a->expr, bit, n, is_signed);
	case IS_NUMBER:
		if (a->offset * 8 + bit + n > 64)
			return cannot(a, DIAG_VAR_PLACE,
				      "it is wider than the register that holds it");
		return extract(a, a->expr, (unsigned)a->offset * 8 + bit, n, is_signed);
	case IS_OBJECT:
		return object_bits(a, (uint64_t)a->offset * 8 + bit, n, is_signed);
	}
	return NULL;
}

static bool is_aggregate(const struct c_type *type)
{
	type = c_type_strip(type);
	return type && (type->kind == C_STRUCT || type->kind == C_UNION || type->kind == C_ARRAY ||
			type->kind == C_FUNC);
}

static void start_context(struct access *a)
{
	const struct site_value *v = a->v;
	const struct c_type *type = c_type_strip(v->base_type);
	enum sp_prog_kind kind = a->l->site ? a->l->site->prog_kind : SP_PROG_USER;
	bool is_words = kind == SP_PROG_FENTRY || kind == SP_PROG_FEXIT || kind == SP_PROG_RAW_TP;

	a->kind = IS_NUMBER;
	if (is_words || !is_access_size(v->ctx_size)) {
		// The verifier takes whole words only.
		a->expr = context(a, v->ctx_off / 8 * 8, 8, false);
		a->offset = v->ctx_off % 8;
	} else {
		a->expr = context(a, v->ctx_off, v->ctx_size, type && type->is_signed);
	}
}

static void start_record(struct access *a)
{
	struct ir_expr *where;

	a->kind = IS_MEMORY;
	a->space = IR_SPACE_KERNEL;
	if (!a->v->is_data_loc) {
		a->expr = context(a, a->v->ctx_off, 0, false);
		return;
	}
	// __data_loc: the text's offset in the record in the low half, its length in the high half
	where = extract(a, context(a, a->v->ctx_off, 4, false), 0, 16, false);
	a->expr = binary(a, IR_ADD, context(a, 0, 0, false), where);
}

static void start(struct access *a)
{
	const struct site_value *v = a->v;

	switch (v->base) {
	case SITE_BASE_LOC:
		if (!v->loc || !v->loc->n_pieces) {
			cannot(a, DIAG_VAR_ABSENT, "it has no location");
		} else if (v->loc->n_pieces == 1 && !v->loc->pieces[0].bit_size &&
			   v->loc->pieces[0].where == LOC_IN_MEMORY) {
			a->kind = IS_MEMORY;
			a->expr = run(a, &v->loc->pieces[0]);
		} else {
			a->kind = IS_OBJECT;
		}
		break;
	case SITE_BASE_CTX:
		start_context(a);
		break;
	case SITE_BASE_RECORD:
		start_record(a);
		break;
	case SITE_BASE_EXPR:
		a->kind = is_aggregate(v->base_type) ? IS_MEMORY : IS_NUMBER;
		a->expr = lower_expr(a->l, v->expr);
		break;
	case SITE_BASE_CONST:
		a->kind = IS_NUMBER;
		a->expr = ir_const(a->l->unit, v->number);
		break;
	}
}

// The piece that holds byte `offset`, when it is in memory: its address then.
static bool object_to_memory(struct access *a)
{
	uint64_t start = 0, bit = (uint64_t)a->offset * 8;

	for (unsigned i = 0; i < a->v->loc->n_pieces; i++) {
		const struct loc_piece *piece = &a->v->loc->pieces[i];
		uint64_t end = piece->bit_size ? start + piece->bit_size : UINT64_MAX;
		if (bit >= start && bit < end) {
			if (piece->where != LOC_IN_MEMORY || piece->bit_off % 8)
				return false;
			a->kind = IS_MEMORY;
			a->expr = add_bytes(a, run(a, piece),
					    (int64_t)((piece->bit_off + bit - start) / 8));
			return true;
		}
		start = end;
	}
	return false;
}

static void follow(struct access *a, const struct site_step *step)
{
	struct ir_expr *index;

	if (step->by_layout || (step->in && a->kind == IS_OBJECT))
		lower_bind(a->l, a->v->module, a->v->text);
	switch (step->kind) {
	case STEP_ADD:
		if (a->kind == IS_MEMORY && step->in)
			a->expr = binary(a, IR_ADD, a->expr,
					 lower_member_offset(a->l, a->v->module, step->in, step->member, step->member_size,
							     step->bytes));
		else if (a->kind == IS_MEMORY)
			a->expr = add_bytes(a, a->expr, step->bytes);
		else
			a->offset += step->bytes;
		break;
	case STEP_DEREF:
		a->expr = read_bits(a, 0, 64, false);
		a->kind = IS_MEMORY;
		a->offset = 0;
		a->space = a->v->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL;
		break;
	case STEP_SCALE:
		index = lower_expr(a->l, step->index);
		index = ir_binary(a->l->unit, IR_MUL, index, ir_const(a->l->unit, step->bytes),
				  IR_NO_PLACE);
		if (a->kind == IS_MEMORY)
			a->expr = index->op == IR_CONST ? add_bytes(a, a->expr, index->imm) :
							  binary(a, IR_ADD, a->expr, index);
		else if (index->op == IR_CONST)
			a->offset += index->imm;
		else
			cannot(a, DIAG_VAR_PLACE,
			       "it is in registers, where only a constant can be an index");
		break;
	}
}

static struct ir_expr *address(struct access *a)
{
	if (a->kind == IS_OBJECT)
		object_to_memory(a);
	if (a->failed)
		return a->expr ? a->expr : ir_const(a->l->unit, 0);
	if (a->kind != IS_MEMORY)
		return cannot(a, DIAG_ADDRESS_NONE, "it is in a register and has no address");
	return a->expr;
}

static struct ir_expr *value(struct access *a)
{
	const struct site_value *v = a->v;
	const struct c_type *type = c_type_strip(v->type);
	bool is_signed = type && (type->kind == C_INT || type->kind == C_ENUM) && type->is_signed;
	unsigned size;

	if (v->address_of || is_aggregate(type))
		return address(a);
	size = !type || type->kind == C_POINTER ? 8 : (unsigned)SP_MIN(type->size, (uint64_t)16);
	if (!is_access_size(size))
		return cannot(a, DIAG_ACCESS_SHAPE, "its type has no width that a number can have");
	if (!v->bit_size) {
		struct ir_expr *bits = read_bits(a, 0, size * 8, is_signed);

		return type && type->kind == C_FLOAT && size == 4 && !a->failed ? lower_float_widen(a->l, bits) : bits;
	}
	if (a->kind == IS_MEMORY && v->bit_off + v->bit_size <= size * 8)
		return extract(a, load_bytes(a, a->expr, size), v->bit_off, v->bit_size, is_signed);
	return read_bits(a, v->bit_off, v->bit_size, is_signed);
}

static void walk(struct access *a)
{
	const struct site_value *v = a->v;

	a->space = v->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL;
	a->place = v->text ? lower_place(a->l, a->span, "identifier '%s'", v->text)
			   : lower_place(a->l, a->span, "%s", "");
	lower_bind_base(a->l, v);
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
	struct access a = { .l = l, .v = e->resolved, .span = e->span, .is_quiet = e->resolved->is_listed };

	walk(&a);
	if (a.kind == IS_OBJECT && !a.failed)
		object_to_memory(&a);
	if (a.failed)
		return false;
	*ret = (struct lower_object){
		.of = e,
		.place = a.place,
		.space = a.space,
		.pointees = e->resolved->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL,
		.offset = a.offset,
	};
	if (a.kind == IS_MEMORY)
		ret->address = shared(&a, a.expr);
	else if (a.kind == IS_NUMBER)
		ret->number = shared(&a, a.expr);
	return true;
}

struct ir_expr *lower_object_address(struct lower *l, const struct lower_object *object, uint64_t bytes)
{
	struct access a = { .l = l };

	return add_bytes(&a, object->address, (int64_t)bytes);
}

struct ir_expr *lower_object_bits(struct lower *l, const struct lower_object *object, uint64_t bit, unsigned n,
				  bool is_signed)
{
	struct access a = { .l = l, .v = object->of->resolved, .span = object->of->span, .place = object->place,
			    .space = object->space, .offset = object->offset, .is_soft = true, .is_quiet = true };
	struct ir_expr *value;

	if (object->address) {
		value = load_bits(&a, object->address, bit, n, is_signed);
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
	unsigned size = !type || type->kind == C_POINTER ? 8 : (unsigned)SP_MIN(type->size, (uint64_t)16);

	walk(&a);
	if (a.kind == IS_OBJECT && !a.failed)
		object_to_memory(&a);
	if (a.failed)
		return false;
	if (v->address_of || is_aggregate(type) || (type && type->kind == C_FLOAT) || !is_access_size(size) || v->bit_off + v->bit_size > size * 8) {
		cannot(&a, DIAG_WRITE_PLACE, "only numbers and pointers can be");
		return false;
	}
	if (a.kind != IS_MEMORY) {
		cannot(&a, DIAG_WRITE_PLACE, "it is in a register, which BPF programs do not change");
		return false;
	}
	*ret = (struct lower_memory){ .address = a.expr, .place = a.place, .space = a.space, .size = (uint8_t)size };
	ret->is_signed = type && (type->kind == C_INT || type->kind == C_ENUM) && type->is_signed;
	ret->bit_off = v->bit_off;
	ret->bit_size = v->bit_size;
	return true;
}
