// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_stat.h"

#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_stmt.h"

_Static_assert(AST_HIST_MAX_STEPS == SP_HIST_LINEAR_MAX - 3, "what the parser takes is what can be counted");
_Static_assert((int)STAT_COUNT == SP_STAT_COUNT && (int)STAT_SUM == SP_STAT_SUM && (int)STAT_MIN == SP_STAT_MIN &&
		       (int)STAT_MAX == SP_STAT_MAX && (int)STAT_AVG == SP_STAT_AVG &&
		       (int)STAT_VARIANCE == SP_STAT_VARIANCE,
	       "extractors have the same numbers in the tree and in records");

// What the display at the end needs. A histogram takes a kilobyte of each processor, for each element: an array has none.
static uint32_t unread_parts(const struct global *g, const struct ir_map *map)
{
	if (!map->is_unread)
		return 0;
	return SP_STAT_UNREAD | (!g->is_array && !map->is_plain ? 1u << SP_STAT_LOG : 0);
}

void lower_stat_map(struct lower *l, const struct global *g, struct ir_map *map)
{
	struct sp_stat_shape *shape = &map->stat;

	map->kind = SP_MAP_STAT;
	map->value_type = IR_LONG;
	shape->reads = g->stat_reads | unread_parts(g, map) |
		       (g->reads_log ? 1u << SP_STAT_LOG : 0) | (g->reads_linear ? 1u << SP_STAT_LINEAR : 0);
	if (g->reads_linear)
		shape->linear = (struct sp_hist_linear){ g->linear->hist.low, g->linear->hist.high,
							 g->linear->hist.step };
	shape->elision = l->opts->hist_elision;
	map->value_size = sp_stat_size(shape);
	if (g->is_array)
		return;
	map->key_size = SP_STAT_KEY_SIZE;
	map->max_entries = 1;
}

// The map and the key of a global or an element. Returns the number of keys.
static unsigned operand(struct lower *l, const struct ast_expr *stat, uint32_t *map_ret, struct ir_expr ***key_ret)
{
	bool is_element = stat->kind == AST_INDEX;

	*map_ret = lower_global(l, is_element ? stat->index.global : stat->name.global);
	*key_ret = is_element ? lower_key(l, &stat->index.keys, false) : NULL;
	return is_element ? stat->index.keys.n : 0;
}

static const char *name_of(const struct ast_expr *stat)
{
	return stat->kind == AST_INDEX ? stat->index.name : stat->name.name;
}

struct ir_expr *lower_stat_add(struct lower *l, const struct ast_expr *e, bool wanted)
{
	const struct ast_expr *target = e->assign.target;
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_STAT_ADD,
					lower_place(l, target->kind == AST_INDEX ? target->op_span : target->span,
						    "identifier", name_of(target)));

	s->n_args = operand(l, target, &s->map, &s->args);
	s->a = lower_expr(l, e->assign.value);
	// Where the value is computed before this statement, a part of the key that it may change is read before that.
	if (wanted || lower_changes_key(s->args, s->n_args, s->a))
		lower_keep_key(l, s->args, s->n_args, s->a);
	if (wanted)
		s->a = lower_keep(l, s->a);
	lower_emit(l, s);
	return wanted ? s->a : NULL;
}

static enum sp_stat hist_of(const struct ast_expr *e)
{
	return e->hist.is_linear ? SP_STAT_LINEAR : SP_STAT_LOG;
}

struct ir_expr *lower_stat_get(struct lower *l, const struct ast_expr *e)
{
	bool is_hist = e->kind == AST_HIST;
	const char *name = is_hist ? e->hist.is_linear ? "@hist_linear" : "@hist_log" : ast_stat_op_name(e->stat.op);
	struct ir_expr *get = ir_expr_new(l->unit, IR_STAT_GET, IR_LONG,
					  lower_place(l, e->op_span, "operator", name));

	get->stat = is_hist ? hist_of(e) : (enum sp_stat)e->stat.op;
	get->n_args = operand(l, is_hist ? e->hist.stat : e->stat.stat, &get->map, &get->args);
	if (is_hist)
		get->a = lower_expr(l, e->hist.bucket);
	// The shift in @variance(x, shift) is for arithmetic that loses bits; ours is exact, so only its effects matter.
	else if (e->stat.param)
		lower_effect(l, e->stat.param);
	if (is_hist)
		lower_protect_key(l, get->args, get->n_args, get->a);
	return get;
}

