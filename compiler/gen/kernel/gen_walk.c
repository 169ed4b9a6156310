// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_walk.h"

#include "compiler/gen/core/gen_callback.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/kernel/gen_kernel_map.h"
#include "compiler/gen/kernel/gen_stat.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/value/gen_element.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/value/gen_map.h"

// ---- in the order of the map --------------------------------------------------------------------

static void for_each(struct gen *g, uint32_t map, struct gen_callback *cb)
{
	gen_callback_end(g, cb);
	gen_call(g, GEN_FOR_EACH, 4, gen_map_ref(g, map), cb->fn, cb->closure, gen_i64(g, 0));
	gen_callback_exits(g, cb);
}

static LLVMValueRef walk_field(struct gen *g, LLVMValueRef walk, size_t offset)
{
	return gen_at(g, walk, offset);
}

static void walk_unsorted(struct gen *g, const struct ir_stmt *s, LLVMValueRef walk)
{
	LLVMValueRef left_place = walk_field(g, walk, offsetof(struct plan_walk, left)), left;
	struct gen_callback cb;
	LLVMBasicBlockRef go;

	if (s->foreach.limit)
		gen_store(g, gen_element_limit(g, s), left_place);
	gen_callback_begin(g, &cb, "foreach", 4, s->place);
	if (s->foreach.limit) {
		go = gen_block(g);
		left = gen_load(g, left_place);
		gen_branch(g, gen_is_zero(g, left), cb.stop, go);
		gen_enter(g, go);
		gen_store(g, LLVMBuildSub(g->b, left, gen_i64(g, 1), ""), left_place);
	}
	g->fn->walks++;
	gen_element(g, s, LLVMGetParam(cb.fn, 1), LLVMGetParam(cb.fn, 2), cb.stop, cb.next);
	g->fn->walks--;
	for_each(g, s->map, &cb);
}

void gen_walk_clear(struct gen *g, const struct ir_stmt *s)
{
	struct gen_callback cb;

	if (!g->unit->maps.v[s->map].n_keys) {
		gen_stat_clear(g, s->map);
		return;
	}
	gen_callback_begin(g, &cb, "clear", 4, s->place);
	gen_kernel_map_drop(g, s->map, LLVMGetParam(cb.fn, 1));
	for_each(g, s->map, &cb);
}

// ---- sorted -------------------------------------------------------------------------------------

// The first `rows` elements in order are picked out of the map; then the body runs over these.
struct pick {
	const struct ir_stmt *s;
	const struct ir_map *map;
	LLVMValueRef walk; // struct plan_walk, the order, the rows
	uint32_t rows; // how many there are at most
};

static LLVMValueRef order_at(struct gen *g, const struct pick *p, LLVMValueRef index)
{
	return gen_at_index(g, gen_at(g, p->walk, sizeof(struct plan_walk)),
			    LLVMBuildMul(g->b, index, gen_i64(g, 8), ""));
}

static LLVMValueRef row_at(struct gen *g, const struct pick *p, LLVMValueRef row)
{
	return gen_at_index(g, gen_at(g, p->walk, sizeof(struct plan_walk) + (uint64_t)p->rows * 8),
			    LLVMBuildMul(g->b, row, gen_i64(g, ir_walk_stride(p->map)), ""));
}

// A number below `rows`, for the verifier, too; goes to `out` where it is not.
static LLVMValueRef bounded(struct gen *g, const struct pick *p, LLVMValueRef value, LLVMBasicBlockRef out)
{
	LLVMBasicBlockRef ok = gen_block(g);

	value = gen_keep(g, value);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, value, gen_i64(g, p->rows), ""), ok, out);
	gen_enter(g, ok);
	return value;
}

