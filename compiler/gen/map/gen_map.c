// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/map/gen_map.h"

#include "compiler/gen/core/gen_debug.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/core/gen_fn.h"
#include "compiler/gen/map/gen_order.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_words.h"
#include "runtime/abi/uservm.h"

#include <linux/bpf.h>
#include <stdio.h>

// ---- definitions --------------------------------------------------------------------------------

// A variable in section .maps, whose type says what map it is.
static LLVMValueRef define(struct gen *g, const struct gen_debug_map *map)
{
	unsigned members = gen_debug_map_members(map);
	LLVMTypeRef type = LLVMArrayType(g->ptr, members);
	LLVMValueRef global = LLVMAddGlobal(g->mod, type, map->name);

	LLVMSetInitializer(global, LLVMConstNull(type));
	LLVMSetAlignment(global, 8);
	LLVMSetSection(global, ".maps");
	gen_debug_map(g->debug, global, map);
	return global;
}

static unsigned map_type(const struct ir_map *map)
{
	if (map->kind == SP_MAP_STAT && !map->n_keys)
		return BPF_MAP_TYPE_PERCPU_ARRAY;
	if (map->kind == SP_MAP_STAT)
		return BPF_MAP_TYPE_PERCPU_HASH;
	return BPF_MAP_TYPE_HASH;
}

LLVMValueRef gen_map_ref(struct gen *g, uint32_t index)
{
	const struct ir_map *map = &g->unit->maps.v[index];
	const struct gen_debug_map members = {
		.name = map->name,
		.type = map_type(map),
		.max_entries = map->max_entries,
		.key_size = map->n_keys ? map->key_size : sizeof(uint32_t),
		.value_size = map->value_size,
	};
	char name[32];

	if (!g->maps[index] && g->engine == GEN_KERNEL) {
		g->maps[index] = define(g, &members);
		if (g->plan->maps[index].is_apart)
			gen_map_own(g, index);
	} else if (!g->maps[index]) { // as object_user_read wants it
		snprintf(name, sizeof(name), "spile_map_%u", index);
		g->maps[index] = LLVMAddGlobal(g->mod, g->i8, name);
	}
	return g->maps[index];
}

LLVMValueRef gen_map_beside(struct gen *g, const char *name, uint32_t index, unsigned type, uint32_t max_entries,
			    uint32_t key_size, uint32_t value_size)
{
	char unique[32];
	const struct gen_debug_map members = {
		.name = unique, .type = type, .max_entries = max_entries, .key_size = key_size, .value_size = value_size,
	};
	LLVMValueRef known;

	snprintf(unique, sizeof(unique), name, index);
	known = LLVMGetNamedGlobal(g->mod, unique);
	return known ? known : define(g, &members);
}

LLVMValueRef gen_map_own(struct gen *g, uint32_t index)
{
	const struct ir_map *map = &g->unit->maps.v[index];

	return gen_map_beside(g, SP_MAP_OWN, index, BPF_MAP_TYPE_HASH, map->max_entries, map->key_size, map->value_size);
}

LLVMValueRef gen_map_events(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_EVENTS,
		.type = BPF_MAP_TYPE_RINGBUF,
		.max_entries = g->unit->ring_size,
	};

	if (!g->events)
		g->events = define(g, &members);
	return g->events;
}

LLVMValueRef gen_map_scratch(struct gen *g)
{
	if (!g->scratch) // until its size is known
		g->scratch = LLVMAddGlobal(g->mod, g->i64, "");
	return g->scratch;
}

// The kernel's per-CPU arrays have small elements; their frames need no CPU's number.
void gen_map_define_scratch(struct gen *g)
{
	bool is_large = g->scratch_size > SP_SCRATCH_PERCPU;
	const struct gen_debug_map members = {
		.name = SP_MAP_SCRATCH,
		.type = is_large ? BPF_MAP_TYPE_ARRAY : BPF_MAP_TYPE_PERCPU_ARRAY,
		.max_entries = SP_SCRATCH_LEVELS,
		.key_size = sizeof(uint32_t),
		.value_size = (unsigned)g->scratch_size,
	};

	for (size_t i = 0; i < g->cpu_calls.n && !is_large; i++) {
		LLVMReplaceAllUsesWith(g->cpu_calls.v[i], gen_i64(g, 0));
		LLVMInstructionEraseFromParent(g->cpu_calls.v[i]);
	}
	sp_vec_deinit(&g->cpu_calls);
	if (!g->scratch)
		return;
	LLVMReplaceAllUsesWith(g->scratch, define(g, &members));
	LLVMDeleteGlobal(g->scratch);
	g->scratch = NULL;
}

