// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_order.h"

#include "compiler/gen/kernel/gen_aside.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_lock.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_map.h"

#include <linux/bpf.h>
#include <stdio.h>


// Beside the array's own map are two: an array of nodes, which are in a ring in the order of their elements, and, when
// elements are deleted, a map from the keys to the numbers of their nodes. Node 0 is where the ring begins and ends, and
// has the lock that all changes are under. Values are changed without it: they do not move.
struct node {
	uint32_t before, after; // numbers of nodes
	char key[];
};

struct ring {
	uint32_t newest, oldest;
	uint64_t lock; // as struct sp_lock's `holder`
	uint32_t free; // a node; the next ones by `after`; 0: none
	uint32_t used; // nodes that have ever been taken
	uint64_t n;
};
_Static_assert(offsetof(struct node, before) == offsetof(struct ring, newest) &&
	       offsetof(struct node, after) == offsetof(struct ring, oldest), "node 0 is one of the ring");

struct order {
	uint32_t index;
	const struct ir_map *map;
	const struct plan_map *plan;
	LLVMValueRef key;
	LLVMValueRef number; // memory for a node's number
	LLVMValueRef ring;
	LLVMBasicBlockRef out; // leaves with `busy`, without the lock
	LLVMBasicBlockRef broken; // the same with the lock
};

// ---- nodes ----------------------------------------------------------------------------------------------------------

static LLVMValueRef nodes_of(struct gen *g, const struct order *o)
{
	uint32_t size = SP_MAX((uint32_t)sizeof(struct ring), (uint32_t)sizeof(struct node) + o->map->key_size);

	return gen_kernel_def_beside(g, SP_MAP_NODES, o->index, BPF_MAP_TYPE_ARRAY, o->map->max_entries + 1, sizeof(uint32_t), size);
}

static LLVMValueRef places_of(struct gen *g, const struct order *o)
{
	return gen_kernel_def_beside(g, SP_MAP_PLACES, o->index, BPF_MAP_TYPE_HASH, o->map->max_entries, o->map->key_size,
			      sizeof(uint64_t));
}

static LLVMValueRef get(struct gen *g, LLVMValueRef at, size_t offset)
{
	return gen_load_sized(g, gen_at(g, at, offset), sizeof(uint32_t), false);
}

static void set(struct gen *g, LLVMValueRef at, size_t offset, LLVMValueRef value)
{
	gen_store_sized(g, value, gen_at(g, at, offset), sizeof(uint32_t));
}

static LLVMValueRef node(struct gen *g, const struct order *o, LLVMValueRef number, LLVMBasicBlockRef none)
{
	LLVMBasicBlockRef there = gen_block(g);
	LLVMValueRef found;

	gen_store(g, number, o->number);
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, nodes_of(g, o), o->number), g->ptr, "");
	gen_branch(g, gen_is_zero(g, found), none, there);
	gen_enter(g, there);
	return found;
}

static LLVMValueRef lock_of(struct gen *g, const struct order *o)
{
	return gen_at(g, o->ring, offsetof(struct ring, lock));
}

static void leave(struct gen *g, const struct order *o, enum sp_order_result result)
{
	gen_kernel_lock_release(g, lock_of(g, o));
	LLVMBuildRet(g->b, gen_i64(g, result));
}

static void begin(struct gen *g, struct order *o)
{
	o->number = gen_area(g, 8);
	o->out = gen_block(g);
	o->broken = gen_block(g);
	o->ring = node(g, o, gen_i64(g, 0), o->out);
	gen_kernel_lock_take(g, lock_of(g, o), o->out);
}

static void end(struct gen *g, const struct order *o)
{
	gen_enter(g, o->broken);
	leave(g, o, SP_ORDER_BUSY);
	gen_enter(g, o->out);
	LLVMBuildRet(g->b, gen_i64(g, SP_ORDER_BUSY));
}

// ---- the ring -------------------------------------------------------------------------------------------------------

static void count(struct gen *g, const struct order *o, int64_t by)
{
	LLVMValueRef n = gen_at(g, o->ring, offsetof(struct ring, n));

	gen_store(g, LLVMBuildAdd(g->b, gen_load(g, n), gen_i64(g, by), ""), n);
}

static void take_out(struct gen *g, const struct order *o, LLVMValueRef at)
{
	LLVMValueRef before = get(g, at, offsetof(struct node, before)), after = get(g, at, offsetof(struct node, after));

	set(g, node(g, o, before, o->broken), offsetof(struct node, after), after);
	set(g, node(g, o, after, o->broken), offsetof(struct node, before), before);
}

static void append(struct gen *g, const struct order *o, LLVMValueRef at, LLVMValueRef number)
{
	LLVMValueRef newest = get(g, o->ring, offsetof(struct ring, newest));

	set(g, at, offsetof(struct node, before), newest);
	set(g, at, offsetof(struct node, after), gen_i64(g, 0));
	set(g, node(g, o, newest, o->broken), offsetof(struct node, after), number);
	set(g, o->ring, offsetof(struct ring, newest), number);
}

