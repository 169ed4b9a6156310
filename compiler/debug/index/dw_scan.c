// SPDX-License-Identifier: GPL-2.0-or-later
// Abbreviations are translated to what reads DIEs, which nobody else knows, so both are in one file of more than 600 lines.
#include "compiler/debug/index/dw_scan.h"

#include "compiler/debug/index/dw_reader.h"

#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_ABBREVS 100000
#define MAX_DEPTH 1024

// How to read one attribute, or skip several at once. An abbreviation is translated to these once; its DIEs then run them.
enum op_kind {
	OP_UNREAD, // a form that is not read
	OP_SKIP, // `value` bytes
	OP_LEB,
	OP_BLOCK, // its length is in `size` bytes, 0: a LEB128
	OP_STRING,
	OP_NAME, // DW_AT_name, a string here
	OP_NAME_AT, // DW_AT_name, an offset in .debug_str
	OP_SIBLING, // DW_AT_sibling: `size` bytes, 0: a LEB128
	OP_ORIGIN, // DW_AT_specification, DW_AT_abstract_origin: the same
	OP_DECLARATION, // DW_AT_declaration: a flag of one byte
	OP_LANGUAGE, // DW_AT_language: `size` bytes, 0: it is `value`
	OP_LINES, // DW_AT_stmt_list: 4 bytes
	OP_COMP_DIR, // DW_AT_comp_dir, a string here
	OP_COMP_DIR_AT, // DW_AT_comp_dir, an offset in .debug_str; `value` not 0: in .debug_line_str
};

struct op {
	uint8_t kind, size;
	uint16_t value;
};

// Most DIEs have a fixed size, and of their attributes only the name and the sibling are of interest: these are read without `ops`.
struct abbrev {
	unsigned tag;
	bool has_children, is_declaration;
	bool is_fixed;
	uint8_t kind; // enum dw_name_kind, unless a DIE says itself whether it is a declaration
	uint16_t size, name_at, sibling_at; // of a fixed one; NOWHERE: it has no name or sibling
	uint32_t first_op, n_ops;
};

#define NOWHERE UINT16_MAX

struct dw_scan {
	const struct dw_scan_source *source;
	uint8_t *buffer; // the bytes of a unit that is read rather than mapped: load_unit()
	size_t buffer_size;
	// The rest is about the last unit.
	uint64_t abbrev_off;
	bool has_abbrevs;
	SP_VEC(struct abbrev) abbrevs; // by code - 1
	SP_VEC(struct op) ops;
	const uint8_t *unit, *end;
	SP_VEC(uint64_t) definitions; // codes: read_definitions()
};

struct die {
	const struct abbrev *abbrev; // NULL: the end of a list
	const char *name; // NULL: none
	uint64_t sibling, origin; // from the unit's start; 0: none
	uint64_t language;
	uint64_t lines; // where the unit's line table is; UINT64_MAX: it has none
	const char *comp_dir; // NULL: none
	bool is_declaration;
};

struct dw_scan *dw_scan_create(const struct dw_scan_source *source)
{
	struct dw_scan *scan = sp_calloc(1, sizeof(*scan));

	scan->source = source;
	return scan;
}

void dw_scan_destroy(struct dw_scan *scan)
{
	if (!scan)
		return;
	sp_vec_deinit(&scan->abbrevs);
	sp_vec_deinit(&scan->ops);
	sp_vec_deinit(&scan->definitions);
	free(scan->buffer);
	free(scan);
}

// ---- abbreviations --------------------------------------------------------------------------------------------------

