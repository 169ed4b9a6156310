// SPDX-License-Identifier: GPL-2.0-or-later
// What is to be kept: from functions along all references to what they need.
#include "compiler/debug/keep/keep_impl.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_definition.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/index/dw_units.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <dwarf.h>

#define MAX_DEPTH 512 // of DIEs in DIEs: deeper is broken

struct keep *keep_create(struct dw_file *file)
{
	struct keep *keep = sp_calloc(1, sizeof(*keep));

	keep->file = file;
	return keep;
}

void keep_destroy(struct keep *keep)
{
	sp_vec_each(unit, &keep->units) {
		sp_vec_deinit(&(*unit)->dies);
		sp_vec_deinit(&(*unit)->code);
		sp_vec_deinit(&(*unit)->files);
		free(*unit);
	}
	sp_vec_deinit(&keep->units);
	sp_vec_deinit(&keep->todo);
	sp_vec_deinit(&keep->first);
	sp_hash_deinit(&keep->by_cu);
	sp_hash_deinit(&keep->definitions);
	sp_hash_deinit(&keep->symbols);
	sp_hash_deinit(&keep->ambiguous);
	sp_arena_deinit(&keep->arena);
	free(keep);
}

void keep_make_brief(struct keep *keep)
{
	keep->is_brief = true;
}

void keep_symbol(struct keep *keep, const char *name)
{
	sp_hash_set(&keep->symbols, name, keep);
}

// ---- tables ---------------------------------------------------------------------------------------------------------

bool keep_is_type(unsigned tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_ptr_to_member_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_unspecified_type:
	case DW_TAG_string_type:
	case DW_TAG_subrange_type:
		return true;
	default:
		return false;
	}
}

// What is within functions is left out of the tables when nothing of it will be kept: of a kernel it is more than half.
static bool is_left_out(const struct keep *keep, unsigned parent_tag, unsigned tag)
{
	if (tag == DW_TAG_imported_declaration || tag == DW_TAG_imported_module || tag == DW_TAG_call_site_parameter ||
	    tag == DW_TAG_GNU_call_site_parameter)
		return true;
	return keep->is_brief && parent_tag == DW_TAG_subprogram && tag != DW_TAG_formal_parameter &&
	       tag != DW_TAG_unspecified_parameters && !keep_is_type(tag);
}

static void read_dies(struct keep *keep, struct keep_unit *unit, Dwarf_Die *die, uint32_t parent, int depth)
{
	uint32_t self = (uint32_t)unit->dies.n;
	unsigned tag = (unsigned)dwarf_tag(die);
	Dwarf_Die child;

	sp_vec_push(&unit->dies, ((struct keep_die){ .off = (uint32_t)((uint8_t *)die->addr - unit->base), .parent = parent,
						     .class = KEEP_NO_CLASS, .tag = (uint16_t)tag }));
	for (int status = depth < MAX_DEPTH ? dwarf_child(die, &child) : 1; status == 0; status = dwarf_siblingof(&child, &child))
		if (!is_left_out(keep, tag, (unsigned)dwarf_tag(&child)))
			read_dies(keep, unit, &child, self, depth + 1);
	unit->dies.v[self].end = (uint32_t)unit->dies.n;
}

