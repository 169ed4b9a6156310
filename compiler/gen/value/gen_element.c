// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/value/gen_element.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_stmt.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/value/gen_expr.h"

static void set_local(struct gen *g, uint32_t local, enum ir_type type, LLVMValueRef src, uint32_t size)
{
	LLVMValueRef dst = g->frame->locals[local];

	if (type == IR_STR)
		gen_str_copy(g, (struct gen_str){ dst, g->frame->local_caps[local] }, (struct gen_str){ src, size },
			     true);
	else
		gen_store(g, gen_load(g, src), dst);
}

void gen_element(struct gen *g, const struct ir_stmt *s, LLVMValueRef key, LLVMValueRef value, LLVMBasicBlockRef done,
		 LLVMBasicBlockRef next)
{
	const struct ir_map *map = &g->unit->maps.v[s->map];
	LLVMBasicBlockRef outer_break = g->frame->on_break, outer_continue = g->frame->on_continue;

	gen_fail_spend(g, s->place);
	for (unsigned i = 0; i < map->n_keys; i++)
		set_local(g, s->foreach.keys[i], map->keys[i].type, gen_at(g, key, map->keys[i].offset),
			  map->keys[i].size);
	if (s->foreach.value != IR_NO_LOCAL)
		set_local(g, (uint32_t)s->foreach.value, map->value_type, value, map->value_size);
	g->frame->on_break = done;
	g->frame->on_continue = next;
	gen_stmts(g, s->then);
	g->frame->on_break = outer_break;
	g->frame->on_continue = outer_continue;
}

LLVMValueRef gen_element_limit(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef limit = gen_long(g, s->foreach.limit), zero = gen_i64(g, 0);

	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntSLT, limit, zero, ""), zero, limit, "");
}
