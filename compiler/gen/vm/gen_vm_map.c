// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/vm/gen_vm_map.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/value/gen_map.h"
#include "compiler/gen/vm/gen_vm_walk.h"
#include "runtime/abi/uservm.h"

#include <stdio.h>

static LLVMValueRef define(struct gen *g, uint32_t index)
{
	char name[32];

	snprintf(name, sizeof(name), "spile_map_%u", index); // as object_user_read wants it
	return LLVMAddGlobal(g->mod, g->i8, name);
}

static LLVMValueRef expr_key(struct gen *g, const struct ir_expr *e)
{
	return gen_map_key(g, e->map, e->args, gen_plan(g, e)->key);
}

static LLVMValueRef stmt_key(struct gen *g, const struct ir_stmt *s)
{
	return gen_map_key(g, s->map, s->args, gen_plan_stmt(g, s)->key);
}

// ---- arrays -------------------------------------------------------------------------------------

static LLVMValueRef get(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = expr_key(g, e), value = gen_temp(g, 8);

	gen_call(g, SP_VM_MAP_GET, 3, gen_map_ref(g, e->map), key, value);
	gen_release(g, mark);
	return gen_load(g, value);
}

static void get_str(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	uint32_t mark = gen_mark(g), size = g->unit->maps.v[e->map].value_size;
	LLVMValueRef key = expr_key(g, e);
	struct gen_str value = { dst.ptr, size };

	if (dst.cap < size)
		value.ptr = gen_temp(g, size);
	gen_call(g, SP_VM_MAP_GET, 3, gen_map_ref(g, e->map), key, value.ptr);
	gen_str_copy(g, dst, value, true);
	if (value.ptr == dst.ptr)
		gen_words_zero(g, gen_at(g, dst.ptr, size), dst.cap - size);
	gen_release(g, mark);
}

static LLVMValueRef has(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = expr_key(g, e), found = gen_call(g, SP_VM_MAP_HAS, 2, gen_map_ref(g, e->map), key);

	gen_release(g, mark);
	return gen_bool(g, LLVMBuildNot(g->b, gen_is_zero(g, found), ""));
}

static LLVMValueRef add(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = expr_key(g, e), delta = gen_long(g, e->a), result, old = gen_i64(g, 0);
	LLVMValueRef place = e->want == IR_WANT_NONE ? NULL : gen_temp(g, 8);

	result = gen_call(g, SP_VM_MAP_ADD, 4, gen_map_ref(g, e->map), key, delta, place ? place : gen_i64(g, 0));
	gen_map_fail_if_full(g, result, e->map, e->place);
	if (place)
		old = gen_load(g, place);
	gen_release(g, mark);
	return e->want == IR_WANT_NEW ? LLVMBuildAdd(g->b, old, delta, "") : old;
}

static void set(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef key = stmt_key(g, s), value = gen_map_value(g, s);

	gen_map_fail_if_full(g, gen_call(g, SP_VM_MAP_SET, 3, gen_map_ref(g, s->map), key, value), s->map, s->place);
}

static void delete(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef key = stmt_key(g, s);

	gen_call(g, SP_VM_MAP_DELETE, 2, gen_map_ref(g, s->map), key);
}

static void clear(struct gen *g, const struct ir_stmt *s)
{
	gen_call(g, SP_VM_MAP_CLEAR, 1, gen_map_ref(g, s->map));
}

// ---- aggregates ---------------------------------------------------------------------------------

static void stat_add(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef key = stmt_key(g, s), value = gen_long(g, s->a);

	gen_map_fail_if_full(g, gen_call(g, SP_VM_STAT_ADD, 3, gen_map_ref(g, s->map), key, value), s->map, s->place);
}

static void fail_if_empty(struct gen *g, LLVMValueRef count, uint32_t place)
{
	gen_fail_if(g, gen_is_zero(g, count), SP_RT_STAT_EMPTY, place, NULL);
}

static LLVMValueRef read_bucket(struct gen *g, const struct ir_expr *e, LLVMValueRef key)
{
	LLVMValueRef value = gen_temp(g, 8), index = gen_long(g, e->a), result, is_out;

	result = gen_call(g, SP_VM_STAT_BUCKET, 5, gen_map_ref(g, e->map), key, gen_i64(g, e->stat), index, value);
	fail_if_empty(g, result, e->place);
	is_out = LLVMBuildICmp(g->b, LLVMIntSLT, result, gen_i64(g, 0), "");
	gen_fail_if(g, is_out, SP_RT_HIST_INDEX, e->place, index);
	return gen_load(g, value);
}

static LLVMValueRef read(struct gen *g, const struct ir_expr *e, LLVMValueRef key)
{
	LLVMValueRef value = gen_temp(g, 8), result;

	result = gen_call(g, SP_VM_STAT_GET, 4, gen_map_ref(g, e->map), key, gen_i64(g, e->stat), value);
	if (e->stat != SP_STAT_COUNT && e->stat != SP_STAT_SUM)
		fail_if_empty(g, result, e->place);
	return gen_load(g, value);
}

static LLVMValueRef stat_get(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = expr_key(g, e), value = e->stat < SP_STAT_LOG ? read(g, e, key) : read_bucket(g, e, key);

	gen_release(g, mark);
	return value;
}

static void stat_print(struct gen *g, const struct ir_stmt *s)
{
	gen_call(g, SP_VM_STAT_PRINT, 3, gen_map_ref(g, s->map), stmt_key(g, s), gen_i64(g, s->stat));
}

static void stat_text(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = expr_key(g, e), what = gen_i64(g, e->stat), len;

	len = gen_call(g, SP_VM_STAT_TEXT, 5, dst.ptr, gen_i64(g, dst.cap), gen_map_ref(g, e->map), key, what);
	gen_fail_count_if(g, LLVMBuildICmp(g->b, LLVMIntUGE, len, gen_i64(g, dst.cap), ""), SP_LOSS_CUT);
	gen_release(g, mark);
}

const struct gen_engine_map gen_vm_map = {
	.define = define,
	.get = get,
	.get_str = get_str,
	.has = has,
	.add = add,
	.set = set,
	.delete = delete,
	.clear = clear,
	.foreach = gen_vm_walk_foreach,
	.stat_add = stat_add,
	.stat_get = stat_get,
	.stat_print = stat_print,
	.stat_text = stat_text,
};
