// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/index/dw_units.h"

#include "compiler/debug/dbg_loader.h"
#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_complex.h"
#include "compiler/debug/dwarf/dw_definition.h"
#include "compiler/debug/dwarf/dw_member.h"
#include "compiler/debug/dwarf/dw_member_pointer.h"
#include "compiler/debug/dwarf/dw_template.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

// Types refer to types: a chain that is longer than any real one is a cycle in broken debug information.
#define MAX_DEPTH 128
#define MAX_DIMENSIONS 32

struct dw_types {
	struct dbg_loader loader;
	struct dw_file *file;
	struct sp_hash by_die; // Dwarf_Die.addr -> struct c_type *
	struct sp_hash definitions; // "UNIT struct NAME" -> its definition; NULL: there is none
	struct c_type *open[MAX_DEPTH]; // being made, outermost first
	unsigned n_open;
	struct c_type *completing[MAX_DEPTH]; // a structure whose members are read, and the anonymous ones within it
	unsigned depth;
};

static const struct c_type *complete(struct dbg_loader *loader, struct c_type *type);

static struct dw_types *types_of(struct dw_file *file)
{
	if (!file->types) {
		file->types = sp_calloc(1, sizeof(*file->types));
		file->types->loader.complete = complete;
		file->types->loader.kernel = file->kernel;
		file->types->file = file;
	}
	return file->types;
}

void dw_types_destroy(struct dw_types *types)
{
	if (!types)
		return;
	sp_hash_deinit(&types->by_die);
	sp_hash_deinit(&types->definitions);
	free(types);
}

static const struct c_type unknown = { .kind = C_UNKNOWN, .is_complete = true };

const struct c_type *dw_type_ref_by(struct dw_file *file, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	Dwarf_Die target;

	if (!dwarf_attr_integrate(die, name, &attr))
		return NULL;
	if (!dwarf_formref_die(&attr, &target) && !dw_units_signed_type(file, &attr, &target))
		return &unknown;
	const struct c_type *type = dw_type_of(file, &target);
	return type->kind == C_VOID ? NULL : type;
}

const struct c_type *dw_type_ref(struct dw_file *file, Dwarf_Die *die)
{
	return dw_type_ref_by(file, die, DW_AT_type);
}

static void fill_base(struct sp_arena *arena, Dwarf_Die *die, struct c_type *type)
{
	uint64_t encoding = dw_attr_number_or(die, DW_AT_encoding, 0);

	type->size = dw_attr_number_or(die, DW_AT_byte_size, 0);
	type->kind = C_INT;
	type->is_complete = true;
	switch (encoding) {
	case DW_ATE_signed_char:
		type->is_signed = type->is_char = true;
		break;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_ASCII:
	case DW_ATE_UCS:
		type->is_char = type->size == 1; // char16_t and Rust's char are numbers: their texts are not made of bytes
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_fixed:
		type->is_signed = true;
		break;
	case DW_ATE_boolean:
		type->is_bool = true;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_fixed:
	case DW_ATE_address:
		break;
	case DW_ATE_float:
		type->kind = C_FLOAT;
		break;
	case DW_ATE_complex_float:
	case DW_ATE_lo_user: // of gcc and clang: a complex integer
		dw_complex_fill(arena, type, encoding == DW_ATE_complex_float);
		break;
	default:
		type->kind = C_UNKNOWN;
	}
}

static uint64_t size_of(const struct c_type *type)
{
	return type ? type->size : 0;
}

static int language_of(Dwarf_Die *die)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : -1;
}

static bool is_fortran(int language)
{
	return language == DW_LANG_Fortran77 || language == DW_LANG_Fortran90 || language == DW_LANG_Fortran95 || language == DW_LANG_Fortran03 ||
	       language == DW_LANG_Fortran08;
}