static void set_free(struct gen *g, const struct order *o, LLVMValueRef at, LLVMValueRef number)
{
	set(g, at, offsetof(struct node, after), get(g, o->ring, offsetof(struct ring, free)));
	set(g, o->ring, offsetof(struct ring, free), number);
}

// The number of a node for the new element: of the oldest one, which goes; or a free one.
static LLVMValueRef take_node(struct gen *g, const struct order *o)
{
	LLVMBasicBlockRef full = gen_block(g), room = gen_block(g), again = gen_block(g), fresh = gen_block(g),
			  done = gen_block(g);
	LLVMValueRef n = gen_load(g, gen_at(g, o->ring, offsetof(struct ring, n))), number = gen_variable(g), at, key;

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntUGE, n, gen_i64(g, o->map->max_entries), ""), full, room);
	gen_enter(g, full);
	gen_store(g, get(g, o->ring, offsetof(struct ring, oldest)), number);
	at = node(g, o, gen_load(g, number), o->broken);
	key = gen_at(g, at, offsetof(struct node, key));
	gen_kernel_def_forget(g, o->index, key);
	if (o->plan->is_deleted_from)
		gen_call(g, GEN_MAP_DELETE, 2, places_of(g, o), key);
	take_out(g, o, at);
	gen_goto(g, done);
	gen_enter(g, room);
	count(g, o, 1);
	gen_store(g, get(g, o->ring, offsetof(struct ring, free)), number);
	gen_branch(g, gen_is_zero(g, gen_load(g, number)), fresh, again);
	gen_enter(g, again);
	at = node(g, o, gen_load(g, number), o->broken);
	set(g, o->ring, offsetof(struct ring, free), get(g, at, offsetof(struct node, after)));
	gen_goto(g, done);
	gen_enter(g, fresh);
	gen_store(g, LLVMBuildAdd(g->b, get(g, o->ring, offsetof(struct ring, used)), gen_i64(g, 1), ""), number);
	set(g, o->ring, offsetof(struct ring, used), gen_load(g, number));
	gen_goto(g, done);
	gen_enter(g, done);
	return gen_load(g, number);
}

// Goes to `failed` when the kernel refuses an element: this may be in the middle of its work on that map.
static void add_element(struct gen *g, LLVMValueRef map, LLVMValueRef key, LLVMValueRef value, LLVMBasicBlockRef failed)
{
	LLVMValueRef result = gen_call(g, GEN_MAP_UPDATE, 4, map, key, value, gen_i64(g, BPF_NOEXIST));
	LLVMBasicBlockRef ok = gen_block(g);

	result = LLVMBuildTrunc(g->b, result, g->i32, "");
	gen_branch(g, gen_is_zero(g, result), ok, failed);
	gen_enter(g, ok);
}

// ---- the functions --------------------------------------------------------------------------------------------------

// long put(key, first): enum sp_order_result
static void make_put(struct gen *g, struct order *o, LLVMValueRef first)
{
	LLVMBasicBlockRef known = gen_block(g), absent = gen_block(g), refused = gen_block(g), forgotten = gen_block(g);
	LLVMValueRef found, number, at;

	begin(g, o);
	found = gen_call(g, GEN_MAP_LOOKUP, 2, gen_map_ref(g, o->index), o->key);
	gen_branch(g, gen_is_zero(g, found), absent, known);
	gen_enter(g, known);
	leave(g, o, SP_ORDER_KNOWN);
	gen_enter(g, absent);
	number = take_node(g, o);
	at = node(g, o, number, o->broken);
	if (o->plan->is_deleted_from) {
		gen_store(g, number, o->number);
		add_element(g, places_of(g, o), o->key, o->number, refused);
	}
	add_element(g, gen_map_ref(g, o->index), o->key, first, forgotten);
	gen_words_copy(g, gen_at(g, at, offsetof(struct node, key)), o->key, o->map->key_size, true);
	append(g, o, at, number);
	leave(g, o, SP_ORDER_NEW);
	gen_enter(g, forgotten);
	if (o->plan->is_deleted_from)
		gen_call(g, GEN_MAP_DELETE, 2, places_of(g, o), o->key);
	gen_goto(g, refused);
	gen_enter(g, refused);
	count(g, o, -1);
	set_free(g, o, at, number);
	gen_goto(g, o->broken);
	end(g, o);
}