LLVMValueRef gen_map_family(struct gen *g)
{
	const struct gen_debug_map members = {
		.name = SP_MAP_FAMILY,
		.type = BPF_MAP_TYPE_HASH,
		.max_entries = 1, // the runtime's concern
		.key_size = sizeof(uint32_t),
		.value_size = sizeof(uint64_t),
	};

	if (!g->family)
		g->family = define(g, &members);
	return g->family;
}

// ---- keys ---------------------------------------------------------------------------------------

// A string variable that is as large as its place can be used where it is.
static bool fits_as_is(struct gen *g, const struct ir_expr *e, uint32_t size)
{
	return (e->op == IR_LOCAL && g->frame->local_caps[e->index] == size) ||
	       (e->op == IR_GLOBAL && g->unit->globals.v[e->index].cap == size);
}

LLVMValueRef gen_map_key(struct gen *g, uint32_t index, struct ir_expr **args, struct plan_slot slot)
{
	static const char zeros[SP_STAT_KEY_SIZE];
	const struct ir_map *map = &g->unit->maps.v[index];
	LLVMValueRef key;

	if (!map->n_keys)
		return gen_constant(g, zeros, sizeof(zeros));
	if (map->n_keys == 1 && args[0]->type == IR_STR && fits_as_is(g, args[0], map->key_size))
		return gen_str_address(g, args[0]).ptr;
	key = gen_slot(g, slot);
	if (!key)
		key = gen_temp(g, map->key_size);
	for (unsigned i = 0; i < map->n_keys; i++) {
		LLVMValueRef part = gen_at(g, key, map->keys[i].offset);

		if (map->keys[i].type == IR_STR)
			gen_str_into(g, args[i], (struct gen_str){ part, map->keys[i].size }, true);
		else
			gen_store(g, gen_long(g, args[i]), part);
	}
	return key;
}

static LLVMValueRef lookup(struct gen *g, uint32_t map, LLVMValueRef key)
{
	LLVMValueRef found = gen_call(g, GEN_MAP_LOOKUP, 2, gen_map_ref(g, map), key);

	return LLVMBuildIntToPtr(g->b, found, g->ptr, "");
}

// ---- elements that are kept ---------------------------------------------------------------------

// Who runs does not change within a handler: its element is looked for once. Callbacks and outlined statements are functions of their own.
bool gen_map_keeps(struct gen *g, uint32_t map, struct ir_expr **args)
{
	return g->engine == GEN_KERNEL && g->plan->maps[map].is_lasting && g->unit->maps.v[map].n_keys == 1 &&
	       args[0]->op == IR_BUILTIN && (args[0]->index == BUILTIN_TID || args[0]->index == BUILTIN_PID) &&
	       !g->fn->callbacks && !g->fn->coroutine;
}

struct place {
	uint32_t map;
	LLVMValueRef key; // NULL: it is made where it is wanted, of
	struct ir_expr **args;
	struct plan_slot slot;
	LLVMValueRef kept; // NULL: the element is not kept
};

static LLVMValueRef kept_in(struct gen *g, uint32_t map, unsigned builtin)
{
	struct gen_kept new = { .map = map, .builtin = builtin };

	sp_vec_each(known, &g->fn->kept)
		if (known->map == map && known->builtin == builtin)
			return known->variable;
	new.variable = gen_pointer(g);
	sp_vec_push(&g->fn->kept, new);
	return new.variable;
}

static struct place place_of(struct gen *g, uint32_t map, struct ir_expr **args, struct plan_slot slot)
{
	struct place p = { .map = map, .args = args, .slot = slot };