// A bound whose form has a sign is one with a sign.
static int64_t bound_of(Dwarf_Attribute *attr)
{
	Dwarf_Sword number = 0;
	Dwarf_Word word = 0;

	if (dwarf_whatform(attr) == DW_FORM_sdata || dwarf_whatform(attr) == DW_FORM_implicit_const)
		dwarf_formsdata(attr, &number);
	else if (dwarf_formudata(attr, &word) == 0)
		number = (Dwarf_Sword)word;
	return number;
}

// Number of elements of one dimension; 0: not known, or a flexible array. Where nothing says the first one is 1 in Fortran and Ada.
static uint64_t dimension(Dwarf_Die *range, int language)
{
	int64_t lower = 0, upper;
	uint64_t count = 0;
	Dwarf_Attribute attr;

	if (dw_attr_number(range, DW_AT_count, &count))
		return count;
	if (dwarf_attr(range, DW_AT_lower_bound, &attr)) {
		if (dwarf_whatform(&attr) == DW_FORM_exprloc)
			return 0;
		lower = bound_of(&attr);
	} else if (language >= 0) {
		dwarf_default_lower_bound(language, &lower);
	}
	if (!dwarf_attr(range, DW_AT_upper_bound, &attr))
		return 0;
	unsigned form = dwarf_whatform(&attr);
	// The bound of a variable-length array is an expression. Old compilers write "[]" and "[0]" as the bound -1; but 0xff in
	// one byte and 0xffff in two are 255 and 65535.
	if (form == DW_FORM_exprloc || dwarf_formsdata(&attr, &upper) != 0 ||
	    (upper == -1 && !lower && form != DW_FORM_data1 && form != DW_FORM_data2))
		return 0;
	upper = bound_of(&attr);
	return upper >= lower ? (uint64_t)(upper - lower) + 1 : 0;
}

// In Fortran the first dimension is the innermost.
static void turn_round(uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint64_t count = counts[i];

		counts[i] = counts[n - 1 - i];
		counts[n - 1 - i] = count;
	}
}

// Is an element not right behind the one before? A packed array of Ada or Pascal has a few bits for each. The array says so, or its dimension.
static bool is_spaced(Dwarf_Die *die, const struct c_type *element)
{
	uint64_t stride, size = size_of(element);

	if (dw_attr_number(die, DW_AT_bit_stride, &stride))
		return stride != 8 * size;
	if (dw_attr_number(die, DW_AT_byte_stride, &stride))
		return stride != size;
	return dwarf_hasattr(die, DW_AT_bit_stride) || dwarf_hasattr(die, DW_AT_byte_stride); // it is computed
}

static bool is_only(Dwarf_Die *dimension)
{
	Dwarf_Die next;

	return dwarf_siblingof(dimension, &next) != 0;
}

static void fill_array(struct dw_types *types, Dwarf_Die *die, struct c_type *type)
{
	struct dw_file *file = types->file;
	const struct c_type *element = dw_type_ref(file, die);
	int language = language_of(die);
	uint64_t counts[MAX_DIMENSIONS];
	bool is_packed = is_spaced(die, element);
	size_t n = 0;
	Dwarf_Die child;

	for (int status = dwarf_child(die, &child); status == 0 && n < MAX_DIMENSIONS;
	     status = dwarf_siblingof(&child, &child)) {
		is_packed |= !n && dwarf_tag(&child) == DW_TAG_subrange_type && is_only(&child) && is_spaced(&child, element);
		if (dwarf_tag(&child) == DW_TAG_subrange_type)
			counts[n++] = dimension(&child, language);
		else if (dwarf_tag(&child) == DW_TAG_enumeration_type)
			counts[n++] = 0;
	}
	// A description of it is there, which says where it is; or it has no elements of bytes.
	if (dwarf_hasattr(die, DW_AT_data_location) || is_packed) {
		type->kind = C_UNKNOWN;
		type->is_complete = true;
		return;
	}
	if (n == 0)
		counts[n++] = 0;
	if (is_fortran(language))
		turn_round(counts, n);
	// The last dimension is the innermost; the first is the type itself.
	while (--n > 0) {
		struct c_type *inner = sp_arena_new(&file->arena, struct c_type);
		*inner = (struct c_type){
			.kind = C_ARRAY,
			.target = element,
			.count = counts[n],
			.size = counts[n] * size_of(element),
			.is_complete = true,
			.module = types,
		};
		element = inner;
	}
	type->kind = C_ARRAY;
	type->is_vector = dw_attr_flag(die, DW_AT_GNU_vector);
	type->target = element;
	type->count = counts[0];
	type->size = dw_attr_number_or(die, DW_AT_byte_size, counts[0] * size_of(element));
	type->is_complete = true;
}

