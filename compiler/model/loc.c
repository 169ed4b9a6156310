// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/loc.h"

const struct loc_op_info *loc_op_info(enum loc_op_kind kind)
{
	static const struct loc_op_info infos[] = {
#define LOC_OP(kind, name, has_number, class, n_operands, n_results) \
	[LOC_##kind] = { name, has_number, LOC_##class, n_operands, n_results },
#include "compiler/model/loc.def"
#undef LOC_OP
	};

	return &infos[kind];
}

static void print_op(struct sp_buf *out, const struct loc_op *op)
{
	const struct loc_op_info *info = loc_op_info(op->kind);

	sp_buf_puts(out, info->name);
	if (op->kind == LOC_ADDR)
		sp_buf_printf(out, " %s%s0x%llx", op->section ? op->section : "", op->section ? "+" : "", (unsigned long long)op->a);
	else if (info->has_number)
		sp_buf_printf(out, "%lld", (long long)op->a);
}

static void print_piece(struct sp_buf *out, const struct loc_piece *piece)
{
	switch (piece->where) {
	case LOC_ABSENT:
		sp_buf_puts(out, "absent");
		if (piece->why)
			sp_buf_printf(out, " (%s)", piece->why);
		return;
	case LOC_IS_BYTES:
		sp_buf_puts(out, "bytes:");
		for (unsigned i = 0; i < piece->n_bytes; i++)
			sp_buf_printf(out, " %02x", piece->bytes[i]);
		return;
	case LOC_POINTS_TO:
		sp_buf_puts(out, "points to");
		if (piece->pointee_off)
			sp_buf_printf(out, " byte %lld of", (long long)piece->pointee_off);
		sp_buf_puts(out, " {");
		loc_print(out, piece->pointee);
		sp_buf_putc(out, '}');
		return;
	case LOC_IS_VALUE:
		if (piece->n_ops == 1) {
			sp_buf_putc(out, '[');
			print_op(out, &piece->ops[0]);
			sp_buf_putc(out, ']');
			return;
		}
		sp_buf_puts(out, "value:");
		break;
	case LOC_IN_MEMORY:
		sp_buf_puts(out, "mem:");
		break;
	}
	for (unsigned i = 0; i < piece->n_ops; i++) {
		sp_buf_putc(out, ' ');
		print_op(out, &piece->ops[i]);
	}
}

void loc_print(struct sp_buf *out, const struct loc *loc)
{
	if (!loc) {
		sp_buf_puts(out, "nowhere");
		return;
	}
	for (unsigned i = 0; i < loc->n_pieces; i++) {
		const struct loc_piece *piece = &loc->pieces[i];
		if (i)
			sp_buf_puts(out, "; ");
		if (piece->bit_size) {
			sp_buf_printf(out, "%u bits", piece->bit_size);
			if (piece->bit_off)
				sp_buf_printf(out, " at %u", piece->bit_off);
			sp_buf_puts(out, " of ");
		}
		print_piece(out, piece);
	}
}

static bool piece_equal(const struct loc_piece *a, const struct loc_piece *b)
{
	if (a->where != b->where || a->bit_size != b->bit_size || a->bit_off != b->bit_off)
		return false;
	if (a->n_ops != b->n_ops || a->n_bytes != b->n_bytes)
		return false;
	for (unsigned i = 0; i < a->n_ops; i++)
		if (a->ops[i].kind != b->ops[i].kind || a->ops[i].a != b->ops[i].a ||
		    !sp_streq(a->ops[i].section ? a->ops[i].section : "", b->ops[i].section ? b->ops[i].section : ""))
			return false;
	if (!loc_equal(a->pointee, b->pointee) || a->pointee_off != b->pointee_off)
		return false;
	return a->n_bytes == 0 || memcmp(a->bytes, b->bytes, a->n_bytes) == 0;
}

bool loc_equal(const struct loc *a, const struct loc *b)
{
	if (a == b)
		return true;
	if (!a || !b || a->n_pieces != b->n_pieces)
		return false;
	for (unsigned i = 0; i < a->n_pieces; i++)
		if (!piece_equal(&a->pieces[i], &b->pieces[i]))
			return false;
	return true;
}

void loc_each(const struct loc *loc, void (*fn)(void *ctx, const struct loc_op *op), void *ctx)
{
	for (unsigned i = 0; loc && i < loc->n_pieces; i++) {
		for (unsigned k = 0; k < loc->pieces[i].n_ops; k++)
			fn(ctx, &loc->pieces[i].ops[k]);
		loc_each(loc->pieces[i].pointee, fn, ctx);
	}
}

struct wanted {
	enum loc_op_kind kind;
	bool found;
};

static void find_kind(void *ctx, const struct loc_op *op)
{
	struct wanted *wanted = ctx;

	wanted->found |= op->kind == wanted->kind;
}

bool loc_has(const struct loc *loc, enum loc_op_kind kind)
{
	struct wanted wanted = { .kind = kind };

	loc_each(loc, find_kind, &wanted);
	return wanted.found;
}

bool loc_is_static(const struct loc *loc)
{
	return loc->n_pieces == 1 && loc->pieces[0].where == LOC_IN_MEMORY && loc->pieces[0].n_ops == 1 &&
	       loc->pieces[0].ops[0].kind == LOC_ADDR;
}

bool loc_lacks(const struct loc *loc, uint64_t bit, uint64_t n_bits)
{
	uint64_t start = 0;

	for (unsigned i = 0; i < loc->n_pieces && start < bit + n_bits; i++) {
		const struct loc_piece *piece = &loc->pieces[i];
		uint64_t end = piece->bit_size ? start + piece->bit_size : UINT64_MAX;

		if (bit < end && (piece->where == LOC_ABSENT || piece->where == LOC_POINTS_TO))
			return true;
		start = end;
	}
	return start < bit + n_bits;
}
