// SPDX-License-Identifier: GPL-2.0-or-later
// Location expressions, written again from what libdw has read: addresses are resolved, references point to what is kept.
#include "compiler/debug/keep/keep_impl.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "runtime/base/buf.h"

#include <dwarf.h>

void keep_put(struct sp_buf *out, uint64_t value, unsigned size)
{
	sp_buf_add(out, &value, size); // the hosts that we build for are little-endian, as the files are
}

void keep_put_uleb(struct sp_buf *out, uint64_t value)
{
	do {
		uint8_t byte = value & 0x7f;
		value >>= 7;
		sp_buf_putc(out, (char)(byte | (value ? 0x80 : 0)));
	} while (value);
}

void keep_put_sleb(struct sp_buf *out, int64_t value)
{
	for (bool more = true; more;) {
		uint8_t byte = value & 0x7f;
		value >>= 7;
		more = !((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40));
		sp_buf_putc(out, (char)(byte | (more ? 0x80 : 0)));
	}
}

struct writer {
	const struct keep *keep;
	Dwarf_Attribute *attr;
	struct sp_buf *out;
	struct keep_fixes *fixes;
};

// A place of 4 bytes for a reference to a DIE. In a unit these are a number that is as long as it can be.
static void put_die(struct writer *w, const Dwarf_Die *target, unsigned kind)
{
	sp_vec_push(w->fixes, ((struct keep_fix){ .at = w->out->len, .target = *target, .kind = kind }));
	keep_put(w->out, 0, 4);
}

// The operand that is a base type; 0 stands for none.
static bool put_type(struct writer *w, const Dwarf_Op *op, uint64_t number)
{
	Dwarf_Die die;

	if (!number) {
		sp_buf_putc(w->out, 0);
		return true;
	}
	if (dwarf_getlocation_die(w->attr, op, &die) != 0)
		return false;
	put_die(w, &die, KEEP_FIX_UNIT_LEB);
	return true;
}

static bool put_const_type(struct writer *w, const Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Block block;

	sp_buf_putc(w->out, (char)op->atom);
	if (!put_type(w, op, op->number) || dwarf_getlocation_attr(w->attr, op, &attr) != 0 || dwarf_formblock(&attr, &block) != 0 ||
	    block.length > 255)
		return false;
	sp_buf_putc(w->out, (char)block.length);
	sp_buf_add(w->out, block.data, block.length);
	return true;
}

static bool put_typed(struct writer *w, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		sp_buf_putc(w->out, (char)op->atom);
		return put_type(w, op, op->number);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		sp_buf_putc(w->out, (char)op->atom);
		keep_put_uleb(w->out, op->number);
		return put_type(w, op, op->number2);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		sp_buf_putc(w->out, (char)op->atom);
		sp_buf_putc(w->out, (char)op->number);
		return put_type(w, op, op->number2);
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		return put_const_type(w, op);
	default:
		return false;
	}
}

static bool put_nested(struct writer *w, const Dwarf_Op *op)
{
	struct sp_buf inner = { 0 };
	struct keep_fixes fixes = { 0 };
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation_attr(w->attr, op, &attr) != 0 || dwarf_getlocation(&attr, &ops, &n) != 0)
		return false;
	keep_expr_put(w->keep, &attr, ops, n, &inner, &fixes);
	sp_buf_putc(w->out, (char)op->atom);
	keep_put_uleb(w->out, inner.len);
	for (size_t i = 0; i < fixes.n; i++) {
		fixes.v[i].at += w->out->len;
		sp_vec_push(w->fixes, fixes.v[i]);
	}
	sp_buf_add(w->out, inner.data, inner.len);
	sp_vec_deinit(&fixes);
	sp_buf_deinit(&inner);
	return true;
}

static bool put_reference(struct writer *w, const Dwarf_Op *op)
{
	bool points = op->atom == DW_OP_implicit_pointer || op->atom == DW_OP_GNU_implicit_pointer;
	bool is_parameter = op->atom == DW_OP_GNU_parameter_ref;
	Dwarf_Die die;

	if (dwarf_getlocation_die(w->attr, op, &die) != 0)
		return false;
	// DW_OP_call4 reaches into the same unit only, as this one does; those of another unit cannot be told.
	sp_buf_putc(w->out, (char)(points || is_parameter ? op->atom : DW_OP_call4));
	put_die(w, &die, points ? KEEP_FIX_4 : KEEP_FIX_UNIT_4);
	if (points)
		keep_put_sleb(w->out, (int64_t)op->number2);
	return true;
}