	if (gen_map_keeps(g, map, args))
		p.kept = kept_in(g, map, args[0]->index);
	else
		p.key = gen_map_key(g, map, args, slot);
	return p;
}

static LLVMValueRef key_of(struct gen *g, const struct place *p)
{
	return p->key ? p->key : gen_map_key(g, p->map, p->args, p->slot);
}

static LLVMValueRef find(struct gen *g, const struct place *p)
{
	LLVMBasicBlockRef unknown, done;
	LLVMValueRef element;

	if (!p->kept)
		return lookup(g, p->map, p->key);
	unknown = gen_block(g);
	done = gen_block(g);
	element = LLVMBuildLoad2(g->b, g->ptr, p->kept, "");
	gen_branch(g, gen_is_zero(g, element), unknown, done);
	gen_enter(g, unknown);
	LLVMBuildStore(g->b, lookup(g, p->map, key_of(g, p)), p->kept);
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildLoad2(g->b, g->ptr, p->kept, "");
}

LLVMValueRef gen_map_find(struct gen *g, const struct ir_expr *e)
{
	struct place p = place_of(g, e->index, e->args, gen_plan(g, e)->key);

	return find(g, &p);
}

static LLVMValueRef map_index(struct gen *g, uint32_t map)
{
	return gen_i64(g, map);
}

// ---- reading ------------------------------------------------------------------------------------

LLVMValueRef gen_map_get(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef value, element;
	LLVMBasicBlockRef found, done;

	if (g->engine == GEN_USER) {
		LLVMValueRef key = gen_map_key(g, e->index, e->args, gen_plan(g, e)->key);

		element = gen_temp(g, 8);
		gen_call(g, SP_VM_MAP_GET, 3, gen_map_ref(g, e->index), key, element);
		gen_release(g, mark);
		return gen_load(g, element);
	}
	value = gen_variable(g);
	found = gen_block(g);
	done = gen_block(g);
	gen_store(g, gen_i64(g, 0), value);
	element = gen_map_find(g, e);
	gen_branch(g, gen_is_zero(g, element), done, found);
	gen_enter(g, found);
	gen_store(g, gen_load(g, element), value);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_release(g, mark);
	return gen_load(g, value);
}

void gen_map_get_str(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	const struct ir_map *map = &g->unit->maps.v[e->index];
	LLVMBasicBlockRef found, absent, done;
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = gen_map_key(g, e->index, e->args, gen_plan(g, e)->key), element;

	if (g->engine == GEN_USER) {
		struct gen_str value = { dst.ptr, map->value_size };

		if (dst.cap < map->value_size)
			value.ptr = gen_temp(g, map->value_size);
		gen_call(g, SP_VM_MAP_GET, 3, gen_map_ref(g, e->index), key, value.ptr);
		gen_str_copy(g, dst, value, true);
		if (value.ptr == dst.ptr)
			gen_words_zero(g, gen_at(g, dst.ptr, value.cap), dst.cap - value.cap);
		gen_release(g, mark);
		return;
	}
	found = gen_block(g);
	absent = gen_block(g);
	done = gen_block(g);
	element = lookup(g, e->index, key);
	gen_branch(g, gen_is_zero(g, element), absent, found);
	gen_enter(g, found);
	gen_str_copy(g, dst, (struct gen_str){ element, map->value_size }, true);
	gen_goto(g, done);
	gen_enter(g, absent);
	gen_words_zero(g, dst.ptr, dst.cap);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_release(g, mark);
}

LLVMValueRef gen_map_has(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = gen_map_key(g, e->index, e->args, gen_plan(g, e)->key), found;

	if (g->engine == GEN_USER)
		found = gen_call(g, SP_VM_MAP_HAS, 2, gen_map_ref(g, e->index), key);
	else // not to be combined with other conditions: the verifier allows no arithmetic with it
		found = gen_launder(g, gen_call(g, GEN_MAP_LOOKUP, 2, gen_map_ref(g, e->index), key));
	gen_release(g, mark);
	return gen_bool(g, LLVMBuildNot(g->b, gen_is_zero(g, found), ""));
}