// How to skip each form, in the 32-bit format with addresses of 8 bytes.
static const struct op skips[] = {
	[DW_FORM_flag_present] = { OP_SKIP, 0, 0 },
	[DW_FORM_implicit_const] = { OP_SKIP, 0, 0 },
	[DW_FORM_data1] = { OP_SKIP, 0, 1 },
	[DW_FORM_ref1] = { OP_SKIP, 0, 1 },
	[DW_FORM_flag] = { OP_SKIP, 0, 1 },
	[DW_FORM_strx1] = { OP_SKIP, 0, 1 },
	[DW_FORM_addrx1] = { OP_SKIP, 0, 1 },
	[DW_FORM_data2] = { OP_SKIP, 0, 2 },
	[DW_FORM_ref2] = { OP_SKIP, 0, 2 },
	[DW_FORM_strx2] = { OP_SKIP, 0, 2 },
	[DW_FORM_addrx2] = { OP_SKIP, 0, 2 },
	[DW_FORM_strx3] = { OP_SKIP, 0, 3 },
	[DW_FORM_addrx3] = { OP_SKIP, 0, 3 },
	[DW_FORM_data4] = { OP_SKIP, 0, 4 },
	[DW_FORM_ref4] = { OP_SKIP, 0, 4 },
	[DW_FORM_ref_addr] = { OP_SKIP, 0, 4 },
	[DW_FORM_strp] = { OP_SKIP, 0, 4 },
	[DW_FORM_line_strp] = { OP_SKIP, 0, 4 },
	[DW_FORM_sec_offset] = { OP_SKIP, 0, 4 },
	[DW_FORM_strx4] = { OP_SKIP, 0, 4 },
	[DW_FORM_addrx4] = { OP_SKIP, 0, 4 },
	[DW_FORM_addr] = { OP_SKIP, 0, 8 },
	[DW_FORM_data8] = { OP_SKIP, 0, 8 },
	[DW_FORM_ref8] = { OP_SKIP, 0, 8 },
	[DW_FORM_ref_sig8] = { OP_SKIP, 0, 8 },
	[DW_FORM_data16] = { OP_SKIP, 0, 16 },
	[DW_FORM_sdata] = { OP_LEB, 0, 0 },
	[DW_FORM_udata] = { OP_LEB, 0, 0 },
	[DW_FORM_ref_udata] = { OP_LEB, 0, 0 },
	[DW_FORM_strx] = { OP_LEB, 0, 0 },
	[DW_FORM_addrx] = { OP_LEB, 0, 0 },
	[DW_FORM_loclistx] = { OP_LEB, 0, 0 },
	[DW_FORM_rnglistx] = { OP_LEB, 0, 0 },
	[DW_FORM_block] = { OP_BLOCK, 0, 0 },
	[DW_FORM_exprloc] = { OP_BLOCK, 0, 0 },
	[DW_FORM_block1] = { OP_BLOCK, 1, 0 },
	[DW_FORM_block2] = { OP_BLOCK, 2, 0 },
	[DW_FORM_block4] = { OP_BLOCK, 4, 0 },
	[DW_FORM_string] = { OP_STRING, 0, 0 },
};

static bool form_op(uint64_t form, struct op *ret)
{
	*ret = form < SP_ARRAY_SIZE(skips) ? skips[form] : (struct op){ .kind = OP_UNREAD };
	return ret->kind != OP_UNREAD;
}

// Turns the operation that would skip an attribute into one that takes its value, when it is an attribute of interest. False: its
// form is not one that this reads.
static bool take_value(struct abbrev *abbrev, uint64_t name, uint64_t form, uint64_t constant, struct op *op)
{
	switch (name) {
	case DW_AT_name:
		if (form == DW_FORM_string || form == DW_FORM_strp)
			op->kind = form == DW_FORM_string ? OP_NAME : OP_NAME_AT;
		else if (form != DW_FORM_line_strp) // only a unit's own name, that of its file, has this form
			return false;
		return true;
	case DW_AT_sibling:
	case DW_AT_specification:
	case DW_AT_abstract_origin:
		if (form == DW_FORM_ref_addr || form == DW_FORM_ref_sig8)
			return false;
		op->size = (uint8_t)op->value;
		op->kind = name == DW_AT_sibling ? OP_SIBLING : OP_ORIGIN;
		return true;
	case DW_AT_declaration:
		abbrev->is_declaration |= form == DW_FORM_flag_present;
		if (form == DW_FORM_flag)
			op->kind = OP_DECLARATION;
		return true;
	case DW_AT_language:
		op->kind = OP_LANGUAGE;
		op->size = (uint8_t)op->value;
		op->value = form == DW_FORM_implicit_const ? (uint16_t)constant : 0;
		return form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_implicit_const;
	case DW_AT_stmt_list:
		if (form == DW_FORM_sec_offset || form == DW_FORM_data4)
			op->kind = OP_LINES;
		return true;
	case DW_AT_comp_dir:
		if (form == DW_FORM_string)
			op->kind = OP_COMP_DIR;
		if (form != DW_FORM_strp && form != DW_FORM_line_strp)
			return true;
		op->kind = OP_COMP_DIR_AT;
		op->value = form == DW_FORM_line_strp;
		return true;
	default:
		return true;
	}
}