static bool is_of_c(Dwarf_Die *top)
{
	switch (dwarf_srclang(top)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static uint32_t read_unit(struct keep *keep, Dwarf_Die *die)
{
	struct keep_unit *unit = sp_calloc(1, sizeof(*unit));

	dwarf_diecu(die, &unit->top, NULL, NULL);
	unit->base = (const uint8_t *)unit->top.addr - 1; // so that no offset is 0
	unit->is_c = is_of_c(&unit->top);
	if (!dwarf_cu_die(dw_units_skeleton(keep->file, unit->top.cu), &unit->program, NULL, NULL, NULL, NULL, NULL, NULL))
		unit->program = unit->top;
	read_dies(keep, unit, &unit->top, 0, 0);
	sp_vec_push(&keep->units, unit);
	return (uint32_t)keep->units.n - 1;
}

Dwarf_Die keep_libdw(const struct keep_unit *unit, uint32_t die)
{
	Dwarf_Die ret = { .addr = (void *)(unit->base + unit->dies.v[die].off), .cu = unit->top.cu };

	return ret; // libdw looks for the rest when it needs it
}

static int by_offset(const void *key, const void *element)
{
	uint32_t off = *(const uint32_t *)key;
	const struct keep_die *die = element;

	return (off > die->off) - (off < die->off);
}

bool keep_find(struct keep *keep, Dwarf_Die *die, struct keep_ref *ret)
{
	void **number = sp_hash_insert(&keep->by_cu, &die->cu, sizeof(die->cu));

	if (!*number)
		*number = (void *)(uintptr_t)(read_unit(keep, die) + 1);
	ret->unit = (uint32_t)(uintptr_t)*number - 1;
	const struct keep_unit *unit = keep->units.v[ret->unit];
	uint32_t off = (uint32_t)((const uint8_t *)die->addr - unit->base);
	const struct keep_die *found = bsearch(&off, unit->dies.v, unit->dies.n, sizeof(*found), by_offset);
	if (found)
		ret->die = (uint32_t)(found - unit->dies.v);
	return found;
}

// ---- attributes -----------------------------------------------------------------------------------------------------

static bool is_location(unsigned name)
{
	switch (name) {
	case DW_AT_location:
	case DW_AT_frame_base:
	case DW_AT_string_length:
	case DW_AT_return_addr:
	case DW_AT_static_link:
	case DW_AT_use_location:
	case DW_AT_data_member_location:
		return true;
	default:
		return false;
	}
}

// What the reader asks of a function that is known by its name alone.
static bool is_of_name(unsigned name)
{
	switch (name) {
	case DW_AT_name:
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
	case DW_AT_external:
	case DW_AT_decl_file:
	case DW_AT_decl_line:
	case DW_AT_specification:
	case DW_AT_abstract_origin:
		return true;
	default:
		return false;
	}
}

static bool is_dropped(unsigned name, unsigned tag)
{
	switch (name) {
	case DW_AT_sibling:
	case DW_AT_high_pc: // is written with DW_AT_low_pc
	case DW_AT_stmt_list:
	case DW_AT_decl_column:
	case DW_AT_call_column:
	case DW_AT_macros:
	case DW_AT_macro_info:
	case DW_AT_GNU_macros:
	case DW_AT_GNU_locviews:
	case DW_AT_GNU_entry_view:
	case DW_AT_str_offsets_base:
	case DW_AT_addr_base:
	case DW_AT_rnglists_base:
	case DW_AT_loclists_base:
	case DW_AT_GNU_addr_base:
	case DW_AT_GNU_ranges_base:
	case DW_AT_object_pointer:
	case DW_AT_containing_type:
	case DW_AT_friend:
	case DW_AT_vtable_elem_location:
	case DW_AT_call_value:
	case DW_AT_call_target:
	case DW_AT_call_target_clobbered:
	case DW_AT_GNU_call_site_value:
	case DW_AT_GNU_call_site_target:
	case DW_AT_GNU_call_site_target_clobbered:
		return true;
	case DW_AT_decl_file:
	case DW_AT_decl_line:
		return keep_is_type(tag) || tag == DW_TAG_member || tag == DW_TAG_enumerator;
	default:
		return false;
	}
}

static enum keep_class by_form(Dwarf_Attribute *attr, unsigned name)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		return KEEP_REFERENCE;
	case DW_FORM_exprloc:
		return KEEP_EXPRESSION;
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return is_location(name) || name == DW_AT_upper_bound ? KEEP_EXPRESSION : KEEP_PLAIN;
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return KEEP_ADDRESS;
	case DW_FORM_sec_offset:
	case DW_FORM_loclistx:
	case DW_FORM_data4:
	case DW_FORM_data8:
		// Before version 4 offsets in sections are numbers.
		if (is_location(name) && name != DW_AT_data_member_location)
			return KEEP_LIST;
		return dwarf_whatform(attr) == DW_FORM_sec_offset ? KEEP_DROPPED : KEEP_PLAIN;
	default:
		return KEEP_PLAIN;
	}
}

enum keep_class keep_classify(const struct keep *keep, const struct keep_die *die, Dwarf_Attribute *attr)
{
	unsigned name = dwarf_whatattr(attr);