// The variable that has the length of a text; NULL: it has none of its own.
static const char *length_variable(Dwarf_Die *text)
{
	Dwarf_Attribute attr;
	Dwarf_Die variable;

	return dwarf_attr(text, DW_AT_string_length, &attr) && dwarf_formref_die(&attr, &variable) ? dwarf_diename(&variable) : NULL;
}

// Of a text of any length nothing ends it.
static void fill_text(struct dw_types *types, Dwarf_Die *die, struct c_type *type)
{
	struct c_type *letter = sp_arena_new(&types->file->arena, struct c_type);

	*letter = (struct c_type){ .kind = C_INT, .name = "character", .size = 1, .is_char = true, .is_complete = true, .module = types };
	type->count = type->size = dw_attr_number_or(die, DW_AT_byte_size, 0);
	type->kind = type->count ? C_ARRAY : C_UNKNOWN;
	type->length_name = type->count ? NULL : length_variable(die);
	type->name = type->length_name ? "character[]" : type->name;
	type->target = letter;
	type->is_complete = true;
}

static void fill_enum(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	const struct c_type *base = c_type_strip(dw_type_ref(file, die));

	type->kind = C_ENUM;
	type->size = dw_attr_number_or(die, DW_AT_byte_size, size_of(base));
	type->is_declaration = dw_attr_flag(die, DW_AT_declaration);
	if (base) {
		type->is_signed = base->is_signed;
		return;
	}
	// DWARF 2 and 3 give no underlying type: the enumeration is signed when one of its values is negative.
	Dwarf_Die child;
	for (int status = dwarf_child(die, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		Dwarf_Attribute attr;
		Dwarf_Sword value;
		if (dwarf_tag(&child) == DW_TAG_enumerator && dwarf_attr(&child, DW_AT_const_value, &attr) &&
		    dwarf_whatform(&attr) == DW_FORM_sdata && dwarf_formsdata(&attr, &value) == 0 && value < 0)
			type->is_signed = true;
	}
}

static void fill_wrapper(struct dw_file *file, Dwarf_Die *die, struct c_type *type, enum c_kind kind)
{
	type->kind = kind;
	type->target = dw_type_ref(file, die);
	type->size = size_of(type->target);
	type->is_complete = true;
}

static void fill_pointer(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	type->kind = C_POINTER;
	type->is_reference = dwarf_tag(die) != DW_TAG_pointer_type;
	type->is_rvalue = dwarf_tag(die) == DW_TAG_rvalue_reference_type;
	type->target = dw_type_ref(file, die);
	type->size = dw_attr_number_or(die, DW_AT_byte_size, file->abi->word_size);
	type->is_complete = true;
}

static void fill_signature(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	SP_VEC(struct c_member) params = { 0 };
	Dwarf_Die child;

	type->kind = C_FUNC;
	type->target = dw_type_ref(file, die);
	type->is_complete = true;
	for (int status = dwarf_child(die, &child); status == 0 && params.n < DW_MAX_MEMBERS;
	     status = dwarf_siblingof(&child, &child)) {
		type->is_variadic |= dwarf_tag(&child) == DW_TAG_unspecified_parameters;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		sp_vec_push(&params, (struct c_member){
			.name = dwarf_diename(&child),
			.type = dw_type_ref(file, &child),
			.bit_off = params.n * 64,
		});
	}
	type->members = sp_arena_memdup(&file->arena, params.v, params.n * sizeof(*params.v));
	type->n_members = params.n;
	sp_vec_deinit(&params);
}

// What Go calls a function is a pointer to a closure, which begins with the address of the code; elsewhere functions have no size.
static void fill_func(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	struct c_type *code, *pointer;

	if (!dwarf_hasattr(die, DW_AT_byte_size)) {
		fill_signature(file, die, type);
		return;
	}
	code = sp_arena_new(&file->arena, struct c_type);
	fill_signature(file, die, code);
	pointer = sp_arena_new(&file->arena, struct c_type);
	*pointer = (struct c_type){ .kind = C_POINTER, .size = file->abi->word_size, .target = code, .is_complete = true };
	type->kind = C_POINTER;
	type->size = pointer->size;
	type->target = pointer;
	type->is_complete = true;
}

static void fill_subrange(struct dw_file *file, Dwarf_Die *die, struct c_type *type)
{
	const struct c_type *base = c_type_strip(dw_type_ref(file, die));

	if (base && base->kind == C_INT) {
		type->kind = C_INT;
		type->size = dw_attr_number_or(die, DW_AT_byte_size, base->size);
		type->is_signed = base->is_signed;
		type->is_char = base->is_char;
	}
	type->is_complete = true;
}

static void fill_composite(Dwarf_Die *die, struct c_type *type)
{
	type->kind = dwarf_tag(die) == DW_TAG_union_type ? C_UNION : C_STRUCT;
	type->is_class = dwarf_tag(die) == DW_TAG_class_type;
	type->size = dw_attr_number_or(die, DW_AT_byte_size, 0);
	// Its own, not that of a DW_AT_specification; or its type unit was not found.
	type->is_declaration = dwarf_hasattr(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_signature);
}

static void fill(struct dw_types *types, Dwarf_Die *die, struct c_type *type)
{
	struct dw_file *file = types->file;

	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		fill_base(&file->arena, die, type);
		return;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		fill_pointer(file, die, type);
		return;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		fill_composite(die, type);
		return;
	case DW_TAG_ptr_to_member_type:
		dw_member_pointer_fill(file, die, type);
		return;
	case DW_TAG_enumeration_type:
		fill_enum(file, die, type);
		return;
	case DW_TAG_array_type:
	case DW_TAG_string_type: // CHARACTER of Fortran
		(dwarf_tag(die) == DW_TAG_array_type ? fill_array : fill_text)(types, die, type);
		return;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		fill_func(file, die, type);
		return;
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
		fill_wrapper(file, die, type, C_TYPEDEF);
		return;
	case DW_TAG_const_type:
		fill_wrapper(file, die, type, C_CONST);
		return;
	case DW_TAG_volatile_type:
		fill_wrapper(file, die, type, C_VOLATILE);
		return;
	case DW_TAG_restrict_type:
		fill_wrapper(file, die, type, C_RESTRICT);
		return;
	case DW_TAG_atomic_type:
		fill_wrapper(file, die, type, C_ATOMIC);
		return;
	case DW_TAG_subrange_type: // a type of its own in Pascal and Ada
		fill_subrange(file, die, type);
		return;
	case DW_TAG_unspecified_type:
		type->kind = C_VOID;
		break;
	default:
		type->size = dw_attr_number_or(die, DW_AT_byte_size, 0);
	}
	type->is_complete = true;
}

