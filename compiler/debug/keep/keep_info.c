// SPDX-License-Identifier: GPL-2.0-or-later
// Writes .debug_info and .debug_abbrev, and the lists of locations and ranges (DWARF 5 section 7.5).
#include "compiler/debug/keep/keep_impl.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_range.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <dwarf.h>

// A DIE that is being written: which attributes in which forms it has, and their values.
struct entry {
	struct keep_out *out;
	uint32_t number; // of the unit
	struct keep_unit *unit;
	struct keep_die *die;
	Dwarf_Die libdw;
	struct sp_buf key, values;
	struct keep_fixes fixes; // in `values`
};

uint32_t keep_string(struct sp_buf *section, struct sp_hash *known, const char *text)
{
	void **at = sp_hash_insert(known, text, strlen(text));

	if (!*at) {
		if (!section->len)
			sp_buf_putc(section, '\0');
		*at = (void *)(uintptr_t)section->len;
		sp_buf_add(section, text, strlen(text) + 1);
	}
	return (uint32_t)(uintptr_t)*at;
}

uint64_t keep_file_number(struct keep_unit *unit, uint64_t old)
{
	for (size_t i = 0; i < unit->files.n; i++)
		if (unit->files.v[i] == old)
			return i + 1;
	sp_vec_push(&unit->files, old);
	return unit->files.n;
}

static void add_form(struct entry *e, unsigned name, unsigned form)
{
	keep_put_uleb(&e->key, name);
	keep_put_uleb(&e->key, form);
}

static void put_text(struct entry *e, unsigned name, const char *text)
{
	add_form(e, name, DW_FORM_strp);
	keep_put(&e->values, keep_string(&e->out->str, &e->out->strings, text), 4);
}

static void put_address(struct entry *e, unsigned name, uint64_t addr)
{
	add_form(e, name, DW_FORM_addr);
	keep_put(&e->values, addr, e->out->address_size);
}

// Where the header of the section's only table ends.
static void begin_lists(struct keep_out *out, struct sp_buf *section)
{
	if (section->len)
		return;
	keep_put(section, 0, 4); // the length, which keep_info_write() sets
	keep_put(section, 5, 2);
	keep_put(section, out->address_size, 1);
	keep_put(section, 0, 1 + 4); // no segments, no table of offsets
}

// ---- locations and ranges -------------------------------------------------------------------------------------------

static void put_expression(struct entry *e, Dwarf_Attribute *attr)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf expr = { 0 };
	struct keep_fixes fixes = { 0 };
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_getlocation(attr, &ops, &n) != 0)
		n = 0;
	if (n)
		keep_expr_put(e->out->keep, attr, ops, n, &expr, &fixes);
	add_form(e, dwarf_whatattr(attr), DW_FORM_exprloc);
	keep_put_uleb(&e->values, expr.len);
	for (size_t i = 0; i < fixes.n; i++) {
		fixes.v[i].at += e->values.len;
		sp_vec_push(&e->fixes, fixes.v[i]);
	}
	sp_buf_add(&e->values, expr.data, expr.len);
	sp_vec_deinit(&fixes);
}

static void put_list_entry(struct entry *e, Dwarf_Attribute *attr, struct keep_range range, const Dwarf_Op *ops, size_t n)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf expr = { 0 };
	struct sp_buf *list = &e->out->loclists;
	struct keep_fixes fixes = { 0 };

	keep_expr_put(e->out->keep, attr, ops, n, &expr, &fixes);
	sp_buf_putc(list, DW_LLE_start_length);
	keep_put(list, range.low, e->out->address_size);
	keep_put_uleb(list, range.high - range.low);
	keep_put_uleb(list, expr.len);
	for (size_t i = 0; i < fixes.n; i++) {
		fixes.v[i].at += list->len;
		fixes.v[i].unit = e->number;
		sp_vec_push(&e->out->list_fixes, fixes.v[i]);
	}
	sp_buf_add(list, expr.data, expr.len);
	sp_vec_deinit(&fixes);
}

// Is the list of a parameter of which only the value at the function's entry is asked for?
static bool only_entry(const struct entry *e, uint64_t *entry_ret)
{
	uint64_t low, high;
	Dwarf_Die function;

	if (!e->out->keep->is_brief || e->die->tag != DW_TAG_formal_parameter)
		return false;
	function = keep_libdw(e->unit, e->die->parent);
	return dw_range_entry(&function, &function, entry_ret, &low, &high);
}