// Does the element at (key_a, value_a) come before the other one? Not when they are equal.
static LLVMValueRef comes_before(struct gen *g, const struct pick *p, LLVMValueRef key_a, LLVMValueRef value_a,
				 LLVMValueRef key_b, LLVMValueRef value_b)
{
	unsigned sort_key = p->s->foreach.sort_key;
	bool is_key = sort_key && sort_key < SP_VM_SORT_STAT;
	bool is_up = p->s->foreach.sort_dir > 0;
	LLVMValueRef a = value_a, b = value_b;
	enum ir_type type = p->map->value_type;
	uint32_t size = p->map->value_size;

	if (is_key) {
		const struct ir_key *key = &p->map->keys[sort_key - 1];

		a = gen_at(g, key_a, key->offset);
		b = gen_at(g, key_b, key->offset);
		type = key->type;
		size = key->size;
	}
	if (type == IR_STR)
		return gen_str_order(g, is_up ? IR_LT : IR_GT, (struct gen_str){ a, size }, (struct gen_str){ b, size });
	return LLVMBuildICmp(g->b, is_up ? LLVMIntSLT : LLVMIntSGT, gen_load(g, a), gen_load(g, b), "");
}

// Moves the newest row forward to where it belongs: a round of a loop.
static void sink(struct gen *g, const struct pick *p)
{
	LLVMValueRef at_place = walk_field(g, p->walk, offsetof(struct plan_walk, at)), at, above, row, other;
	LLVMBasicBlockRef go;
	struct gen_callback cb;

	gen_callback_begin(g, &cb, "sink", 2, p->s->place);
	at = bounded(g, p, gen_load(g, at_place), cb.stop);
	above = bounded(g, p, LLVMBuildSub(g->b, at, gen_i64(g, 1), ""), cb.stop);
	row = bounded(g, p, gen_load(g, walk_field(g, p->walk, offsetof(struct plan_walk, row))), cb.stop);
	other = bounded(g, p, gen_load(g, order_at(g, p, above)), cb.stop);
	go = gen_block(g);
	gen_branch(g,
		   comes_before(g, p, row_at(g, p, row), gen_at(g, row_at(g, p, row), p->map->key_size),
				row_at(g, p, other), gen_at(g, row_at(g, p, other), p->map->key_size)),
		   go, cb.stop);
	gen_enter(g, go);
	gen_store(g, other, order_at(g, p, at));
	gen_store(g, row, order_at(g, p, above));
	gen_store(g, above, at_place);
	gen_callback_end(g, &cb);
	gen_callback_loop(g, &cb, gen_i64(g, p->rows));
}

static void copy_part(struct gen *g, LLVMValueRef dst, LLVMValueRef src, enum ir_type type, uint32_t size)
{
	if (type == IR_STR)
		gen_str_copy(g, (struct gen_str){ dst, size }, (struct gen_str){ src, size }, true);
	else
		gen_store(g, gen_load(g, src), dst);
}

static void copy_element(struct gen *g, const struct pick *p, LLVMValueRef row, LLVMValueRef key, LLVMValueRef value)
{
	for (unsigned i = 0; i < p->map->n_keys; i++) {
		const struct ir_key *part = &p->map->keys[i];

		copy_part(g, gen_at(g, row, part->offset), gen_at(g, key, part->offset), part->type, part->size);
	}
	copy_part(g, gen_at(g, row, p->map->key_size), value, p->map->value_type, p->map->value_size);
}

// What an aggregate is sorted by: of all CPUs, not of the record that the walk comes to.
static LLVMValueRef stat_to_sort(struct gen *g, const struct pick *p, LLVMValueRef key)
{
	unsigned sort_key = p->s->foreach.sort_key;
	LLVMValueRef number = gen_variable(g);

	if (!sort_key || sort_key >= SP_VM_SORT_STAT)
		gen_store(g,
			  gen_stat_read(g, p->s->map, key,
					sort_key ? (enum sp_stat)(sort_key - SP_VM_SORT_STAT) : SP_STAT_COUNT, NULL),
			  number);
	else
		gen_store(g, gen_i64(g, 0), number);
	return number;
}

