// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_code.h"

#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_range.h"

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of scopes

struct range {
	uint64_t low, high;
	Dwarf_Die function;
};

struct unit_code {
	SP_VEC(struct range) ranges; // by address
	bool is_flat; // its language has no functions in classes
};

struct dw_code {
	struct sp_hash by_unit; // Dwarf_Die.addr of a unit -> struct unit_code
};

static int by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->function.addr > y->function.addr) - (x->function.addr < y->function.addr);
}

static void add_function(struct unit_code *code, Dwarf_Die *function)
{
	Dwarf_Addr base, low, high;

	for (ptrdiff_t off = 0; (off = dwarf_ranges(function, off, &base, &low, &high)) > 0;)
		if (low < high)
			sp_vec_push(&code->ranges, ((struct range){ low, high, *function }));
}

// Functions are in namespaces and modules, and in classes, which can be local to functions (a lambda is one).
static void read_scope(struct unit_code *code, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = depth < MAX_DEPTH ? dwarf_child(scope, &child) : 1; status == 0; status = dwarf_siblingof(&child, &child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			if (dw_range_has(&child))
				add_function(code, &child);
			if (!code->is_flat)
				read_scope(code, &child, depth + 1);
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
			read_scope(code, &child, depth + 1);
			break;
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (!code->is_flat)
				read_scope(code, &child, depth + 1);
			break;
		default:
			break;
		}
	}
}

static struct unit_code *code_of(struct dw_file *file, Dwarf_Die *unit)
{
	struct unit_code *code;
	void **slot;

	if (!file->code)
		file->code = sp_calloc(1, sizeof(*file->code));
	slot = sp_hash_insert(&file->code->by_unit, &unit->addr, sizeof(unit->addr));
	if (*slot)
		return *slot;
	code = *slot = sp_calloc(1, sizeof(*code));
	code->is_flat = file->is_kernel || dw_qualify_is_flat(unit->cu);
	read_scope(code, unit, 0);
	if (code->ranges.n)
		qsort(code->ranges.v, code->ranges.n, sizeof(*code->ranges.v), by_address);
	return code;
}

bool dw_code_function(struct dw_file *file, Dwarf_Die *unit, uint64_t pc, Dwarf_Die *ret)
{
	const struct unit_code *code = code_of(file, unit);
	size_t behind = sp_bisect(code->ranges.n, i, code->ranges.v[i].low > pc);

	if (!behind || pc >= code->ranges.v[behind - 1].high)
		return false;
	*ret = code->ranges.v[behind - 1].function;
	return true;
}

void dw_code_destroy(struct dw_code *code)
{
	if (!code)
		return;
	sp_hash_each(entry, &code->by_unit) {
		struct unit_code *unit = entry->value;

		sp_vec_deinit(&unit->ranges);
		free(unit);
	}
	sp_hash_deinit(&code->by_unit);
	free(code);
}
