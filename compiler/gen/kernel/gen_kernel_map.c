// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/kernel/gen_kernel_map.h"

#include "compiler/gen/core/gen_fail.h"
#include "compiler/gen/kernel/gen_kernel_def.h"
#include "compiler/gen/kernel/gen_kernel_state.h"
#include "compiler/gen/kernel/gen_order.h"
#include "compiler/gen/kernel/gen_split.h"
#include "compiler/gen/kernel/gen_syscall.h"
#include "compiler/gen/kernel/gen_thread.h"
#include "compiler/gen/text/gen_str.h"
#include "compiler/gen/text/gen_words.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/gen/value/gen_map.h"
#include "compiler/plan/plan_known.h"

#include <linux/bpf.h>

static LLVMValueRef known_of_site(struct gen *g, const struct plan_known *known, const struct ir_expr *e)
{
	const struct ir_prog *prog = g->fn->prog;
	uint32_t *numbers = sp_arena_array(g->arena, uint32_t, prog->n_sites);

	for (unsigned i = 0; i < prog->n_sites; i++)
		numbers[i] = plan_known_number(known, ir_site_text(g->unit, &g->unit->sites.v[prog->first_site + i],
								   (enum sp_site_text)e->what));
	return gen_site_value(g, numbers);
}

struct known_choice {
	const struct plan_known *known;
	const struct ir_expr *of[2];
};

static LLVMValueRef known_of_choice(struct gen *g, const void *ctx, int which)
{
	const struct known_choice *choice = ctx;

	return gen_kernel_map_known(g, choice->known, choice->of[which]);
}

LLVMValueRef gen_kernel_map_known(struct gen *g, const struct plan_known *known, const struct ir_expr *e)
{
	LLVMValueRef is_first;

	if (e->op == IR_LITERAL)
		return gen_i64(g, plan_known_number(known, e->text));
	if (e->op == IR_SITE)
		return known_of_site(g, known, e);
	if (e->b->op == IR_COND || e->c->op == IR_COND) // whose condition is looked at only where this one comes to it
		return gen_choose(g, e->a, known_of_choice, &(struct known_choice){ known, { e->b, e->c } });
	is_first = LLVMBuildNot(g->b, gen_is_zero(g, gen_long(g, e->a)), "");
	return LLVMBuildSelect(g->b, is_first, gen_kernel_map_known(g, known, e->b), gen_kernel_map_known(g, known, e->c), "");
}

// ---- elements that have a place of their own --------------------------------------------------------

static bool is_direct(const struct gen *g, uint32_t map)
{
	return g->plan->maps[map].is_direct;
}

static bool is_of_thread(const struct gen *g, uint32_t map)
{
	return g->plan->maps[map].is_of_thread;
}

// The verifier wants to see that a number which is not constant is one of them: there is a power of two of places.
static LLVMValueRef direct_place(struct gen *g, uint32_t map, struct ir_expr **args)
{
	const struct plan_map *plan = &g->plan->maps[map];
	LLVMValueRef number = gen_kernel_map_known(g, plan->known, args[0]);

	if (!LLVMIsConstant(number))
		number = LLVMBuildAnd(g->b, gen_forget(g, number), gen_i64(g, plan->n_places - 1), "");
	return gen_at_index(g, gen_data(g, plan->data_offset), LLVMBuildMul(g->b, number, gen_i64(g, sizeof(struct sp_direct)), ""));
}

static LLVMValueRef is_there(struct gen *g, LLVMValueRef element)
{
	return gen_at(g, element, offsetof(struct sp_direct, is_there));
}

static LLVMValueRef add_direct(struct gen *g, const struct ir_expr *e, LLVMValueRef *delta_ret)
{
	LLVMValueRef element = direct_place(g, e->map, e->args), delta = gen_long(g, e->a);

	gen_store(g, gen_i64(g, 1), is_there(g, element));
	*delta_ret = delta;
	return LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, element, delta, LLVMAtomicOrderingMonotonic, false);
}

static void set_direct(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef element = direct_place(g, s->map, s->args), value = gen_long(g, s->a);

	gen_store(g, gen_i64(g, 1), is_there(g, element));
	gen_store(g, value, element);
}

static void delete_direct(struct gen *g, const struct ir_stmt *s)
{
	LLVMValueRef element = direct_place(g, s->map, s->args);

	gen_store(g, gen_i64(g, 0), element);
	gen_store(g, gen_i64(g, 0), is_there(g, element));
}