static void add_op(struct dw_scan *scan, struct abbrev *abbrev, const struct op *op)
{
	struct op *last = abbrev->n_ops ? &sp_vec_last(&scan->ops) : NULL;

	if (op->kind == OP_SKIP && last && last->kind == OP_SKIP && last->value < UINT16_MAX - 16) {
		last->value += op->value;
		return;
	}
	if (op->kind == OP_SKIP && !op->value)
		return;
	sp_vec_push(&scan->ops, *op);
	abbrev->n_ops++;
}

static void add_fixed(struct abbrev *abbrev, const struct op *op)
{
	unsigned size = op->kind == OP_SKIP ? op->value : sizeof(uint32_t);

	if (op->kind == OP_NAME_AT)
		abbrev->name_at = abbrev->size;
	else if (op->kind == OP_SIBLING && op->size == size)
		abbrev->sibling_at = abbrev->size;
	else if (op->kind != OP_SKIP)
		abbrev->is_fixed = false;
	abbrev->is_fixed &= abbrev->size + size < NOWHERE;
	abbrev->size += abbrev->is_fixed ? size : 0;
}

// What the name of a DIE is the name of. DW_NAME_KINDS: of nothing that is defined there.
static enum dw_name_kind kind_of(unsigned tag, bool is_declaration)
{
	if (tag == DW_TAG_variable)
		return is_declaration ? DW_NAME_EXTERN : DW_NAME_VAR;
	if (is_declaration)
		return DW_NAME_KINDS;
	switch (tag) {
	case DW_TAG_subprogram:
		return DW_NAME_FUNC;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return DW_NAME_STRUCT;
	case DW_TAG_union_type:
		return DW_NAME_UNION;
	case DW_TAG_enumeration_type:
		return DW_NAME_ENUM;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return DW_NAME_TYPE;
	default:
		return DW_NAME_KINDS;
	}
}

static enum dw_name_kind wanted_kind(const struct dw_scan *scan, unsigned tag, bool is_declaration)
{
	enum dw_name_kind kind = kind_of(tag, is_declaration);

	return scan->source->only_funcs && kind != DW_NAME_FUNC ? DW_NAME_KINDS : kind;
}

static bool read_abbrev(struct dw_scan *scan, struct dw_reader *r)
{
	struct abbrev abbrev = { .tag = (unsigned)get_leb(r), .first_op = (uint32_t)scan->ops.n, .is_fixed = true,
				 .name_at = NOWHERE, .sibling_at = NOWHERE };

	abbrev.has_children = get(r, 1);
	for (;;) {
		uint64_t name = get_leb(r), form = get_leb(r), constant = 0;
		struct op op;
		if (form == DW_FORM_implicit_const)
			constant = get_leb(r);
		if (!r->ok)
			return false;
		if (!name && !form)
			break;
		if (!form_op(form, &op) || !take_value(&abbrev, name, form, constant, &op))
			return false;
		add_op(scan, &abbrev, &op);
		add_fixed(&abbrev, &op);
	}
	abbrev.kind = (uint8_t)wanted_kind(scan, abbrev.tag, abbrev.is_declaration);
	sp_vec_push(&scan->abbrevs, abbrev);
	return true;
}

// Reads a unit's abbreviations, unless the last unit had the same. Their codes must count from 1, as all compilers number them.
static bool read_abbrevs(struct dw_scan *scan, uint64_t off)
{
	const struct dw_section *section = &scan->source->abbrev;

	if (scan->has_abbrevs && scan->abbrev_off == off)
		return true;
	scan->has_abbrevs = false;
	scan->abbrevs.n = scan->ops.n = 0;
	if (off >= section->size)
		return false;
	struct dw_reader r = { section->data + off, section->data + section->size, true };
	for (uint64_t code; (code = get_leb(&r));) {
		if (code != scan->abbrevs.n + 1 || code > MAX_ABBREVS || !read_abbrev(scan, &r))
			return false;
	}
	scan->has_abbrevs = r.ok;
	scan->abbrev_off = off;
	return r.ok;
}

