// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/ir_runtime.h"

#include "runtime/abi/event.h"
#include "runtime/abi/uservm.h"
#include "runtime/base/directive.h"

#define MAX_ROWS 128 // elements that a sorted walk in the kernel picks out at most
#define MAX_WALK 20000 // bytes of the scratch frame that it may take

bool ir_names_address(const struct ir_expr *e)
{
	return e->op == IR_SYMBOLS && !e->is_late && e->what != SP_SYMBOL_HEX &&
	       !(e->what == SP_SYMBOL_NAME && e->space == IR_SPACE_KERNEL);
}

bool ir_keeps_float(const struct ir_unit *unit, const struct ir_expr *e)
{
	const char *at = e->op == IR_SPRINTF ? unit->formats.v[e->format].text : NULL;
	struct sp_directive directive = { 0 };

	while (at && (at = strchr(at, '%'))) {
		at = sp_directive_parse(at + 1, &directive);
		if (at && strchr("feg", directive.conversion))
			return true;
	}
	return false;
}

bool ir_sorts_variance(const struct ir_stmt *s)
{
	return s->foreach.sort_dir && s->foreach.sort_key == SP_VM_SORT_STAT + SP_STAT_VARIANCE;
}

uint32_t ir_walk_most(const struct ir_map *map)
{
	return SP_MIN((uint32_t)MAX_ROWS, MAX_WALK / (8 + ir_walk_stride(map)));
}

uint32_t ir_walk_rows(const struct ir_unit *unit, const struct ir_stmt *s)
{
	const struct ir_map *map = &unit->maps.v[s->map];
	int64_t rows = map->max_entries;

	if (ir_sorts_variance(s))
		return 0;
	if (s->foreach.limit && s->foreach.limit->op == IR_CONST)
		rows = SP_MAX(SP_MIN(rows, s->foreach.limit->value), 1);
	return rows <= ir_walk_most(map) ? (uint32_t)rows : 0;
}