static uint32_t place_of_print(struct lower *l, const struct ast_expr *e)
{
	return lower_place(l, e->span, "identifier", ast_print_name(e->print.kind, e->print.to_string));
}

void lower_stat_print(struct lower *l, const struct ast_expr *e)
{
	const struct ast_expr *hist = e->print.args.v[0];
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_STAT_PRINT, place_of_print(l, e));

	s->stat = hist_of(hist);
	s->n_args = operand(l, hist->hist.stat, &s->map, &s->args);
	lower_emit(l, s);
}

struct ir_expr *lower_stat_text(struct lower *l, const struct ast_expr *e)
{
	const struct ast_expr *hist = e->print.args.v[0];
	struct ir_expr *text = ir_expr_new(l->unit, IR_STAT_TEXT, IR_STR, place_of_print(l, e));

	text->stat = hist_of(hist);
	text->n_args = operand(l, hist->hist.stat, &text->map, &text->args);
	text->cap = l->unit->max_string;
	return text;
}

// `v` of foreach (v = bucket in @hist_log(a[k])): the count of the bucket that is read from `i`. Which element it is, is
// decided before the loop.
static struct ir_expr *loop_count(struct lower *l, const struct ast_expr *hist, uint32_t i)
{
	struct ir_expr *get = ir_expr_new(l->unit, IR_STAT_GET, IR_LONG,
					  lower_place(l, hist->op_span, "operator",
						      hist->hist.is_linear ? "@hist_linear" : "@hist_log"));

	get->stat = hist_of(hist);
	get->n_args = operand(l, hist->hist.stat, &get->index, &get->args);
	for (unsigned k = 0; k < get->n_args; k++)
		get->args[k] = lower_keep(l, get->args[k]);
	get->a = lower_read(l, i);
	return get;
}

// for (i = 0; i < buckets && i < limit; i++) { bucket = i; value = count of bucket; ... }
void lower_stat_foreach(struct lower *l, const struct ast_stmt *s)
{
	const struct ast_expr *hist = s->foreach.hist, *stat = hist->hist.stat;
	uint32_t place = lower_place(l, s->span, "keyword", "foreach"), i = lower_temp(l, IR_LONG, 0);
	const struct global *g = stat->kind == AST_INDEX ? stat->index.global : stat->name.global;
	const struct ir_map *map = &l->unit->maps.v[lower_global(l, g)];
	int64_t n = sp_stat_words(&map->stat, hist->hist.is_linear ? SP_PART_LINEAR : SP_PART_LOG);
	struct ir_expr *limit = NULL, *below, *one = ir_const(l->unit, 1);
	struct ir_expr *count = s->foreach.value ? loop_count(l, hist, i) : NULL;
	struct ir_stmt *loop = ir_stmt_new(l->unit, IR_S_LOOP, place);
	struct lower_list list;

	if (s->foreach.limit)
		limit = lower_keep(l, lower_expr(l, s->foreach.limit));
	if (limit && limit->op == IR_CONST) {
		n = SP_MAX(SP_MIN(n, limit->value), (int64_t)0);
		limit = NULL;
	}
	loop->a = ir_binary(l->unit, IR_LT, lower_read(l, i), ir_const(l->unit, n), IR_NO_PLACE);
	if (limit) {
		below = ir_binary(l->unit, IR_LT, lower_read(l, i), limit, IR_NO_PLACE);
		loop->a = ir_binary(l->unit, IR_LAND, loop->a, below, IR_NO_PLACE);
	}
	loop->step = ir_set(l->unit, i, ir_binary(l->unit, IR_ADD, lower_read(l, i), one, IR_NO_PLACE), place);
	lower_list_begin(l, &list);
	lower_store(l, s->foreach.keys.v[0], lower_read(l, i), place);
	if (count)
		lower_store(l, s->foreach.value, count, place);
	lower_stmt(l, s->foreach.body);
	loop->then = lower_list_end(l, &list);
	lower_emit(l, ir_set(l->unit, i, ir_const(l->unit, 0), place));
	lower_emit(l, loop);
}
