// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_unwind.h"

#include "compiler/debug/dwarf/dw_gosym.h"

#include <dwarf.h>

#define MAX_DEPTH 64 // of blocks

static bool has_exceptions(int language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_D:
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case DW_LANG_Rust: // a panic
	case 0x2a: // DW_LANG_C_plus_plus_17, of the list that goes on behind DWARF 5
	case 0x2b: // DW_LANG_C_plus_plus_20
		return true;
	default:
		return false;
	}
}

static bool has_calls(Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child))
		switch (dwarf_tag(&child)) {
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			return true;
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (depth == MAX_DEPTH || has_calls(&child, depth + 1))
				return true;
			break;
		default:
			break;
		}
	return false;
}

// Does debug information list all calls of the function, and there are none?
static bool is_leaf(Dwarf_Die *function)
{
	return (dwarf_hasattr(function, DW_AT_call_all_calls) || dwarf_hasattr(function, DW_AT_GNU_all_call_sites)) &&
	       !has_calls(function, 0);
}

// gcc records its options.
static bool is_without_exceptions(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attr));

	return producer && strstr(producer, " -fno-exceptions");
}

enum dbg_stack_use dw_unwind_stack_use(struct dw_file *file, struct dw_scope *scope)
{
	int language = scope ? dwarf_srclang(&scope->unit) : -1;

	if (language == DW_LANG_Go || (!scope && dw_gosym_is_go(file)))
		return DBG_STACK_MOVES;
	if (!has_exceptions(language) || is_without_exceptions(&scope->unit) || is_leaf(&scope->function))
		return DBG_STACK_PLAIN;
	return DBG_STACK_UNWOUND;
}