// ---- DIEs -----------------------------------------------------------------------------------------------------------

static const char *string_at(const struct dw_section *str, uint64_t off)
{
	// The section ends with a NUL: checked when the unit was opened.
	return off < str->size ? (const char *)str->data + off : NULL;
}

static void run_op(const struct dw_scan *scan, struct dw_reader *r, const struct op *op, struct die *die)
{
	switch ((enum op_kind)op->kind) {
	case OP_UNREAD:
		break;
	case OP_SKIP:
		skip(r, op->value);
		break;
	case OP_LEB:
		get_leb(r);
		break;
	case OP_BLOCK:
		skip(r, op->size ? get(r, op->size) : get_leb(r));
		break;
	case OP_STRING:
		get_string(r);
		break;
	case OP_NAME:
		die->name = get_string(r);
		break;
	case OP_NAME_AT:
		die->name = string_at(&scan->source->str, get(r, 4));
		break;
	case OP_SIBLING:
		die->sibling = op->size ? get(r, op->size) : get_leb(r);
		break;
	case OP_ORIGIN:
		die->origin = op->size ? get(r, op->size) : get_leb(r);
		break;
	case OP_DECLARATION:
		die->is_declaration |= get(r, 1) != 0;
		break;
	case OP_LINES:
		die->lines = get(r, 4);
		break;
	case OP_COMP_DIR:
		die->comp_dir = get_string(r);
		break;
	case OP_COMP_DIR_AT:
		die->comp_dir = string_at(op->value ? &scan->source->lines.line_str : &scan->source->str, get(r, 4));
		break;
	case OP_LANGUAGE:
		die->language = op->size ? get(r, op->size) : op->value;
		break;
	}
}

static inline uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static bool read_values(const struct dw_scan *scan, struct dw_reader *r, const struct abbrev *abbrev, struct die *ret)
{
	*ret = (struct die){ .abbrev = abbrev, .lines = UINT64_MAX, .is_declaration = abbrev->is_declaration };
	for (uint32_t i = 0; i < abbrev->n_ops; i++)
		run_op(scan, r, &scan->ops.v[abbrev->first_op + i], ret);
	return r->ok;
}

// Reads the code of a DIE. *ret NULL: it ends a list.
static inline bool read_code(const struct dw_scan *scan, struct dw_reader *r, const struct abbrev **ret)
{
	uint64_t code = get_leb(r);

	if (!r->ok || code > scan->abbrevs.n)
		return false;
	*ret = code ? scan->abbrevs.v + (code - 1) : NULL;
	return true;
}

static bool read_die(const struct dw_scan *scan, struct dw_reader *r, struct die *ret)
{
	const struct abbrev *abbrev;

	*ret = (struct die){ 0 };
	return read_code(scan, r, &abbrev) && (!abbrev || read_values(scan, r, abbrev, ret));
}

// The name of a DIE; a definition that refers to its declaration has its name there.
static const char *name_of(const struct dw_scan *scan, const struct die *die)
{
	struct die origin;

	if (die->name || !die->origin)
		return die->name;
	origin = *die;
	for (int steps = 0; !origin.name && origin.origin && steps < 3; steps++) {
		struct dw_reader r = { .end = scan->end, .ok = true };
		if (origin.origin >= (uint64_t)(scan->end - scan->unit))
			return NULL;
		r.at = scan->unit + origin.origin;
		if (!read_die(scan, &r, &origin) || !origin.abbrev)
			return NULL;
	}
	return origin.name;
}

bool dw_scan_is_flat(uint64_t language)
{
	switch (language) {
	case 0: // not said
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x2c: // DW_LANG_C17
	case DW_LANG_Mips_Assembler:
		return true;
	default:
		return false;
	}
}

struct taker {
	dw_scan_fn *fn;
	void *ctx;
};