static void put_list(struct entry *e, Dwarf_Attribute *attr)
{
	struct sp_buf *list = &e->out->loclists;
	uint64_t entry = 0, at;
	bool brief = only_entry(e, &entry);
	struct keep_range range;
	Dwarf_Addr base;
	Dwarf_Op *ops;
	size_t n;

	begin_lists(e->out, list);
	at = list->len;
	for (ptrdiff_t off = 0; (off = dwarf_getlocations(attr, off, &base, &range.low, &range.high, &ops, &n)) > 0;) {
		// What follows only tells where else the variable is.
		if (brief && list->len > at && !(entry >= range.low && entry < range.high))
			continue;
		if (range.low < range.high && n)
			put_list_entry(e, attr, range, ops, n);
	}
	if (list->len == at) { // nowhere: an expression that is empty says so
		add_form(e, dwarf_whatattr(attr), DW_FORM_exprloc);
		keep_put_uleb(&e->values, 0);
		return;
	}
	sp_buf_putc(list, DW_LLE_end_of_list);
	add_form(e, dwarf_whatattr(attr), DW_FORM_sec_offset);
	keep_put(&e->values, at, 4);
}

static void put_range(struct keep_out *out, struct keep_range range)
{
	sp_buf_putc(&out->rnglists, DW_RLE_start_length);
	keep_put(&out->rnglists, range.low, out->address_size);
	keep_put_uleb(&out->rnglists, range.high - range.low);
}

static void put_range_list(struct entry *e)
{
	struct keep_range range;
	Dwarf_Addr base;

	begin_lists(e->out, &e->out->rnglists);
	add_form(e, DW_AT_ranges, DW_FORM_sec_offset);
	keep_put(&e->values, e->out->rnglists.len, 4);
	for (ptrdiff_t off = 0; (off = dwarf_ranges(&e->libdw, off, &base, &range.low, &range.high)) > 0;)
		put_range(e->out, range);
	sp_buf_putc(&e->out->rnglists, DW_RLE_end_of_list);
}

static void put_place(struct entry *e, Dwarf_Attribute *attr)
{
	unsigned name = dwarf_whatattr(attr);
	Dwarf_Addr low, high, base;
	Dwarf_Word offset;

	if (name == DW_AT_ranges) {
		put_range_list(e);
	} else if (name == DW_AT_low_pc) {
		if (dwarf_lowpc(&e->libdw, &low) != 0)
			return;
		put_address(e, name, low);
		if (dwarf_hasattr(&e->libdw, DW_AT_high_pc) && dwarf_highpc(&e->libdw, &high) == 0) {
			add_form(e, DW_AT_high_pc, DW_FORM_udata);
			keep_put_uleb(&e->values, high - low);
		}
	} else if (dwarf_formaddr(attr, &low) == 0) {
		put_address(e, name, low);
	} else if (dwarf_formudata(attr, &offset) == 0 && dwarf_ranges(&e->libdw, 0, &base, &low, &high) > 0) {
		put_address(e, name, low + offset);
	}
}

// ---- attributes -----------------------------------------------------------------------------------------------------

static void put_block(struct entry *e, Dwarf_Attribute *attr)
{
	Dwarf_Block block;

	if (dwarf_formblock(attr, &block) != 0)
		return;
	add_form(e, dwarf_whatattr(attr), DW_FORM_block);
	keep_put_uleb(&e->values, block.length);
	sp_buf_add(&e->values, block.data, block.length);
}

// The form is kept where it decides what a number means.
static void put_number(struct entry *e, Dwarf_Attribute *attr)
{
	unsigned name = dwarf_whatattr(attr), form = dwarf_whatform(attr);
	unsigned size = form == DW_FORM_data1 ? 1 : form == DW_FORM_data2 ? 2 : form == DW_FORM_data4 ? 4 : form == DW_FORM_data8 ? 8 : 0;
	Dwarf_Word number;
	Dwarf_Sword signed_number;

	if (size && dwarf_formudata(attr, &number) == 0) {
		add_form(e, name, form);
		keep_put(&e->values, number, size);
	} else if (form == DW_FORM_udata && dwarf_formudata(attr, &number) == 0) {
		add_form(e, name, form);
		keep_put_uleb(&e->values, number);
	} else if (dwarf_formsdata(attr, &signed_number) == 0) {
		add_form(e, name, DW_FORM_sdata);
		keep_put_sleb(&e->values, signed_number);
	}
}

static void put_plain(struct entry *e, Dwarf_Attribute *attr)
{
	unsigned name = dwarf_whatattr(attr), form = dwarf_whatform(attr);
	const char *text = dwarf_formstring(attr);
	bool flag;

	if (text)
		put_text(e, name, text);
	else if (form == DW_FORM_flag || form == DW_FORM_flag_present) {
		if (dwarf_formflag(attr, &flag) == 0 && flag)
			add_form(e, name, DW_FORM_flag_present);
	} else if (form == DW_FORM_block || form == DW_FORM_block1 || form == DW_FORM_block2 || form == DW_FORM_block4 ||
		   form == DW_FORM_data16)
		put_block(e, attr);
	else
		put_number(e, attr);
}