static bool put_indexed(struct writer *w, const Dwarf_Op *op)
{
	bool is_addr;
	uint64_t value;

	if (!dw_attr_indexed(w->attr, op, &is_addr, &value))
		return false;
	sp_buf_putc(w->out, (char)(is_addr ? DW_OP_addr : DW_OP_constu));
	if (is_addr)
		keep_put(w->out, value, w->keep->file->abi->word_size);
	else
		keep_put_uleb(w->out, value);
	return true;
}

static bool put_special(struct writer *w, const Dwarf_Op *op)
{
	Dwarf_Block block;

	switch (op->atom) {
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		return put_indexed(w, op);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return put_nested(w, op);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
	case DW_OP_GNU_parameter_ref:
	case DW_OP_call2:
	case DW_OP_call4:
		return put_reference(w, op);
	case DW_OP_implicit_value:
		if (dwarf_getlocation_implicit_value(w->attr, op, &block) != 0)
			return false;
		sp_buf_putc(w->out, (char)op->atom);
		keep_put_uleb(w->out, block.length);
		sp_buf_add(w->out, block.data, block.length);
		return true;
	default:
		return put_typed(w, op);
	}
}

// The operands of operations that refer to nothing: 'a' an address, digits a number of that many bytes, 'u' and 's' LEB128.
static const char *operands(unsigned atom)
{
	switch (atom) {
	case DW_OP_addr:
		return "a";
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_pick:
	case DW_OP_deref_size:
		return "1";
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_skip: // where they lead to is set when all operations are written
	case DW_OP_bra:
		return "2";
	case DW_OP_const4u:
	case DW_OP_const4s:
		return "4";
	case DW_OP_const8u:
	case DW_OP_const8s:
		return "8";
	case DW_OP_constu:
	case DW_OP_plus_uconst:
	case DW_OP_regx:
	case DW_OP_piece:
		return "u";
	case DW_OP_consts:
	case DW_OP_fbreg:
		return "s";
	case DW_OP_bregx:
		return "us";
	case DW_OP_bit_piece:
		return "uu";
	case DW_OP_deref:
	case DW_OP_nop:
	case DW_OP_push_object_address:
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
	case DW_OP_call_frame_cfa:
	case DW_OP_stack_value:
	case DW_OP_GNU_uninit:
		return "";
	default:
		if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
			return "s";
		return atom >= DW_OP_dup && atom <= DW_OP_reg31 ? "" : NULL;
	}
}

static bool put_op(struct writer *w, const Dwarf_Op *op)
{
	const char *kinds = operands(op->atom);

	if (!kinds)
		return put_special(w, op);
	sp_buf_putc(w->out, (char)op->atom);
	for (unsigned i = 0; kinds[i]; i++) {
		uint64_t value = i ? op->number2 : op->number;

		if (kinds[i] == 'a')
			keep_put(w->out, value, w->keep->file->abi->word_size);
		else if (kinds[i] == 'u')
			keep_put_uleb(w->out, value);
		else if (kinds[i] == 's')
			keep_put_sleb(w->out, (int64_t)value);
		else
			keep_put(w->out, value, (unsigned)(kinds[i] - '0'));
	}
	return true;
}

// Branches count bytes from their own end, and operations may have another length now. starts[n] is the end.
static bool set_branches(struct sp_buf *out, const Dwarf_Op *ops, size_t n, const size_t *starts)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t target = ops[i].offset + 3 + (uint64_t)(int64_t)(int16_t)ops[i].number;
		size_t to = 0;

		if (ops[i].atom != DW_OP_skip && ops[i].atom != DW_OP_bra)
			continue;
		while (to < n && ops[to].offset != target)
			to++;
		if (to == n && target < ops[n - 1].offset)
			return false;
		int64_t distance = (int64_t)starts[to] - (int64_t)(starts[i] + 3);
		if (distance < INT16_MIN || distance > INT16_MAX)
			return false;
		memcpy(out->data + starts[i] + 1, &distance, 2);
	}
	return true;
}

void keep_expr_put(const struct keep *keep, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n, struct sp_buf *out,
		   struct keep_fixes *fixes)
{
	struct writer w = { keep, attr, out, fixes };
	size_t start = out->len, n_fixes = fixes->n;
	size_t *starts = sp_calloc(n + 1, sizeof(*starts));
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		starts[i] = out->len;
		ok = put_op(&w, &ops[i]);
	}
	starts[n] = out->len;
	if (!ok || !set_branches(out, ops, n, starts)) {
		out->len = start;
		fixes->n = n_fixes;
		sp_buf_putc(out, DW_OP_xderef);
	}
	free(starts);
}