const struct c_type *dw_type_of(struct dw_file *file, Dwarf_Die *die)
{
	struct dw_types *types = types_of(file);
	Dwarf_Die whole;

	if (!sp_hash_find(&types->by_die, &die->addr, sizeof(die->addr)) && dw_units_whole_type(file, die, &whole))
		return dw_type_of(file, &whole);
	void **slot = sp_hash_insert(&types->by_die, &die->addr, sizeof(die->addr));

	// A type that is met again while it is being made consists of itself: broken debug information. (Recursion in sound types
	// goes through structures, whose members are not read here.)
	for (unsigned i = 0; i < types->n_open; i++)
		if (types->open[i] == *slot)
			return &unknown;
	if (*slot)
		return *slot;
	if (types->n_open >= MAX_DEPTH)
		return &unknown;
	struct c_type *type = *slot = sp_arena_new(&file->arena, struct c_type);
	*type = (struct c_type){
		.kind = C_UNKNOWN,
		.name = dw_template_name(file, die),
		.module = types,
		.origin = (uintptr_t)sp_arena_memdup(&file->arena, die, sizeof(*die)),
	};
	types->open[types->n_open++] = type;
	fill(types, die, type);
	types->n_open--;
	return type;
}

static const char *tag_name(enum c_kind kind)
{
	if (kind == C_STRUCT)
		return "struct ";
	if (kind == C_UNION)
		return "union ";
	return kind == C_ENUM ? "enum " : "";
}