// One element of the map: takes a row of its own, or that of the last one if it comes before that.
static void pick_element(struct gen *g, const struct pick *p, struct gen_callback *cb)
{
	LLVMBasicBlockRef room = gen_block(g), full = gen_block(g), take = gen_block(g);
	LLVMValueRef key = LLVMGetParam(cb->fn, 1), value = LLVMGetParam(cb->fn, 2), last, n, row_place, at_place;
	LLVMValueRef n_place = walk_field(g, p->walk, offsetof(struct plan_walk, n)), rows = gen_i64(g, p->rows);

	if (p->map->kind == SP_MAP_STAT)
		value = stat_to_sort(g, p, key);
	row_place = walk_field(g, p->walk, offsetof(struct plan_walk, row));
	at_place = walk_field(g, p->walk, offsetof(struct plan_walk, at));
	n = gen_load(g, n_place);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, n, rows, ""), room, full);
	gen_enter(g, room);
	gen_store(g, n, row_place);
	gen_store(g, n, at_place);
	gen_store(g, n, order_at(g, p, bounded(g, p, n, cb->stop)));
	gen_store(g, LLVMBuildAdd(g->b, n, gen_i64(g, 1), ""), n_place);
	gen_goto(g, take);
	gen_enter(g, full);
	last = bounded(g, p, gen_load(g, order_at(g, p, gen_i64(g, p->rows - 1))), cb->stop);
	gen_store(g, last, row_place);
	gen_store(g, gen_i64(g, p->rows - 1), at_place);
	gen_branch(g,
		   comes_before(g, p, key, value, row_at(g, p, last), gen_at(g, row_at(g, p, last), p->map->key_size)),
		   take, cb->next);
	gen_enter(g, take);
	copy_element(g, p, row_at(g, p, bounded(g, p, gen_load(g, row_place), cb->stop)), key, value);
	sink(g, p);
}

static void walk_sorted(struct gen *g, const struct ir_stmt *s, LLVMValueRef walk)
{
	const struct pick p = { .s = s, .map = &g->unit->maps.v[s->map], .walk = walk,
				.rows = gen_plan_code(g, s)->rows };
	LLVMValueRef n_place = walk_field(g, walk, offsetof(struct plan_walk, n)), row, index, n;
	LLVMValueRef limit = NULL;
	struct gen_callback cb;

	// A limit that is no constant is read before the body can change it.
	if (s->foreach.limit && s->foreach.limit->op != IR_CONST)
		limit = gen_keep(g, gen_element_limit(g, s));
	gen_store(g, gen_i64(g, 0), n_place);
	gen_callback_begin(g, &cb, "pick", 4, s->place);
	pick_element(g, &p, &cb);
	for_each(g, s->map, &cb);
	n = gen_load(g, n_place);
	if (limit)
		n = LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntULT, limit, n, ""), limit, n, "");
	gen_callback_begin(g, &cb, "foreach", 2, s->place);
	index = bounded(g, &p, LLVMGetParam(cb.fn, 0), cb.stop);
	row = bounded(g, &p, gen_load(g, order_at(g, &p, index)), cb.stop);
	row = row_at(g, &p, row);
	gen_element(g, s, row, gen_at(g, row, p.map->key_size), cb.stop, cb.next);
	gen_callback_end(g, &cb);
	gen_callback_loop(g, &cb, n);
}

void gen_walk_foreach(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_expr *limit = s->foreach.limit;
	LLVMValueRef walk = gen_slot(g, gen_plan_stmt(g, s)->walk);

	if (!walk || (s->foreach.sort_dir && !gen_plan_code(g, s)->rows))
		gen_bug(g, "a walk without room");
	else if (!s->foreach.sort_dir)
		walk_unsorted(g, s, walk);
	else if (!limit || limit->op != IR_CONST || limit->value > 0)
		walk_sorted(g, s, walk);
}