// ---- writing ------------------------------------------------------------------------------------

// Kernels before 6.4 call the array's own function, which returns an int: the upper half is anything.
static LLVMValueRef is_error(struct gen *g, LLVMValueRef result)
{
	result = LLVMBuildTrunc(g->b, result, g->i32, "");
	return LLVMBuildICmp(g->b, LLVMIntSLT, result, LLVMConstNull(g->i32), "");
}

void gen_map_fail_if_full(struct gen *g, LLVMValueRef result, uint32_t map, uint32_t place)
{
	gen_fail_if(g, is_error(g, result), SP_RT_MAP_FULL, place, map_index(g, map));
}

static LLVMValueRef add_by_call(struct gen *g, const struct ir_expr *e, LLVMValueRef key,
				LLVMValueRef delta)
{
	LLVMValueRef place = e->want == IR_WANT_NONE ? NULL : gen_temp(g, 8), result;

	result = gen_call(g, SP_VM_MAP_ADD, 4, gen_map_ref(g, e->index), key, delta,
			  place ? place : gen_i64(g, 0));
	gen_map_fail_if_full(g, result, e->index, e->place);
	return place ? gen_load(g, place) : gen_i64(g, 0);
}

// A new element begins as `first`. Another CPU may have made it before, or nobody can: looking again tells.
static LLVMValueRef find_or_make(struct gen *g, const struct place *p, LLVMValueRef first, uint32_t place,
				 LLVMBasicBlockRef gone)
{
	bool wraps = g->unit->maps.v[p->map].wraps;
	LLVMBasicBlockRef absent = gen_block(g), full = wraps ? gone : gen_block(g), there = gen_block(g), from[2];
	LLVMValueRef elements[2], element, key;

	elements[0] = find(g, p);
	from[0] = LLVMGetInsertBlock(g->b);
	gen_branch(g, gen_is_zero(g, elements[0]), absent, there);
	gen_enter(g, absent);
	key = key_of(g, p);
	if (wraps)
		gen_order_put(g, p->map, key, first);
	else
		gen_call(g, GEN_MAP_UPDATE, 4, gen_map_ref(g, p->map), key, first, gen_i64(g, BPF_NOEXIST));
	elements[1] = lookup(g, p->map, key);
	if (p->kept)
		LLVMBuildStore(g->b, elements[1], p->kept);
	from[1] = LLVMGetInsertBlock(g->b);
	gen_branch(g, gen_is_zero(g, elements[1]), full, there);
	if (!wraps) {
		gen_enter(g, full);
		gen_fail(g, SP_RT_MAP_FULL, place, map_index(g, p->map));
		LLVMBuildUnreachable(g->b);
	}
	gen_enter(g, there);
	element = LLVMBuildPhi(g->b, g->ptr, "");
	LLVMAddIncoming(element, elements, from, 2);
	return element;
}

static LLVMValueRef zeros(struct gen *g, uint32_t map)
{
	uint32_t size = g->unit->maps.v[map].value_size;

	return gen_constant(g, sp_arena_alloc(g->arena, size), size);
}

LLVMValueRef gen_map_element(struct gen *g, uint32_t map, LLVMValueRef key, uint32_t place, LLVMBasicBlockRef gone)
{
	struct place p = { .map = map, .key = key };

	return find_or_make(g, &p, zeros(g, map), place, gone);
}

static LLVMValueRef add_in_kernel(struct gen *g, const struct ir_expr *e, const struct place *p, LLVMValueRef delta)
{
	bool wraps = g->unit->maps.v[e->index].wraps;
	LLVMBasicBlockRef gone = wraps ? gen_block(g) : NULL;
	LLVMValueRef element, kept = NULL, old;

	if (wraps && e->want != IR_WANT_NONE) {
		kept = gen_variable(g);
		gen_store(g, gen_i64(g, 0), kept);
	}
	element = find_or_make(g, p, zeros(g, e->index), e->place, gone);
	old = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, element, delta, LLVMAtomicOrderingMonotonic, false);
	if (!wraps)
		return old;
	if (kept)
		gen_store(g, old, kept);
	gen_goto(g, gone);
	gen_enter(g, gone);
	return kept ? gen_load(g, kept) : gen_i64(g, 0);
}

