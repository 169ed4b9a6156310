// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/loc.h"

static const char *op_name(enum loc_op_kind kind)
{
	switch (kind) {
	case LOC_CONST: return "";
	case LOC_REG: return "reg";
	case LOC_ENTRY_REG: return "entry reg";
	case LOC_ADDR: return "addr";
	case LOC_CPU: return "cpu";
	case LOC_TLS: return "tls";
	case LOC_DEREF: return "deref";
	case LOC_ADD: return "+";
	case LOC_SUB: return "-";
	case LOC_MUL: return "*";
	case LOC_DIV: return "/";
	case LOC_SMOD: return "%";
	case LOC_UDIV: return "/u";
	case LOC_UMOD: return "%u";
	case LOC_AND: return "&";
	case LOC_OR: return "|";
	case LOC_XOR: return "^";
	case LOC_SHL: return "<<";
	case LOC_SHR: return ">>u";
	case LOC_SHRA: return ">>";
	case LOC_NEG: return "neg";
	case LOC_NOT: return "~";
	case LOC_ABS: return "abs";
	case LOC_EQ: return "==";
	case LOC_NE: return "!=";
	case LOC_LT: return "<";
	case LOC_LE: return "<=";
	case LOC_GT: return ">";
	case LOC_GE: return ">=";
	case LOC_DUP: return "dup";
	case LOC_DROP: return "drop";
	case LOC_SWAP: return "swap";
	case LOC_ROT: return "rot";
	case LOC_PICK: return "pick";
	case LOC_SEXT: return "sext";
	case LOC_ZEXT: return "zext";
	case LOC_BRANCH: return "branch";
	case LOC_SKIP: return "skip";
	}
	return "?";
}

static void print_op(struct sp_buf *out, const struct loc_op *op)
{
	const char *name = op_name(op->kind);

	switch (op->kind) {
	case LOC_CONST:
		sp_buf_printf(out, "%lld", (long long)op->a);
		break;
	case LOC_REG:
	case LOC_ENTRY_REG:
	case LOC_DEREF:
	case LOC_PICK:
	case LOC_SEXT:
	case LOC_ZEXT:
	case LOC_BRANCH:
	case LOC_SKIP:
		sp_buf_printf(out, "%s%lld", name, (long long)op->a);
		break;
	case LOC_ADDR:
		sp_buf_printf(out, "%s %s%s0x%llx", name, op->section ? op->section : "", op->section ? "+" : "",
			      (unsigned long long)op->a);
		break;
	case LOC_CPU:
	case LOC_TLS:
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
	case LOC_NEG:
	case LOC_NOT:
	case LOC_ABS:
	case LOC_EQ:
	case LOC_NE:
	case LOC_LT:
	case LOC_LE:
	case LOC_GT:
	case LOC_GE:
	case LOC_DUP:
	case LOC_DROP:
	case LOC_SWAP:
	case LOC_ROT:
		sp_buf_puts(out, name);
		break;
	}
}

static void print_piece(struct sp_buf *out, const struct loc_piece *piece)
{
	switch (piece->where) {
	case LOC_ABSENT:
		sp_buf_puts(out, "absent");
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

bool loc_has(const struct loc *loc, enum loc_op_kind kind)
{
	for (unsigned i = 0; loc && i < loc->n_pieces; i++) {
		for (unsigned k = 0; k < loc->pieces[i].n_ops; k++)
			if (loc->pieces[i].ops[k].kind == kind)
				return true;
		if (loc_has(loc->pieces[i].pointee, kind))
			return true;
	}
	return false;
}