// The definition in `unit`, or (NULL) in any.
static const struct c_type *find_definition(struct dw_types *types, Dwarf_Die *unit, enum c_kind kind, const char *name)
{
	unsigned long long where = unit ? dwarf_dieoffset(unit) : 0;
	const struct c_type *found;
	struct sp_buf key = { 0 };
	Dwarf_Die die;
	void **slot;

	sp_buf_printf(&key, "%llu %s%s", where, tag_name(kind), name);
	slot = sp_hash_find(&types->definitions, key.data, key.len);
	found = slot ? *slot : NULL;
	if (!slot) {
		found = dw_definition_find(types->file, unit, kind, name, &die) ? dw_type_of(types->file, &die) : NULL;
		sp_hash_set(&types->definitions, key.data, (void *)found);
	}
	sp_buf_deinit(&key);
	return found;
}

static bool is_completing(const struct dw_types *types, const struct c_type *type)
{
	for (unsigned i = 0; i < types->depth; i++)
		if (types->completing[i] == type)
			return true;
	return false;
}

// Completes the anonymous structures in a type, as their members count as its own. One that contains itself is broken.
static void complete_anonymous(struct dbg_loader *loader, struct c_type *type)
{
	struct dw_types *types = (struct dw_types *)loader;

	if (types->depth >= MAX_DEPTH)
		return;
	types->completing[types->depth++] = type;
	for (unsigned i = 0; i < type->n_members; i++) {
		const struct c_type *inner = type->members[i].name ? NULL : c_type_strip(type->members[i].type);
		if (inner && is_completing(types, inner))
			type->members[i].type = &unknown;
		else if (inner && inner->module && !inner->is_complete)
			complete(loader, (struct c_type *)inner);
	}
	types->depth--;
}

static const struct c_type *complete(struct dbg_loader *loader, struct c_type *type)
{
	struct dw_types *types = (struct dw_types *)loader;

	if (type->is_declaration) {
		const struct c_type *found = type->name ? find_definition(types, NULL, type->kind, type->name) : NULL;
		if (!found || found->is_declaration)
			return NULL;
		type = (struct c_type *)found;
	}
	if (type->is_complete)
		return type;
	Dwarf_Die die = *(Dwarf_Die *)(uintptr_t)type->origin;
	type->is_complete = true;
	switch (type->kind) {
	case C_STRUCT:
	case C_UNION:
		dw_members_load(types->file, &die, type);
		complete_anonymous(loader, type);
		break;
	case C_ENUM:
		if (type->of_class)
			dw_member_pointer_load(types->file, &die, type);
		else
			dw_members_load_enumerators(types->file, &die, type);
		break;
	case C_VOID:
	case C_INT:
	case C_FLOAT:
	case C_POINTER:
	case C_ARRAY:
	case C_FUNC:
	case C_TYPEDEF:
	case C_CONST:
	case C_VOLATILE:
	case C_RESTRICT:
	case C_ATOMIC:
	case C_UNKNOWN:
		break;
	}
	return type;
}

const struct c_type *dw_type_find(struct dw_file *file, Dwarf_Die *unit, enum c_kind kind, const char *name)
{
	struct dw_types *types = types_of(file);
	const struct c_type *found = unit ? find_definition(types, unit, kind, name) : NULL;

	return found ? found : find_definition(types, NULL, kind, name);
}