// As a number
static LLVMValueRef address_of(struct gen *g, uint32_t map, LLVMValueRef key)
{
	if (g->plan->maps[map].is_split)
		return gen_split_lookup(g, map, key);
	return gen_call(g, GEN_MAP_LOOKUP, 2, gen_map_ref(g, map), key);
}

static LLVMValueRef lookup(struct gen *g, uint32_t map, LLVMValueRef key)
{
	return LLVMBuildIntToPtr(g->b, address_of(g, map, key), g->ptr, "");
}

// ---- elements that are kept ---------------------------------------------------------------------

// Who runs does not change within a handler, so its element is looked for once.
static bool keeps(struct gen *g, uint32_t map, struct ir_expr **args)
{
	return g->plan->maps[map].is_lasting && g->unit->maps.v[map].n_keys == 1 &&
	       args[0]->op == IR_BUILTIN && (args[0]->builtin == BUILTIN_TID || args[0]->builtin == BUILTIN_PID) &&
	       gen_kernel_state_keeps(g);
}

struct place {
	uint32_t map;
	LLVMValueRef key; // NULL: it is made where it is wanted, of
	struct ir_expr **args;
	struct plan_slot slot;
	LLVMValueRef kept; // NULL: the element is not kept
};

static struct place place_of(struct gen *g, uint32_t map, struct ir_expr **args, struct plan_slot slot)
{
	struct place p = { .map = map, .args = args, .slot = slot };

	if (keeps(g, map, args))
		p.kept = gen_kernel_state_kept(g, map, args[0]->builtin);
	else
		p.key = gen_map_key(g, map, args, slot);
	return p;
}

static LLVMValueRef key_of(struct gen *g, const struct place *p)
{
	return p->key ? p->key : gen_map_key(g, p->map, p->args, p->slot);
}

static LLVMValueRef look(struct gen *g, const struct place *p, LLVMValueRef key)
{
	LLVMValueRef element = lookup(g, p->map, key);

	if (p->kept)
		LLVMBuildStore(g->b, element, p->kept);
	return element;
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
	look(g, p, key_of(g, p));
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildLoad2(g->b, g->ptr, p->kept, "");
}

static LLVMValueRef find_element(struct gen *g, const struct ir_expr *e)
{
	struct place p = place_of(g, e->map, e->args, gen_plan(g, e)->key);

	return find(g, &p);
}

LLVMValueRef gen_kernel_map_kept(struct gen *g, const struct ir_expr *e)
{
	return keeps(g, e->map, e->args) ? find_element(g, e) : NULL;
}

// ---- reading ------------------------------------------------------------------------------------

LLVMValueRef gen_kernel_map_get(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef value = gen_variable(g), element;
	LLVMBasicBlockRef found, done;

	if (is_direct(g, e->map))
		return gen_load(g, direct_place(g, e->map, e->args));
	if (is_of_thread(g, e->map))
		return gen_thread_get(g, e->map);
	found = gen_block(g);
	done = gen_block(g);
	gen_store(g, gen_i64(g, 0), value);
	element = find_element(g, e);
	gen_branch(g, gen_is_zero(g, element), done, found);
	gen_enter(g, found);
	gen_store(g, gen_load(g, element), value);
	gen_goto(g, done);
	gen_enter(g, done);
	gen_release(g, mark);
	return gen_load(g, value);
}

