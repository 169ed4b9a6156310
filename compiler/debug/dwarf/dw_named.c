// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_named.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/index/dw_units.h"

#include <dwarf.h>

static bool is_sort(int tag, enum dbg_named what)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return what == DBG_NAMED_FUNC;
	case DW_TAG_variable:
		return what == DBG_NAMED_VAR;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return what == DBG_NAMED_TYPE;
	default:
		return false;
	}
}

void dw_named(struct dw_file *file, enum dbg_named what, void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct dw_sym sym;
	struct sp_err *err;

	for (size_t pos = 0; what != DBG_NAMED_TYPE && dw_sym_next(file, &pos, &sym);)
		if (what == DBG_NAMED_FUNC ? sym.is_func : !sym.is_code)
			fn(ctx, sym.name);
	if (!file->dwarf || file->is_kernel)
		return;
	if ((err = dw_units_open(file))) {
		sp_err_free(err);
		return;
	}
	for (size_t i = 0; i < dw_units_count(file); i++) {
		Dwarf_Die unit, child;
		dw_units_die(file, i, &unit);
		for (int status = dwarf_child(&unit, &child); status == 0; status = dwarf_siblingof(&child, &child))
			if (is_sort(dwarf_tag(&child), what) && *dw_attr_name(&child) && !dwarf_hasattr(&child, DW_AT_declaration))
				fn(ctx, dw_attr_name(&child));
	}
}