	if (is_dropped(name, die->tag) || (die->how == KEEP_NAME && die->tag == DW_TAG_subprogram && !is_of_name(name)))
		return KEEP_DROPPED;
	// At the entry of a function the ABI says where its frame is.
	if (keep->is_brief && name == DW_AT_frame_base && by_form(attr, name) == KEEP_LIST)
		return KEEP_DROPPED;
	if (name == DW_AT_decl_file || name == DW_AT_call_file)
		return KEEP_FILE;
	if (name == DW_AT_ranges || name == DW_AT_low_pc || name == DW_AT_entry_pc)
		return KEEP_RANGES;
	return by_form(attr, name);
}

// ---- marking --------------------------------------------------------------------------------------------------------

static void want(struct keep *keep, struct keep_ref ref, enum keep_how how)
{
	struct keep_die *die = keep_at(keep, ref);

	if (die->how >= how)
		return;
	bool is_new = !die->how;
	die->how = (uint8_t)how;
	die->is_read = false;
	sp_vec_push(&keep->todo, ref);
	if (!is_new || !ref.die)
		return;
	unsigned tag = keep->units.v[ref.unit]->dies.v[die->parent].tag;
	bool is_open = tag == DW_TAG_namespace || tag == DW_TAG_module || die->parent == 0;
	want(keep, (struct keep_ref){ ref.unit, die->parent }, is_open ? KEEP_NAME : KEEP_WHOLE);
}

static void want_die(struct keep *keep, Dwarf_Die *die, enum keep_how how)
{
	struct keep_ref ref;

	if (keep_find(keep, die, &ref))
		want(keep, ref, how);
}

static void want_fixes(struct keep *keep, struct keep_fixes *fixes)
{
	for (size_t i = 0; i < fixes->n; i++)
		want_die(keep, &fixes->v[i].target, KEEP_WHOLE);
	fixes->n = 0;
}

struct follower {
	struct keep *keep;
	struct keep_ref ref;
};

static void follow_expressions(struct keep *keep, Dwarf_Attribute *attr, bool is_list)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf scratch = { 0 };
	struct keep_fixes fixes = { 0 };
	Dwarf_Addr base, start, end;
	Dwarf_Op *ops;
	size_t n;

	if (!is_list && dwarf_getlocation(attr, &ops, &n) == 0)
		keep_expr_put(keep, attr, ops, n, &scratch, &fixes);
	for (ptrdiff_t off = 0; is_list && (off = dwarf_getlocations(attr, off, &base, &start, &end, &ops, &n)) > 0;)
		keep_expr_put(keep, attr, ops, n, &scratch, &fixes);
	want_fixes(keep, &fixes);
	sp_vec_deinit(&fixes);
}

static int follow_attr(Dwarf_Attribute *attr, void *ctx)
{
	struct follower *f = ctx;
	const struct keep_die *die = keep_at(f->keep, f->ref);
	unsigned name = dwarf_whatattr(attr);
	bool is_call = name == DW_AT_call_origin || die->tag == DW_TAG_call_site || die->tag == DW_TAG_GNU_call_site;
	enum keep_class class = keep_classify(f->keep, die, attr);
	Dwarf_Die target;

	if (class == KEEP_REFERENCE && dwarf_formref_die(attr, &target))
		want_die(f->keep, &target, is_call || (die->how == KEEP_NAME && die->tag == DW_TAG_subprogram) ? KEEP_NAME : KEEP_WHOLE);
	else if (class == KEEP_EXPRESSION || class == KEEP_LIST)
		follow_expressions(f->keep, attr, class == KEEP_LIST);
	return DWARF_CB_OK;
}