static void put_reference(struct entry *e, Dwarf_Attribute *attr)
{
	struct keep_ref ref;
	Dwarf_Die target;

	if (!dwarf_formref_die(attr, &target) || !keep_find(e->out->keep, &target, &ref))
		return;
	bool same = keep_written(e->out->keep, ref).unit == e->number;
	add_form(e, dwarf_whatattr(attr), same ? DW_FORM_ref4 : DW_FORM_ref_addr);
	sp_vec_push(&e->fixes, ((struct keep_fix){ .at = e->values.len, .target = target, .kind = same ? KEEP_FIX_UNIT_4 : KEEP_FIX_4 }));
	keep_put(&e->values, 0, 4);
}

static int put_attr(Dwarf_Attribute *attr, void *ctx)
{
	struct entry *e = ctx;
	Dwarf_Word number;

	switch (keep_classify(e->out->keep, e->die, attr)) {
	case KEEP_DROPPED:
		break;
	case KEEP_REFERENCE:
		put_reference(e, attr);
		break;
	case KEEP_EXPRESSION:
		put_expression(e, attr);
		break;
	case KEEP_LIST:
		put_list(e, attr);
		break;
	case KEEP_ADDRESS: {
		Dwarf_Addr addr;
		if (dwarf_formaddr(attr, &addr) == 0)
			put_address(e, dwarf_whatattr(attr), addr);
		break;
	}
	case KEEP_RANGES:
		put_place(e, attr);
		break;
	case KEEP_FILE:
		if (dwarf_formudata(attr, &number) != 0)
			break;
		add_form(e, dwarf_whatattr(attr), DW_FORM_udata);
		keep_put_uleb(&e->values, keep_file_number(e->unit, number));
		break;
	case KEEP_PLAIN:
		put_plain(e, attr);
		break;
	}
	return DWARF_CB_OK;
}

// ---- DIEs -----------------------------------------------------------------------------------------------------------

static bool is_written(struct keep *keep, uint32_t unit, uint32_t die)
{
	struct keep_ref written;

	if (!keep->units.v[unit]->dies.v[die].how)
		return false;
	written = keep_written(keep, (struct keep_ref){ unit, die });
	return written.unit == unit && written.die == die;
}

static bool has_children(struct keep *keep, uint32_t unit, uint32_t die)
{
	const struct keep_unit *u = keep->units.v[unit];

	for (uint32_t i = die + 1; i < u->dies.v[die].end; i = u->dies.v[i].end)
		if (is_written(keep, unit, i))
			return true;
	return false;
}

// Ends the DIE: the number of its abbreviation, then the values.
static void end_entry(struct entry *e, unsigned tag, bool children)
{
	struct keep_out *out = e->out;
	sp_cleanup(sp_buf_deinit) struct sp_buf head = { 0 };
	void **number;

	keep_put_uleb(&head, tag);
	sp_buf_putc(&head, children);
	sp_buf_add(&head, e->key.data, e->key.len);
	number = sp_hash_insert(&out->abbrevs, head.data, head.len);
	if (!*number) {
		*number = (void *)(uintptr_t)out->abbrevs.n_live;
		keep_put_uleb(&out->abbrev, out->abbrevs.n_live);
		sp_buf_add(&out->abbrev, head.data, head.len);
		keep_put(&out->abbrev, 0, 2);
	}
	keep_put_uleb(&out->info, (uintptr_t)*number);
	for (size_t i = 0; i < e->fixes.n; i++) {
		e->fixes.v[i].at += out->info.len;
		e->fixes.v[i].unit = e->number;
		sp_vec_push(&out->fixes, e->fixes.v[i]);
	}
	sp_buf_add(&out->info, e->values.data, e->values.len);
	e->fixes.n = 0;
	sp_buf_clear(&e->key);
	sp_buf_clear(&e->values);
}

static void write_die(struct entry *e, uint32_t number)
{
	struct keep *keep = e->out->keep;
	uint32_t end = e->unit->dies.v[number].end;
	bool children = has_children(keep, e->number, number);

	e->die = &e->unit->dies.v[number];
	e->libdw = keep_libdw(e->unit, number);
	e->die->out = (uint32_t)e->out->info.len;
	dwarf_getattrs(&e->libdw, put_attr, e, 0);
	if (e->die->tag == DW_TAG_subprogram && e->die->how == KEEP_NAME)
		add_form(e, DW_AT_declaration, DW_FORM_flag_present);
	end_entry(e, e->die->tag, children);
	for (uint32_t i = number + 1; i < end; i = e->unit->dies.v[i].end)
		if (is_written(keep, e->number, i))
			write_die(e, i);
	if (children)
		sp_buf_putc(&e->out->info, '\0');
}

