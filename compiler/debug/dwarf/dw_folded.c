// SPDX-License-Identifier: GPL-2.0-or-later
// What is folded leaves its symbol at the code that stays, and a description that has no code, or the same code. An alias of the source
// has a symbol as well, but no description of a function.
#include "compiler/debug/dwarf/dw_folded.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/demangle.h"

#include <dwarf.h>

#define MAX_SYMBOLS 16 // at one address
#define MAX_DEPTH 64 // of namespaces and classes

struct lookup {
	struct dw_file *file;
	const struct dbg_func *func;
	const char *symbol; // of the other function
	const char *name; // in the source, without namespaces
	bool in_own_unit;
};

// Is the code of a function that is described under that name not to be found elsewhere?
static bool has_no_other_code(const struct lookup *lookup, Dwarf_Die *die)
{
	uint64_t inlined = dw_attr_number_or(die, DW_AT_inline, DW_INL_not_inlined);
	Dwarf_Addr low;

	if (dw_attr_flag(die, DW_AT_declaration) || dwarf_hasattr(die, DW_AT_ranges))
		return false;
	if (dwarf_hasattr(die, DW_AT_low_pc)) // 0: what the linker has left out
		return dwarf_lowpc(die, &low) == 0 && (!low || low == lookup->func->entry_pc);
	// gcc folds within a unit. Elsewhere the name may be that of a definition that another one has replaced.
	return inlined <= DW_INL_inlined && lookup->in_own_unit;
}

static bool is_meant(const struct lookup *lookup, Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *linkage;

	if (!sp_streq(dw_attr_name(die), lookup->name))
		return false;
	linkage = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ? dwarf_formstring(&attr) : NULL;
	return !linkage || sp_streq(linkage, lookup->symbol);
}

static bool look_in(const struct lookup *lookup, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child))
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (is_meant(lookup, &child) && has_no_other_code(lookup, &child))
				return true;
			break;
		case DW_TAG_namespace:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			if (depth < MAX_DEPTH && look_in(lookup, &child, depth + 1))
				return true;
			break;
		}
	return false;
}

struct search {
	struct lookup lookup;
	bool found;
};

static bool look_in_unit(void *ctx, size_t unit)
{
	struct search *search = ctx;
	const struct dw_scope *scope = search->lookup.func->scope;
	Dwarf_Die die;

	dw_units_die(search->lookup.file, unit, &die);
	if (dwarf_srclang(&die) == DW_LANG_Mips_Assembler) // each label has a description there
		return true;
	search->lookup.in_own_unit = dwarf_dieoffset(&die) == dwarf_dieoffset((Dwarf_Die *)&scope->unit);
	search->found = look_in(&search->lookup, &die, 0);
	return !search->found;
}

static char *plain_name(const char *symbol)
{
	char *demangled = sp_demangle(symbol, false);

	return demangled ? demangled : sp_strndup(symbol, dw_sym_name_len(symbol));
}

const char *dw_folded_with(struct dbg_func *func)
{
	struct dw_scope *scope = func->scope;
	sp_cleanup_free char *own = plain_name(func->linkage_name);
	struct dw_sym at[MAX_SYMBOLS];
	unsigned n = func->is_inline ? 0 : dw_sym_all_at(scope->file, func->entry_pc, at, MAX_SYMBOLS);

	for (unsigned i = 0; i < n; i++) {
		sp_cleanup_free char *other = plain_name(at[i].name);
		struct search search = { .lookup = { .file = scope->file, .func = func, .symbol = at[i].name,
						     .name = dw_qualify_last(other) } };

		if (!at[i].is_func || sp_streq(own, other))
			continue;
		dw_index_with_name(scope->file, search.lookup.name, DW_NAMES(DW_NAME_FUNC), look_in_unit, &search);
		if (search.found)
			return sp_arena_strdup(&scope->file->arena, other);
	}
	return NULL;
}
