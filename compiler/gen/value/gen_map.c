// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/value/gen_map.h"

#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/value/gen_expr.h"

LLVMValueRef gen_map_ref(struct gen *g, uint32_t index)
{
	if (!g->maps[index])
		g->maps[index] = g->engine->map->define(g, index);
	return g->maps[index];
}

// A string variable that is as large as its place can be used where it is.
static bool fits_as_is(struct gen *g, const struct ir_expr *e, uint32_t size)
{
	return (e->op == IR_LOCAL && g->frame->local_caps[e->local] == size) ||
	       (e->op == IR_GLOBAL && g->unit->globals.v[e->global].cap == size);
}

LLVMValueRef gen_map_key(struct gen *g, uint32_t index, struct ir_expr **args, struct plan_slot slot)
{
	static const char zeros[SP_STAT_KEY_SIZE];
	const struct ir_map *map = &g->unit->maps.v[index];
	const struct plan_known *known = g->engine->map->known ? g->plan->maps[index].known : NULL;
	uint32_t at = 0;
	LLVMValueRef key;

	if (!map->n_keys)
		return gen_constant(g, zeros, sizeof(zeros));
	if (!known && map->n_keys == 1 && args[0]->type == IR_STR && fits_as_is(g, args[0], map->key_size))
		return gen_str_address(g, args[0]).ptr;
	key = gen_slot(g, slot);
	if (!key)
		key = gen_temp(g, map->key_size);
	for (unsigned i = 0; i < map->n_keys; i++) {
		LLVMValueRef part = gen_at(g, key, at);

		if (map->keys[i].type != IR_STR)
			gen_store(g, gen_long(g, args[i]), part);
		else if (known)
			gen_store(g, g->engine->map->known(g, &known[i], args[i]), part);
		else if (i + 1 == map->n_keys && g->engine->map->known && g->plan->maps[index].is_split)
			gen_str_into_short(g, args[i], (struct gen_str){ part, map->keys[i].size });
		else
			gen_str_into(g, args[i], (struct gen_str){ part, map->keys[i].size }, true);
		at += known ? 8 : map->keys[i].size;
	}
	return key;
}

LLVMValueRef gen_map_value(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_map *map = &g->unit->maps.v[s->map];
	LLVMValueRef value;

	if (s->a->type == IR_STR && fits_as_is(g, s->a, map->value_size))
		return gen_str_address(g, s->a).ptr;
	value = gen_slot(g, gen_plan_stmt(g, s)->value);
	if (!value)
		value = gen_temp(g, map->value_size);
	if (map->value_type == IR_STR)
		gen_str_into(g, s->a, (struct gen_str){ value, map->value_size }, true);
	else
		gen_store(g, gen_long(g, s->a), value);
	return value;
}

// Kernels before 6.4 call the array's own function, which returns an int: the upper half is anything.
static LLVMValueRef is_error(struct gen *g, LLVMValueRef result)
{
	result = LLVMBuildTrunc(g->b, result, g->i32, "");
	return LLVMBuildICmp(g->b, LLVMIntSLT, result, LLVMConstNull(g->i32), "");
}

void gen_map_fail_if_full(struct gen *g, LLVMValueRef result, uint32_t map, uint32_t place)
{
	gen_fail_if(g, is_error(g, result), SP_RT_MAP_FULL, place, gen_i64(g, map));
}