static void put_own_text(struct entry *e, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	const char *text = dwarf_formstring(dwarf_attr(die, name, &attr));

	if (text)
		put_text(e, name, text);
}

// The unit's own DIE. Returns where in .debug_info the offset of the line table stands.
static size_t write_top(struct entry *e, bool with_lines)
{
	struct keep_out *out = e->out;
	int language = dwarf_srclang(&e->unit->top);
	size_t at = 0;

	if (with_lines) { // the first value
		add_form(e, DW_AT_stmt_list, DW_FORM_sec_offset);
		keep_put(&e->values, 0, 4);
	}
	put_own_text(e, &e->unit->top, DW_AT_name);
	if (language > 0) {
		add_form(e, DW_AT_language, DW_FORM_data2);
		keep_put(&e->values, (uint64_t)language, 2);
	}
	put_own_text(e, &e->unit->program, DW_AT_comp_dir);
	put_own_text(e, &e->unit->top, DW_AT_producer);
	if (e->unit->code.n) {
		begin_lists(out, &out->rnglists);
		put_address(e, DW_AT_low_pc, 0);
		add_form(e, DW_AT_ranges, DW_FORM_sec_offset);
		keep_put(&e->values, out->rnglists.len, 4);
		sp_vec_each(range, &e->unit->code)
			put_range(out, *range);
		sp_buf_putc(&out->rnglists, DW_RLE_end_of_list);
	}
	at = out->info.len;
	end_entry(e, DW_TAG_compile_unit, true);
	// The abbreviation's number takes one byte or two.
	while (with_lines && (uint8_t)out->info.data[at] & 0x80)
		at++;
	return at + 1;
}

static bool has_files(const struct keep_unit *unit)
{
	Dwarf_Attribute attr;
	Dwarf_Die program = unit->program;

	return dwarf_attr(&program, DW_AT_stmt_list, &attr) != NULL;
}

static void write_unit(struct keep_out *out, uint32_t number)
{
	struct keep *keep = out->keep;
	struct keep_unit *unit = keep->units.v[number];
	struct entry e = { .out = out, .number = number, .unit = unit };
	size_t start = out->info.len, stmt_list;
	bool with_lines = has_files(unit);

	if (!has_children(keep, number, 0))
		return;
	unit->out = (uint32_t)start;
	keep_put(&out->info, 0, 4); // the length
	keep_put(&out->info, 5, 2);
	keep_put(&out->info, DW_UT_compile, 1);
	keep_put(&out->info, out->address_size, 1);
	keep_put(&out->info, 0, 4); // all units share the abbreviations
	stmt_list = write_top(&e, with_lines);
	for (uint32_t i = 1; i < unit->dies.n; i = unit->dies.v[i].end)
		if (is_written(keep, number, i))
			write_die(&e, i);
	sp_buf_putc(&out->info, '\0');
	keep_line_number(out, unit);
	if (with_lines) {
		uint32_t line = (uint32_t)out->line.len;

		keep_line_write(out, unit);
		memcpy(out->info.data + stmt_list, &line, sizeof(line));
	}
	uint32_t length = (uint32_t)(out->info.len - start - 4);
	memcpy(out->info.data + start, &length, sizeof(length));
	sp_buf_deinit(&e.key);
	sp_buf_deinit(&e.values);
	sp_vec_deinit(&e.fixes);
}

// ---- references -----------------------------------------------------------------------------------------------------

static void fix(struct keep_out *out, struct sp_buf *section, const struct keep_fixes *fixes)
{
	for (size_t i = 0; i < fixes->n; i++) {
		const struct keep_fix *it = &fixes->v[i];
		struct keep_ref ref = { 0 };
		Dwarf_Die target = it->target;
		uint32_t value = 0;

		if (keep_find(out->keep, &target, &ref))
			value = keep_at(out->keep, keep_written(out->keep, ref))->out;
		if (it->kind != KEEP_FIX_4)
			value -= out->keep->units.v[it->unit]->out;
		if (it->kind == KEEP_FIX_UNIT_LEB)
			value = (value & 0x7f) | (value & 0x3f80) << 1 | (value & 0x1fc000) << 2 | (value & 0xfe00000) << 3 | 0x808080;
		memcpy(section->data + it->at, &value, sizeof(value));
	}
}

static void end_lists(struct sp_buf *section)
{
	uint32_t length = (uint32_t)section->len - 4;

	if (section->len)
		memcpy(section->data, &length, sizeof(length));
}

void keep_info_write(struct keep_out *out)
{
	for (uint32_t i = 0; i < out->keep->units.n; i++)
		write_unit(out, i);
	sp_buf_putc(&out->abbrev, '\0');
	fix(out, &out->info, &out->fixes);
	fix(out, &out->loclists, &out->list_fixes);
	end_lists(&out->loclists);
	end_lists(&out->rnglists);
}
