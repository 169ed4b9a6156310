// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/ir_runtime.h"

#include "runtime/abi/event.h"
#include "runtime/abi/uservm.h"
#include "runtime/base/directive.h"

#define MAX_ROWS 128 // elements that a sorted walk in the kernel picks out at most
#define MAX_WALK 20000 // bytes of the scratch frame that it may take

static bool names_address(const struct ir_expr *e)
{
	return e->op == IR_SYMBOLS && !e->is_late && e->what != SP_SYMBOL_HEX &&
	       !(e->what == SP_SYMBOL_NAME && e->space == IR_SPACE_KERNEL);
}

static bool has_record_fields(const struct ir_format *format)
{
	for (unsigned i = 0; i < format->n_fields; i++)
		if (format->fields[i].type > SP_SYMBOLS)
			return true;
	return false;
}

static bool keeps_float(const struct ir_unit *unit, const struct ir_expr *e)
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

const char *ir_runtime_expr(const struct ir_unit *unit, const struct ir_expr *e)
{
	if (names_address(e))
		return "the name of an address is kept as a value";
	if (e->op == IR_SPRINTF && has_record_fields(&unit->formats.v[e->format]))
		return "a value becomes a string in a way that only the runtime knows";
	if (keeps_float(unit, e))
		return "a floating point number becomes a string";
	if (e->op == IR_EMBED && unit->embeds.v[e->embed].is_unbounded)
		return "embedded C has a loop whose end the verifier does not see";
	return e->op == IR_STAT_TEXT ? "a histogram becomes a string" : NULL;
}

const char *ir_runtime_stmt(const struct ir_unit *unit, const struct ir_stmt *s)
{
	return s->op == IR_S_FOREACH && s->foreach.sort_dir && !ir_walk_rows(unit, s) ? "an array is walked in order" : NULL;
}

// ---- recursion ------------------------------------------------------------------------------------------------------

struct search {
	const struct ir_unit *unit;
	enum { NEW, ON_PATH, DONE } *state; // by function
	bool found;
};

static void follow(void *ctx, const struct ir_expr *e)
{
	struct search *s = ctx;
	const struct ir_visitor visitor = { .ctx = s, .expr = follow };

	if (e->op != IR_CALL || s->found || s->state[e->func] == DONE)
		return;
	s->found = s->state[e->func] == ON_PATH;
	s->state[e->func] = ON_PATH;
	if (!s->found)
		ir_walk_stmts(s->unit->funcs.v[e->func].body, &visitor);
	s->state[e->func] = DONE;
}

bool ir_calls_recursion(const struct ir_unit *unit, const struct ir_stmt *list)
{
	struct search s = { .unit = unit, .state = sp_calloc(unit->funcs.n + 1, sizeof(*s.state)) };
	const struct ir_visitor visitor = { .ctx = &s, .expr = follow };

	ir_walk_stmts(list, &visitor);
	free(s.state);
	return s.found;
}

bool ir_recurses_in_walk(const struct ir_unit *unit, const struct ir_stmt *s)
{
	return s->op == IR_S_FOREACH && ir_calls_recursion(unit, s->then);
}

// ---- sorted walks ---------------------------------------------------------------------------------------------------

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