static bool is_tagged(unsigned tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

bool keep_definition(struct keep *keep, struct keep_ref ref, struct keep_ref *ret)
{
	const struct keep_unit *unit = keep->units.v[ref.unit];
	Dwarf_Die die = keep_libdw(unit, ref.die);
	const struct c_type *type;

	if (!is_tagged(unit->dies.v[ref.die].tag) || !dwarf_hasattr(&die, DW_AT_declaration))
		return false;
	type = dw_type_of(keep->file, &die);
	if (!type->name)
		return false;
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	sp_buf_printf(&key, "%d%s", (int)type->kind, type->name);
	void **known = sp_hash_insert(&keep->definitions, key.data, key.len);
	if (!*known) {
		Dwarf_Die *found = sp_arena_new(&keep->arena, Dwarf_Die);

		if (!dw_definition_find(keep->file, NULL, type->kind, type->name, found))
			found->addr = NULL;
		*known = found;
	}
	return ((Dwarf_Die *)*known)->addr && keep_find(keep, *known, ret);
}

// Is the child of a type a part of it, rather than something that is declared in its scope?
static bool is_part(unsigned tag)
{
	switch (tag) {
	case DW_TAG_member:
	case DW_TAG_inheritance:
	case DW_TAG_variant_part:
	case DW_TAG_variant:
	case DW_TAG_enumerator:
	case DW_TAG_subrange_type:
	case DW_TAG_generic_subrange:
	case DW_TAG_formal_parameter:
	case DW_TAG_unspecified_parameters:
	case DW_TAG_template_type_parameter:
	case DW_TAG_template_value_parameter:
	case DW_TAG_variable:
		return true;
	default:
		return false;
	}
}

static void want_children(struct keep *keep, struct keep_ref ref)
{
	struct keep_unit *unit = keep->units.v[ref.unit];
	unsigned tag = unit->dies.v[ref.die].tag;
	bool parts = keep_is_type(tag) || tag == DW_TAG_variant_part || tag == DW_TAG_variant;

	for (uint32_t i = ref.die + 1; i < unit->dies.v[ref.die].end; i = unit->dies.v[i].end)
		if (!parts || is_part(unit->dies.v[i].tag) || (tag == DW_TAG_array_type && keep_is_type(unit->dies.v[i].tag)))
			want(keep, (struct keep_ref){ ref.unit, i }, KEEP_WHOLE);
}

static void add_code(struct keep_unit *unit, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;

	if (!dw_range_has(die))
		return;
	for (ptrdiff_t off = 0; (off = dwarf_ranges(die, off, &base, &low, &high)) > 0;)
		if (low < high)
			sp_vec_push(&unit->code, ((struct keep_range){ low, high }));
}

void keep_follow(struct keep *keep)
{
	while (keep->todo.n) {
		struct keep_ref ref = sp_vec_pop(&keep->todo), definition;
		struct keep_unit *unit = keep->units.v[ref.unit];
		struct keep_die *die = &unit->dies.v[ref.die];
		struct follower f = { keep, ref };
		Dwarf_Die libdw = keep_libdw(unit, ref.die);

		if (die->is_read)
			continue;
		die->is_read = true;
		if (!ref.die) // the unit itself: keep_info.c knows what is needed of it
			continue;
		if (die->tag == DW_TAG_subprogram && die->how == KEEP_WHOLE)
			add_code(unit, &libdw);
		dwarf_getattrs(&libdw, follow_attr, &f, 0);
		if (keep_definition(keep, ref, &definition))
			want(keep, definition, KEEP_WHOLE);
		if (keep_at(keep, ref)->how == KEEP_WHOLE)
			want_children(keep, ref);
	}
}

// ---- what the caller asks for ---------------------------------------------------------------------------------------

// The variables of the unit and of its namespaces; of a program also its types, by name: a kernel has BTF for these.
static void want_unit(struct keep *keep, uint32_t number)
{
	struct keep_unit *unit = keep->units.v[number];

	for (uint32_t i = 1, next; i < unit->dies.n; i = next) {
		unsigned tag = unit->dies.v[i].tag;
		Dwarf_Die die = keep_libdw(unit, i);
		Dwarf_Attribute attr;
		const char *linkage;

		next = tag == DW_TAG_namespace || tag == DW_TAG_module ? i + 1 : unit->dies.v[i].end;
		bool is_wanted_type = !keep->file->is_kernel && !unit->dies.v[i].parent && keep_is_type(tag) && *dw_attr_name(&die);
		if (tag != DW_TAG_variable && !is_wanted_type)
			continue;
		want(keep, (struct keep_ref){ number, i }, KEEP_WHOLE);
		if (tag == DW_TAG_variable)
			keep_symbol(keep, dw_attr_name(&die));
		if (tag == DW_TAG_variable && (linkage = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &attr))))
			keep_symbol(keep, linkage);
	}
}

void keep_function(struct keep *keep, Dwarf_Die *function)
{
	struct keep_ref ref;

	if (!keep_find(keep, function, &ref))
		return;
	struct keep_unit *unit = keep->units.v[ref.unit];
	if (!unit->has_functions && !keep->is_brief)
		want_unit(keep, ref.unit);
	unit->has_functions = true;
	want(keep, ref, KEEP_WHOLE);
}

void keep_die(struct keep *keep, Dwarf_Die *die)
{
	want_die(keep, die, KEEP_WHOLE);
}
