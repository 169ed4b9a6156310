// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_alone.h"

#include "compiler/debug/index/dw_reader.h"

#include <dwarf.h>

static bool is_ref(uint64_t form)
{
	switch (form) {
	case DW_FORM_ref_addr:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_indirect: // any of them
		return true;
	default:
		return false;
	}
}

// The attributes of one abbreviation (DWARF 5 section 7.5.3).
static bool has_ref(struct dw_reader *r)
{
	uint64_t name, form;

	do {
		name = get_leb(r);
		form = get_leb(r);
		if (form == DW_FORM_implicit_const)
			get_leb(r); // a signed one has the same length
		if (is_ref(form))
			return true;
	} while (r->ok && (name || form));
	return false;
}

bool dw_alone_has_refs(const struct dw_section *abbrev)
{
	struct dw_reader r = { abbrev->data, abbrev->data + abbrev->size, true };

	while (r.ok && r.at < r.end) {
		if (!get_leb(&r)) // the end of a unit's table
			continue;
		get_leb(&r); // the tag
		get(&r, 1); // are there children?
		if (has_ref(&r))
			return true;
	}
	return !r.ok;
}
