// SPDX-License-Identifier: GPL-2.0-or-later
// What a debugger shows for one address of a stack: the functions that are inlined there, from the inside out, and the function
// that holds the code.
#include "compiler/debug/dbg.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_code.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_range.h"

#include <dwarf.h>

#define MAX_DEPTH 64 // of blocks and inlined instances in each other

struct chain {
	Dwarf_Die dies[MAX_DEPTH]; // the function, and what is inlined there, outermost first
	unsigned n;
	uint64_t addr;
	struct dw_file *file;
};

static void descend(struct chain *chain, Dwarf_Die *scope, unsigned depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		bool is_inlined = dwarf_tag(&child) == DW_TAG_inlined_subroutine;

		if ((!is_inlined && dwarf_tag(&child) != DW_TAG_lexical_block) || !dw_range_has(&child) ||
		    !dw_range_covers(&child, chain->addr) || depth == MAX_DEPTH || chain->n == MAX_DEPTH)
			continue;
		if (is_inlined && !dw_family_is_part(chain->file, &child, &chain->dies[chain->n - 1]))
			chain->dies[chain->n++] = child;
		descend(chain, &child, depth + 1);
		return;
	}
}

static const char *name_of(Dwarf_Die *die)
{
	const char *name = dw_attr_name(die);

	return *name ? name : NULL;
}

unsigned dbg_frames_at(struct dbg_module *module, uint64_t addr, struct dbg_frame *ret, unsigned max)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct chain chain = { .addr = addr, .file = file };
	struct dbg_frame place = { 0 };
	Dwarf_Die unit;
	unsigned n = 0;

	if (!dbg_unit_at(module, addr, &unit) || !dw_line_at(file, &unit, addr, &place.file, &place.line))
		return 0;
	if (dw_code_function(file, &unit, addr, &chain.dies[0])) {
		chain.n = 1;
		descend(&chain, &chain.dies[0], 0);
	}
	for (unsigned i = chain.n; i-- > 0 && n < max;) {
		place.name = name_of(&chain.dies[i]);
		ret[n++] = place;
		if (i)
			dw_line_call(file, &chain.dies[i], &place.file, &place.line);
	}
	if (!n && max)
		ret[n++] = place;
	return n;
}