// long drop(key). The key may be the element's own: so that goes last.
static void make_drop(struct gen *g, struct order *o)
{
	LLVMBasicBlockRef there = gen_block(g), absent = gen_block(g);
	LLVMValueRef found, number, at;

	begin(g, o);
	found = LLVMBuildIntToPtr(g->b, gen_call(g, GEN_MAP_LOOKUP, 2, places_of(g, o), o->key), g->ptr, "");
	gen_branch(g, gen_is_zero(g, found), absent, there);
	gen_enter(g, absent);
	leave(g, o, SP_ORDER_KNOWN);
	gen_enter(g, there);
	number = gen_load(g, found);
	at = node(g, o, number, o->broken);
	take_out(g, o, at);
	set_free(g, o, at, number);
	count(g, o, -1);
	gen_call(g, GEN_MAP_DELETE, 2, places_of(g, o), o->key);
	gen_kernel_def_forget(g, o->index, o->key);
	leave(g, o, SP_ORDER_NEW);
	end(g, o);
}

static LLVMValueRef function(struct gen *g, uint32_t map, enum sp_order_op op)
{
	const LLVMTypeRef params[2] = { g->ptr, g->ptr };
	struct order o = { .index = map, .map = &g->unit->maps.v[map], .plan = &g->plan->maps[map] };
	struct gen_aside aside;
	LLVMValueRef fn;
	char name[32];

	snprintf(name, sizeof(name), op == SP_ORDER_PUT ? "order_put_%u" : "order_drop_%u", map);
	fn = LLVMGetNamedFunction(g->mod, name);
	if (fn)
		return fn;
	fn = gen_aside_begin(g, &aside, name, params, op == SP_ORDER_PUT ? 2 : 1);
	o.key = LLVMGetParam(fn, 0);
	if (op == SP_ORDER_PUT)
		make_put(g, &o, LLVMGetParam(fn, 1));
	else
		make_drop(g, &o);
	gen_aside_end(g, &aside);
	return fn;
}

static LLVMValueRef call(struct gen *g, uint32_t map, enum sp_order_op op, LLVMValueRef key, LLVMValueRef first)
{
	LLVMTypeRef params[2] = { g->ptr, g->ptr };
	LLVMValueRef args[2] = { key, first };
	unsigned n = op == SP_ORDER_PUT ? 2 : 1;

	return LLVMBuildCall2(g->b, LLVMFunctionType(g->i64, params, n, false), function(g, map, op), args, n, "");
}

static void go_if_not_busy(struct gen *g, LLVMValueRef result)
{
	LLVMBasicBlockRef busy = gen_block(g), done = gen_block(g);

	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, result, gen_i64(g, SP_ORDER_BUSY), ""), busy, done);
	gen_enter(g, busy);
	gen_fail_lost(g, SP_LOSS_BUSY);
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_order_put(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef first)
{
	go_if_not_busy(g, call(g, map, SP_ORDER_PUT, key, first));
}

void gen_order_drop(struct gen *g, uint32_t map, LLVMValueRef key)
{
	go_if_not_busy(g, call(g, map, SP_ORDER_DROP, key, NULL));
}

// ---- for user-side handlers -----------------------------------------------------------------------------------------

static void serve(struct gen *g, uint32_t map, LLVMValueRef order)
{
	LLVMBasicBlockRef put = gen_block(g), drop = gen_block(g), mine = gen_block(g), other = gen_block(g);
	LLVMValueRef result = gen_at(g, order, offsetof(struct sp_order, result)), op, key, value, which;

	which = gen_load_volatile(g, gen_at(g, order, offsetof(struct sp_order, map)));
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, which, gen_i64(g, map), ""), mine, other);
	gen_enter(g, mine);
	key = gen_at(g, order, offsetof(struct sp_order, bytes));
	value = gen_at(g, key, g->unit->maps.v[map].key_size);
	op = gen_load_volatile(g, gen_at(g, order, offsetof(struct sp_order, op)));
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntEQ, op, gen_i64(g, SP_ORDER_PUT), ""), put, drop);
	gen_enter(g, put);
	gen_store(g, call(g, map, SP_ORDER_PUT, key, value), result);
	gen_goto(g, other);
	gen_enter(g, drop);
	if (g->plan->maps[map].is_deleted_from)
		gen_store(g, call(g, map, SP_ORDER_DROP, key, NULL), result);
	gen_goto(g, other);
	gen_enter(g, other);
}

void gen_order_program(struct gen *g)
{
	struct gen_aside aside;
	LLVMValueRef fn, order;

	if (!g->plan->order_offset)
		return;
	fn = gen_aside_begin(g, &aside, SP_ORDER_PROGRAM, &g->ptr, 1);
	LLVMSetLinkage(fn, LLVMExternalLinkage);
	LLVMSetSection(fn, "raw_tp");
	order = gen_data(g, g->plan->order_offset);
	for (uint32_t i = 0; i < g->unit->maps.n; i++)
		if (g->plan->maps[i].is_ordered_for_user)
			serve(g, i, order);
	LLVMBuildRet(g->b, gen_i64(g, 0));
	gen_aside_end(g, &aside);
}