static void take_name(const struct taker *taker, enum dw_name_kind kind, const char *name, uint32_t off)
{
	if (name && *name)
		taker->fn(taker->ctx, kind, name, off);
}

// Most DIEs. Of those that define no name of interest, no name is looked up.
static inline bool take_fixed(const struct dw_scan *scan, struct dw_reader *r, const struct abbrev *abbrev, uint32_t off,
			      const struct taker *taker, uint64_t *sibling_ret)
{
	const uint8_t *at = r->at;

	skip(r, abbrev->size);
	if (!r->ok)
		return false;
	if (taker && abbrev->kind != DW_NAME_KINDS && abbrev->name_at != NOWHERE)
		take_name(taker, abbrev->kind, string_at(&scan->source->str, word_at(at + abbrev->name_at)), off);
	*sibling_ret = abbrev->sibling_at != NOWHERE ? word_at(at + abbrev->sibling_at) : 0;
	return true;
}

static bool take_other(const struct dw_scan *scan, struct dw_reader *r, const struct abbrev *abbrev, uint32_t off,
		       const struct taker *taker, uint64_t *sibling_ret)
{
	enum dw_name_kind kind;
	struct die die;

	if (!read_values(scan, r, abbrev, &die))
		return false;
	kind = wanted_kind(scan, abbrev->tag, die.is_declaration);
	if (taker && kind != DW_NAME_KINDS)
		take_name(taker, kind, name_of(scan, &die), off);
	*sibling_ret = die.sibling;
	return true;
}

static bool read_top_level(struct dw_scan *scan, struct dw_reader *r, const struct taker *taker)
{
	unsigned depth = 1;

	while (depth && r->at < r->end) {
		uint32_t off = (uint32_t)(r->at - scan->unit);
		const struct taker *here = depth == 1 ? taker : NULL;
		const struct abbrev *abbrev;
		uint64_t sibling;
		if (!read_code(scan, r, &abbrev))
			return false;
		if (!abbrev) {
			depth--;
			continue;
		}
		bool ok = abbrev->is_fixed ? take_fixed(scan, r, abbrev, off, here, &sibling)
					   : take_other(scan, r, abbrev, off, here, &sibling);
		if (!ok)
			return false;
		if (!abbrev->has_children)
			continue;
		const uint8_t *next = scan->unit + sibling;
		if (sibling && sibling <= (uint64_t)(scan->end - scan->unit) && next > r->at)
			r->at = next;
		else if (++depth > MAX_DEPTH)
			return false;
	}
	return true;
}

static void take_path(void *ctx, const char *path)
{
	const struct taker *taker = ctx;

	taker->fn(taker->ctx, DW_NAME_FILE, path, 0);
}

// Gets the bytes of a unit, into a buffer when they come from a file: pages of the mapping would stay resident.
static bool load_unit(struct dw_scan *scan, uint64_t off, uint64_t end)
{
	const struct dw_section *info = &scan->source->info;
	size_t size = end - off;

	if (off >= end || end > info->size)
		return false;
	scan->unit = info->data + off;
	if (info->fd >= 0) {
		if (size > scan->buffer_size) {
			scan->buffer_size = size;
			scan->buffer = sp_realloc(scan->buffer, size);
		}
		if (pread(info->fd, scan->buffer, size, (off_t)(info->file_off + off)) != (ssize_t)size)
			return false;
		scan->unit = scan->buffer;
	}
	scan->end = scan->unit + size;
	return true;
}

// Reads the header of a unit that has been loaded; then `r` is at its topmost DIE.
static bool read_header(struct dw_scan *scan, struct dw_reader *r, uint64_t *abbrevs_ret)
{
	*r = (struct dw_reader){ scan->unit, scan->end, true };
	uint64_t length = get(r, 4), version = get(r, 2), abbrevs, type = DW_UT_compile, address_size;
	if (length > (uint64_t)(scan->end - scan->unit) - 4 || version < 4 || version > 5)
		return false; // 64-bit lengths begin with 0xffffffff
	scan->end = r->end = scan->unit + 4 + length;
	if (version == 5) {
		type = get(r, 1);
		address_size = get(r, 1);
		abbrevs = get(r, 4);
	} else {
		abbrevs = get(r, 4);
		address_size = get(r, 1);
	}
	*abbrevs_ret = abbrevs;
	return r->ok && type == DW_UT_compile && address_size == 8;
}