LLVMValueRef gen_map_add(struct gen *g, const struct ir_expr *e)
{
	LLVMValueRef delta, old;
	uint32_t mark = gen_mark(g);
	struct place p = place_of(g, e->index, e->args, gen_plan(g, e)->key);

	delta = gen_long(g, e->a);
	old = g->engine == GEN_USER ? add_by_call(g, e, p.key, delta) : add_in_kernel(g, e, &p, delta);
	gen_release(g, mark);
	return e->want == IR_WANT_NEW ? LLVMBuildAdd(g->b, old, delta, "") : old;
}

// Numbers: cheaper than another element in its place.
static void store_number(struct gen *g, const struct ir_stmt *s, const struct place *p, LLVMValueRef value)
{
	LLVMValueRef number = gen_load(g, value);
	LLVMBasicBlockRef gone = gen_block(g);

	gen_store(g, number, find_or_make(g, p, value, s->place, gone));
	gen_goto(g, gone);
	gen_enter(g, gone);
}

// Another string in the place of the old one, or a new element.
static void replace_string(struct gen *g, const struct place *p, LLVMValueRef value)
{
	LLVMBasicBlockRef absent = gen_block(g), there = gen_block(g), done = gen_block(g);

	gen_branch(g, gen_is_zero(g, find(g, p)), absent, there);
	gen_enter(g, absent);
	gen_order_put(g, p->map, p->key, value);
	gen_goto(g, done);
	gen_enter(g, there);
	gen_call(g, GEN_MAP_UPDATE, 4, gen_map_ref(g, p->map), p->key, value, gen_i64(g, BPF_EXIST));
	gen_goto(g, done);
	gen_enter(g, done);
}

void gen_map_set(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_map *map = &g->unit->maps.v[s->index];
	struct place p = place_of(g, s->index, s->args, gen_plan_stmt(g, s)->key);
	LLVMValueRef value, result;

	if (s->a->type == IR_STR && fits_as_is(g, s->a, map->value_size)) {
		value = gen_str_address(g, s->a).ptr;
	} else {
		value = gen_slot(g, gen_plan_stmt(g, s)->value);
		if (!value)
			value = gen_temp(g, map->value_size);
		if (map->value_type == IR_STR)
			gen_str_into(g, s->a, (struct gen_str){ value, map->value_size }, true);
		else
			gen_store(g, gen_long(g, s->a), value);
	}
	if (g->engine == GEN_KERNEL && (g->plan->maps[s->index].is_lasting || map->wraps)) {
		if (map->value_type == IR_LONG)
			store_number(g, s, &p, value);
		else
			replace_string(g, &p, value);
		return;
	}
	if (g->engine == GEN_USER)
		result = gen_call(g, SP_VM_MAP_SET, 3, gen_map_ref(g, s->index), p.key, value);
	else
		result = gen_call(g, GEN_MAP_UPDATE, 4, gen_map_ref(g, s->index), p.key, value, gen_i64(g, BPF_ANY));
	gen_map_fail_if_full(g, result, s->index, s->place);
}

void gen_map_delete(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef key = gen_map_key(g, s->index, s->args, gen_plan_stmt(g, s)->key);

	if (g->engine == GEN_USER)
		gen_call(g, SP_VM_MAP_DELETE, 2, gen_map_ref(g, s->index), key);
	else
		gen_map_drop(g, s->index, key);
}

void gen_map_drop(struct gen *g, uint32_t map, LLVMValueRef key)
{
	if (g->unit->maps.v[map].wraps)
		gen_order_drop(g, map, key);
	else
		gen_map_forget(g, map, key);
}

// The key may be the element's own, so that goes last.
void gen_map_forget(struct gen *g, uint32_t map, LLVMValueRef key)
{
	if (g->plan->maps[map].is_apart)
		gen_call(g, GEN_MAP_DELETE, 2, gen_map_own(g, map), key);
	gen_call(g, GEN_MAP_DELETE, 2, gen_map_ref(g, map), key);
}