void gen_kernel_map_get_str(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	const struct ir_map *map = &g->unit->maps.v[e->map];
	uint32_t mark = gen_mark(g);
	LLVMValueRef key = gen_map_key(g, e->map, e->args, gen_plan(g, e)->key), element;
	LLVMBasicBlockRef found = gen_block(g), absent = gen_block(g), done = gen_block(g);

	element = lookup(g, e->map, key);
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

LLVMValueRef gen_kernel_map_has(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef key, found;

	if (is_direct(g, e->map))
		return gen_load(g, is_there(g, direct_place(g, e->map, e->args)));
	if (is_of_thread(g, e->map))
		return gen_thread_has(g, e->map);
	key = gen_map_key(g, e->map, e->args, gen_plan(g, e)->key);
	// Not to be combined with other conditions: the verifier allows no arithmetic with it.
	found = gen_launder(g, address_of(g, e->map, key));
	gen_release(g, mark);
	return gen_bool(g, LLVMBuildNot(g->b, gen_is_zero(g, found), ""));
}

// ---- writing ------------------------------------------------------------------------------------

// The ways on which code comes to the place where the element is there.
struct ways {
	LLVMValueRef elements[3];
	LLVMBasicBlockRef from[3], there;
	unsigned n;
};

static void go_if_there(struct gen *g, struct ways *ways, LLVMValueRef element, LLVMBasicBlockRef otherwise)
{
	ways->elements[ways->n] = element;
	ways->from[ways->n++] = LLVMGetInsertBlock(g->b);
	gen_branch(g, gen_is_zero(g, element), otherwise, ways->there);
}

// A new element begins as `first`; without `wanted` (i1; NULL: always) code goes to `gone` instead. Another CPU may have made it before,
// or nobody can: looking again tells.
static LLVMValueRef find_or_make(struct gen *g, const struct place *p, LLVMValueRef first, LLVMValueRef wanted, uint32_t place,
				 LLVMBasicBlockRef gone)
{
	bool wraps = g->unit->maps.v[p->map].wraps;
	LLVMBasicBlockRef absent = gen_block(g), full = wraps ? gone : gen_block(g), unknown;
	struct ways ways = { .there = gen_block(g) };
	LLVMValueRef element, key;

	if (p->kept) {
		unknown = gen_block(g);
		go_if_there(g, &ways, LLVMBuildLoad2(g->b, g->ptr, p->kept, ""), unknown);
		gen_enter(g, unknown);
	}
	key = key_of(g, p);
	go_if_there(g, &ways, look(g, p, key), absent);
	gen_enter(g, absent);
	if (wanted) {
		absent = gen_block(g);
		gen_branch(g, wanted, absent, gone);
		gen_enter(g, absent);
	}
	if (wraps)
		gen_order_put(g, p->map, key, first);
	else if (g->plan->maps[p->map].is_split)
		gen_split_add(g, p->map, key, first);
	else
		gen_call(g, GEN_MAP_UPDATE, 4, gen_map_ref(g, p->map), key, first, gen_i64(g, BPF_NOEXIST));
	go_if_there(g, &ways, look(g, p, key), full);
	if (!wraps) {
		gen_enter(g, full);
		gen_fail(g, SP_RT_MAP_FULL, place, gen_i64(g, p->map));
		LLVMBuildUnreachable(g->b);
	}
	gen_enter(g, ways.there);
	element = LLVMBuildPhi(g->b, g->ptr, "");
	LLVMAddIncoming(element, ways.elements, ways.from, ways.n);
	return element;
}

static LLVMValueRef zeros(struct gen *g, uint32_t map)
{
	uint32_t size = g->unit->maps.v[map].value_size;

	return gen_constant(g, sp_arena_alloc(g->arena, size), size);
}

LLVMValueRef gen_kernel_map_element(struct gen *g, uint32_t map, LLVMValueRef key, uint32_t place, LLVMBasicBlockRef gone)
{
	struct place p = { .map = map, .key = key };
	LLVMBasicBlockRef there;
	LLVMValueRef element;

	if (g->unit->maps.v[map].n_keys)
		return find_or_make(g, &p, zeros(g, map), NULL, place, gone);
	there = gen_block(g); // the record of an aggregate without keys always is, which the verifier does not see
	element = lookup(g, map, key);
	gen_branch(g, gen_is_zero(g, element), gone, there);
	gen_enter(g, there);
	return element;
}

static LLVMValueRef add_to(struct gen *g, const struct ir_expr *e, const struct place *p, LLVMValueRef delta)
{
	bool wraps = g->unit->maps.v[e->map].wraps;
	LLVMBasicBlockRef gone = wraps ? gen_block(g) : NULL;
	LLVMValueRef element, kept = NULL, old;

	if (wraps && e->want != IR_WANT_NONE) {
		kept = gen_variable(g);
		gen_store(g, gen_i64(g, 0), kept);
	}
	element = find_or_make(g, p, zeros(g, e->map), NULL, e->place, gone);
	old = LLVMBuildAtomicRMW(g->b, LLVMAtomicRMWBinOpAdd, element, delta, LLVMAtomicOrderingMonotonic, false);
	if (!wraps)
		return old;
	if (kept)
		gen_store(g, old, kept);
	gen_goto(g, gone);
	gen_enter(g, gone);
	return kept ? gen_load(g, kept) : gen_i64(g, 0);
}

LLVMValueRef gen_kernel_map_add(struct gen *g, const struct ir_expr *e)
{
	uint32_t mark = gen_mark(g);
	LLVMValueRef delta, old;
	struct place p;

	if (is_direct(g, e->map)) {
		old = add_direct(g, e, &delta);
	} else if (is_of_thread(g, e->map)) {
		delta = gen_long(g, e->a);
		old = gen_thread_add(g, e->map, delta);
	} else {
		p = place_of(g, e->map, e->args, gen_plan(g, e)->key);
		delta = gen_long(g, e->a);
		old = add_to(g, e, &p, delta);
	}
	gen_release(g, mark);
	return e->want == IR_WANT_NEW ? LLVMBuildAdd(g->b, old, delta, "") : old;
}

// Numbers: cheaper than another element in its place.
static void store_number(struct gen *g, const struct ir_stmt *s, const struct place *p, LLVMValueRef value)
{
	LLVMValueRef number = gen_load(g, value);
	LLVMBasicBlockRef gone = gen_block(g);

	gen_store(g, number, find_or_make(g, p, value, NULL, s->place, gone));
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

void gen_kernel_map_set(struct gen *g, const struct ir_stmt *s)
{
	const struct ir_map *map = &g->unit->maps.v[s->map];
	LLVMValueRef value, result;
	struct place p;

	if (is_direct(g, s->map)) {
		set_direct(g, s);
		return;
	}
	if (is_of_thread(g, s->map)) {
		gen_thread_set(g, s->map, gen_long(g, s->a));
		return;
	}
	p = place_of(g, s->map, s->args, gen_plan_stmt(g, s)->key);
	value = gen_map_value(g, s);
	// Who holds the array's lock finds the element where it was a moment ago.
	if (g->plan->maps[s->map].is_split && (map->value_type == IR_STR || !g->plan->maps[s->map].is_lasting)) {
		gen_map_fail_if_full(g, gen_split_set(g, s->map, p.key, value), s->map, s->place);
	} else if (!map->wraps && !g->plan->maps[s->map].is_lasting && (!g->plan->maps[s->map].lock || map->value_type == IR_STR)) {
		result = gen_call(g, GEN_MAP_UPDATE, 4, gen_map_ref(g, s->map), p.key, value, gen_i64(g, BPF_ANY));
		gen_map_fail_if_full(g, result, s->map, s->place);
	} else if (map->value_type == IR_LONG) {
		store_number(g, s, &p, value);
	} else {
		replace_string(g, &p, value);
	}
}

static LLVMValueRef direct_extreme(struct gen *g, const struct plan_extreme *x, LLVMValueRef wanted)
{
	LLVMValueRef element = direct_place(g, x->most->map, x->most->args);
	LLVMBasicBlockRef is_wanted = gen_block(g), done = gen_block(g);

	gen_branch(g, wanted, is_wanted, done);
	gen_enter(g, is_wanted);
	gen_store(g, gen_i64(g, 1), is_there(g, element));
	gen_goto(g, done);
	gen_enter(g, done);
	return element;
}

// The key is the condition's, at the place of the statement's, which is free beside that of its value.
LLVMValueRef gen_kernel_map_place(struct gen *g, const struct plan_extreme *x, LLVMValueRef value, LLVMValueRef wanted,
				  LLVMBasicBlockRef none)
{
	const struct plan_stmt *slots = gen_plan_stmt(g, x->set);
	LLVMValueRef first = gen_slot(g, slots->value);
	struct place p;

	if (is_direct(g, x->most->map))
		return direct_extreme(g, x, wanted);
	p = place_of(g, x->most->map, x->most->args, slots->key);
	if (!first)
		first = gen_temp(g, 8);
	gen_store(g, value, first);
	return find_or_make(g, &p, first, wanted, x->set->place, none);
}

void gen_kernel_map_delete(struct gen *g, const struct ir_stmt *s)
{
	if (is_direct(g, s->map))
		delete_direct(g, s);
	else if (is_of_thread(g, s->map))
		gen_thread_delete(g, s->map);
	else
		gen_kernel_map_drop(g, s->map, gen_map_key(g, s->map, s->args, gen_plan_stmt(g, s)->key));
}

void gen_kernel_map_drop(struct gen *g, uint32_t map, LLVMValueRef key)
{
	if (g->unit->maps.v[map].wraps)
		gen_order_drop(g, map, key);
	else if (g->plan->maps[map].is_split)
		gen_split_delete(g, map, key);
	else
		gen_kernel_def_forget(g, map, key);
}