bool dw_scan_unit(struct dw_scan *scan, uint64_t off, uint64_t end, dw_scan_fn *fn, void *ctx)
{
	const struct dw_section *str = &scan->source->str, *line_str = &scan->source->lines.line_str;
	struct taker taker = { fn, ctx };
	struct dw_reader r;
	uint64_t abbrevs;
	struct die die;

	if (!load_unit(scan, off, end) || (str->size && str->data[str->size - 1]) ||
	    (line_str->size && line_str->data[line_str->size - 1]) || !read_header(scan, &r, &abbrevs) ||
	    !read_abbrevs(scan, abbrevs))
		return false;
	if (!read_die(scan, &r, &die) || !die.abbrev || die.abbrev->tag != DW_TAG_compile_unit ||
	    !dw_scan_is_flat(die.language))
		return false;
	if (scan->source->is_kernel && !scan->source->only_funcs && die.lines != UINT64_MAX &&
	    !dw_line_kernel_paths(&scan->source->lines, die.lines, die.comp_dir, take_path, &taker))
		return false;
	return !die.abbrev->has_children || read_top_level(scan, &r, &taker);
}

// ---- definitions of one name ----------------------------------------------------------------------------------------

// Reads the attributes of an abbreviation. False: bytes may be between a DIE's code and its name, which may also be elsewhere.
static bool read_attributes(struct dw_reader *r, bool *is_declaration_ret, bool *has_name_ret)
{
	bool is_first = true, name_is_first = true;

	for (uint64_t name, form; (name = get_leb(r)), (form = get_leb(r)), r->ok && (name || form);) {
		if (form == DW_FORM_implicit_const)
			get_leb(r);
		*is_declaration_ret |= name == DW_AT_declaration;
		*has_name_ret |= name == DW_AT_name || name == DW_AT_specification;
		name_is_first &= name != DW_AT_specification && (name != DW_AT_name || is_first);
		is_first &= form == DW_FORM_flag_present || form == DW_FORM_implicit_const;
	}
	return name_is_first;
}

// Notes the codes of the functions that are defined, whose DIEs begin with the name. False: some begin with something else.
static bool read_definitions(struct dw_scan *scan, uint64_t off)
{
	const struct dw_section *section = &scan->source->abbrev;

	scan->definitions.n = 0;
	if (off >= section->size)
		return false;
	struct dw_reader r = { section->data + off, section->data + section->size, true };
	for (uint64_t code; (code = get_leb(&r));) {
		bool is_function = get_leb(&r) == DW_TAG_subprogram, is_declaration = false, has_name = false;
		get(&r, 1); // has children
		bool name_is_first = read_attributes(&r, &is_declaration, &has_name);
		if (!is_function || is_declaration || !has_name)
			continue;
		if (!name_is_first)
			return false;
		sp_vec_push(&scan->definitions, code);
	}
	return r.ok;
}

static bool is_definition(const struct dw_scan *scan, uint64_t code)
{
	sp_vec_each(definition, &scan->definitions)
		if (*definition == code)
			return true;
	return false;
}

bool dw_scan_may_define(struct dw_scan *scan, uint64_t off, uint64_t end, const struct dw_needles *needles)
{
	struct dw_reader r;
	uint64_t abbrevs;

	if (!load_unit(scan, off, end))
		return true;
	const uint8_t *at = dw_needles_find(needles, scan->unit, scan->end);
	if (!at)
		return false;
	if (!read_header(scan, &r, &abbrevs) || !read_definitions(scan, abbrevs))
		return true;
	// The DIE's code, a LEB128 of one byte or two, stands in front of its name.
	for (; at; at = dw_needles_find(needles, at + 1, scan->end))
		if (at >= r.at + 2 && at[-1] < 0x80 &&
		    (is_definition(scan, at[-1]) || (at[-2] >= 0x80 && is_definition(scan, (uint64_t)at[-1] << 7 | (at[-2] & 0x7f)))))
			return true;
	return false;
}
