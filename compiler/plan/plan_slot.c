// SPDX-License-Identifier: GPL-2.0-or-later
// Space is given out as on a stack: an expression takes its slot when it begins, and gives it back when the expression that
// uses its value is done. The script's variables take theirs for the whole body, temporaries from where
// they are set to the end of that list of statements.
#include "compiler/plan/plan_slot.h"

#include "compiler/plan/plan_fail.h"

#define STACK_BUDGET 256 // of a chain of calls: LLVM needs the other half of the 512 bytes
#define WALKER_BUDGET 128 // the functions that bpf_loop calls share the 512 bytes with the program
#define FUNC_BUDGET 128 // the share of STACK_BUDGET that functions may use, so that some is left to their callers
#define OWN_STACK 128 // for a function that is called, not inlined
#define MAX_ON_STACK 128 // larger strings would push out all others

struct area {
	uint32_t top, size;
};

struct slots {
	const struct plan *plan;
	const struct ir_map *maps;
	const struct plan_layout *layout; // that is being made
	const struct ir_local *locals; // of the body
	struct plan_slot *local_slots;
	struct area stack, scratch;
	uint32_t budget; // of the stack
	unsigned tries; // around the statement that is looked at
	bool walks; // through strings (ir_walks_text, MATCH): they are all in scratch
	bool in_kernel;
	bool is_stackless;
};

// May a string be computed where its consumer keeps it?
enum in_place { ELSEWHERE, HERE, HERE_WALKING };

struct mark {
	uint32_t stack, scratch;
};

static void place_stmts(struct slots *h, const struct ir_stmt *list);
static void place_expr(struct slots *h, const struct ir_expr *e, enum in_place in_place);

static uint32_t take_from(struct area *area, uint32_t size)
{
	uint32_t offset = area->top;

	area->top += size;
	area->size = SP_MAX(area->size, area->top);
	return offset;
}

static void take(struct slots *h, uint32_t size, struct plan_slot *ret)
{
	size = SP_ALIGN_UP(size, 8);
	if (size <= MAX_ON_STACK && h->stack.top + size <= h->budget)
		*ret = (struct plan_slot){ PLAN_SLOT_STACK, take_from(&h->stack, size) };
	else
		*ret = (struct plan_slot){ PLAN_SLOT_SCRATCH, take_from(&h->scratch, size) };
}

static void take_string(struct slots *h, uint32_t size, struct plan_slot *ret)
{
	if (h->walks)
		*ret = (struct plan_slot){ PLAN_SLOT_SCRATCH, take_from(&h->scratch, SP_ALIGN_UP(size, 8)) };
	else
		take(h, size, ret);
}

// A scalar aggregate is a map of one element, whose key is a constant: it needs no slot.
static void take_key(struct slots *h, uint32_t map, struct plan_slot *ret)
{
	if (h->maps[map].n_keys)
		take(h, h->maps[map].key_size, ret);
}

// In a stackless program the numbers of a list have slots, too, in which each waits until the last one is computed.
static void take_numbers(struct slots *h, unsigned n, struct plan_slot *ret)
{
	if (h->is_stackless && n)
		take(h, n * 8, ret);
}

static struct mark mark(const struct slots *h)
{
	return (struct mark){ h->stack.top, h->scratch.top };
}

static void give_back(struct slots *h, struct mark m)
{
	h->stack.top = m.stack;
	h->scratch.top = m.scratch;
}

// ---- may a value be computed where it will be kept? ---------------------------------------------

struct reads {
	enum ir_expr_op op; // IR_LOCAL or IR_GLOBAL
	uint32_t index;
	unsigned n;
	bool has_effects;
};

static void look(void *ctx, const struct ir_expr *e)
{
	struct reads *r = ctx;

	if (e->op == r->op && e->index == r->index && e->type == IR_STR)
		r->n++;
	if (e->op == IR_CALL || e->op == IR_SEQ || e->op == IR_MAP_ADD || e->op == IR_GLOBAL_ADD ||
	    e->op == IR_MATCH || e->op == IR_EMBED || (e->op == IR_BUILTIN && builtin_info(e->builtin)->has_effect))
		r->has_effects = true;
}

static struct reads look_for(const struct ir_expr *e, enum ir_expr_op op, uint32_t index)
{
	struct reads r = { .op = op, .index = index };
	struct ir_visitor visitor = { .ctx = &r, .expr = look };

	ir_walk_expr(e, &visitor);
	return r;
}

// `s = s . x` only appends to s, so the result can be computed in s itself.
static bool appends(const struct ir_expr *value, enum ir_expr_op op, uint32_t index)
{
	if (value->op != IR_CONCAT)
		return false;
	while (value->op == IR_CONCAT)
		value = value->a;
	return value->op == op && value->index == index;
}

// What has failed on the way leaves the variable as it was, which who catches that can see.
static bool fits_local(const struct slots *h, const struct ir_expr *value, uint32_t local)
{
	bool is_seen = h->tries && h->locals[local].name[0] && plan_fail_may(h->plan, value);

	return look_for(value, IR_LOCAL, local).n == appends(value, IR_LOCAL, local) && !is_seen;
}

// A global may also be read by a function that the expression calls, and is there behind the handler.
static bool fits_global(const struct slots *h, const struct ir_expr *value, uint32_t global)
{
	struct reads r = look_for(value, IR_GLOBAL, global);

	return r.n == appends(value, IR_GLOBAL, global) && !r.has_effects && !plan_fail_may(h->plan, value);
}

// A string operand that is computed straight into its field of the record is computed behind all other operands. An operand that
// comes after it and has effects could change what it reads: then it must have a slot, and be computed in its turn.
static bool fits_record(struct ir_expr *const *values, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (look_for(values[i], IR_CONST, 0).has_effects)
			return false;
	return true;
}

// ---- expressions --------------------------------------------------------------------------------

static bool has_key(const struct ir_expr *e)
{
	return e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD || e->op == IR_STAT_GET ||
	       e->op == IR_STAT_TEXT;
}

static void place_expr(struct slots *h, const struct ir_expr *e, enum in_place in_place)
{
	struct plan_expr *p;
	struct mark m;

	if (!e)
		return;
	if (e->op == IR_SEQ) {
		place_stmts(h, e->stmts);
		place_expr(h, e->a, in_place);
		return;
	}
	p = &h->layout->exprs[e->id];
	if (ir_is_computed(e) && in_place < (ir_walks_text(e) ? HERE_WALKING : HERE)) {
		take_string(h, e->cap, &p->result);
		in_place = h->walks ? HERE_WALKING : HERE;
	}
	m = mark(h);
	if (ir_work_size(e))
		p->work = (struct plan_slot){ PLAN_SLOT_SCRATCH, take_from(&h->scratch, ir_work_size(e)) };
	if (has_key(e))
		take_key(h, e->map, &p->key);
	if (e->op == IR_SPRINTF)
		take_numbers(h, e->n_args, &p->key);
	for (unsigned i = 0; i < e->n_args; i++)
		place_expr(h, e->args[i], has_key(e) ? HERE : ELSEWHERE);
	place_expr(h, e->a, e->op == IR_CONCAT ? in_place : ELSEWHERE);
	place_expr(h, e->b, e->op == IR_COND ? in_place : ELSEWHERE);
	place_expr(h, e->c, e->op == IR_COND ? in_place : ELSEWHERE);
	give_back(h, m);
}

static void place_local(struct slots *h, uint32_t local)
{
	if (h->locals[local].type == IR_STR && h->local_slots[local].kind == PLAN_SLOT_NONE)
		take_string(h, h->locals[local].cap, &h->local_slots[local]);
}

static void share_local(struct slots *h, uint32_t local)
{
	if (local != IR_NO_LOCAL && h->locals[local].type == IR_LONG && h->local_slots[local].kind == PLAN_SLOT_NONE)
		take(h, 8, &h->local_slots[local]);
}

// ---- statements ---------------------------------------------------------------------------------

static void place_map_set(struct slots *h, const struct ir_stmt *s, struct plan_stmt *p)
{
	const struct ir_map *map = &h->maps[s->map];

	take_key(h, s->map, &p->key);
	if (map->value_type == IR_STR)
		take(h, map->value_size, &p->value);
	for (unsigned i = 0; i < s->n_args; i++)
		place_expr(h, s->args[i], HERE);
	place_expr(h, s->a, HERE);
}

// A string that is computed straight into the record is computed last, so its temporaries must not overlap the slots of other
// operands, which still hold their values.
static void place_emit(struct slots *h, const struct ir_stmt *s)
{
	for (int in_record = 0; in_record < 2; in_record++) {
		for (unsigned i = 0; i < s->n_args; i++) {
			bool fits = s->args[i]->type == IR_STR && !ir_walks_text(s->args[i]) &&
				    fits_record(s->args + i, s->n_args - i);

			if (fits == in_record)
				place_expr(h, s->args[i], fits ? HERE : ELSEWHERE);
		}
	}
}

static void place_stmt(struct slots *h, const struct ir_stmt *s)
{
	struct plan_stmt *p = &h->layout->stmts[s->id];

	switch (s->op) {
	case IR_S_SET:
		place_expr(h, s->a, fits_local(h, s->a, s->local) ? HERE_WALKING : ELSEWHERE);
		break;
	case IR_S_GSET:
		place_expr(h, s->a, fits_global(h, s->a, s->global) ? HERE_WALKING : ELSEWHERE);
		break;
	case IR_S_MAP_SET:
		place_map_set(h, s, p);
		break;
	case IR_S_MAP_DEL:
	case IR_S_STAT_ADD:
	case IR_S_STAT_PRINT:
		take_key(h, s->map, &p->key);
		for (unsigned i = 0; i < s->n_args; i++)
			place_expr(h, s->args[i], HERE);
		place_expr(h, s->a, ELSEWHERE);
		break;
	case IR_S_EMIT:
		take_numbers(h, s->n_args, &p->key);
		place_emit(h, s);
		break;
	case IR_S_RETURN:
		place_expr(h, s->a, HERE);
		break;
	case IR_S_FOREACH:
		take_key(h, s->map, &p->key);
		if (h->maps[s->map].kind != SP_MAP_STAT)
			take(h, h->maps[s->map].value_size, &p->value);
		place_expr(h, s->foreach.limit, ELSEWHERE);
		break;
	case IR_S_STORE:
	case IR_S_EVAL:
	case IR_S_IF:
	case IR_S_LOOP:
	case IR_S_FAIL:
		place_expr(h, s->a, ELSEWHERE);
		place_expr(h, s->b, ELSEWHERE);
		break;
	case IR_S_MAP_CLEAR:
	case IR_S_BREAK:
	case IR_S_CONTINUE:
	case IR_S_EXIT:
	case IR_S_ABORT:
	case IR_S_TRY:
		break;
	}
}

static void place_nested(struct slots *h, const struct ir_stmt *list)
{
	struct mark m = mark(h);

	place_stmts(h, list);
	give_back(h, m);
}

static void place_stmts(struct slots *h, const struct ir_stmt *list)
{
	for (const struct ir_stmt *s = list; s; s = s->next) {
		struct mark m, outer;
		if (s->op == IR_S_SET)
			place_local(h, s->local);
		for (unsigned i = 0; s->op == IR_S_FOREACH && i < h->maps[s->map].n_keys; i++)
			place_local(h, s->foreach.keys[i]);
		if (s->op == IR_S_FOREACH && s->foreach.value != IR_NO_LOCAL)
			place_local(h, s->foreach.value);
		outer = mark(h);
		if (s->op == IR_S_FOREACH && h->in_kernel)
			take(h, plan_walk_size(&h->maps[s->map], h->plan->codes[s->id].rows), &h->layout->stmts[s->id].walk);
		m = mark(h);
		place_stmt(h, s);
		give_back(h, m);
		h->tries += s->op == IR_S_TRY;
		place_nested(h, s->then);
		h->tries -= s->op == IR_S_TRY;
		place_nested(h, s->step);
		place_nested(h, s->otherwise);
		give_back(h, outer);
	}
}

static void place_body(struct slots *h, size_t first, size_t n, const struct ir_stmt *body)
{
	for (size_t i = first; i < n; i++)
		if (h->locals[i].name[0])
			place_local(h, (uint32_t)i);
	place_stmts(h, body);
}

// ---- callbacks ----------------------------------------------------------------------------------

// The body of a loop that is a callback is a function of its own. The variables that it touches must be in memory of which
// the verifier knows nothing: kernels before 6.7 look at a callback once, and would believe what they then know of the
// stack.

static void share_stmts(struct slots *h, const struct ir_stmt *list, bool inside);

static void share_expr(struct slots *h, const struct ir_expr *e, bool inside)
{
	if (!e)
		return;
	if (inside && e->op == IR_LOCAL)
		share_local(h, e->local);
	for (unsigned i = 0; i < e->n_args; i++)
		share_expr(h, e->args[i], inside);
	share_expr(h, e->a, inside);
	share_expr(h, e->b, inside);
	share_expr(h, e->c, inside);
	share_stmts(h, e->stmts, inside);
}

static void share_stmts(struct slots *h, const struct ir_stmt *list, bool inside)
{
	for (const struct ir_stmt *s = list; s; s = s->next) {
		bool below = inside || plan_is_callback(h->plan, s);

		if (inside && s->op == IR_S_SET)
			share_local(h, s->local);
		if (inside && s->op == IR_S_TRY)
			share_local(h, s->message);
		for (unsigned i = 0; s->op == IR_S_FOREACH && i < h->maps[s->map].n_keys; i++)
			share_local(h, s->foreach.keys[i]);
		if (s->op == IR_S_FOREACH)
			share_local(h, s->foreach.value);
		for (unsigned i = 0; i < s->n_args; i++)
			share_expr(h, s->args[i], inside);
		share_expr(h, s->a, s->op == IR_S_LOOP ? below : inside);
		share_expr(h, s->b, inside);
		share_stmts(h, s->then, below);
		share_stmts(h, s->otherwise, inside);
		share_stmts(h, s->step, below);
	}
}

// ---- which bodies go through strings ------------------------------------------------------------

struct walks {
	bool strings;
	uint32_t tokens; // the longest text that tokenize() takes apart, with NUL
};

static void find_walk(void *ctx, const struct ir_expr *e)
{
	struct walks *w = ctx;

	w->strings |= ir_walks_text(e) || e->op == IR_MATCH;
	if (e->op == IR_BUILTIN && e->builtin == BUILTIN_TOKENIZE)
		w->tokens = SP_MAX(w->tokens, e->args[0]->cap);
}

static bool body_walks(struct plan *plan, const struct ir_stmt *body)
{
	struct walks w = { 0 };
	struct ir_visitor visitor = { .ctx = &w, .expr = find_walk };

	ir_walk_stmts(body, &visitor);
	if (w.tokens)
		plan->tokens_size = SP_MAX(plan->tokens_size, (uint32_t)sizeof(uint64_t) + SP_MAX(w.tokens, plan->unit->max_string));
	return w.strings;
}

// Functions and their callers hand strings to each other. So where one function goes through strings byte by byte, the strings
// of all programs that call functions are in scratch.
static void find_walkers(struct plan *plan, const struct plan_calls *calls, bool *progs, bool *funcs)
{
	const struct ir_unit *unit = plan->unit;
	bool any_func = false;

	*funcs = false;
	for (size_t i = 0; i < unit->funcs.n; i++)
		any_func |= body_walks(plan, unit->funcs.v[i].body);
	for (size_t i = 0; i < unit->progs.n; i++) {
		bool calls_some = calls->progs[i].v.n;

		progs[i] = body_walks(plan, unit->progs.v[i].body) || (any_func && calls_some);
		*funcs |= progs[i] && calls_some;
	}
	for (size_t i = 0; i < unit->progs.n; i++)
		progs[i] |= *funcs && calls->progs[i].v.n;
}

// ---- programs and functions ---------------------------------------------------------------------

// Bytes of stack that the deepest chain of calls takes.
struct chain {
	uint32_t stack, scratch;
};

static struct chain deepest(const struct plan_callees *callees, const struct chain *chains)
{
	struct chain max = { 0 };

	for (size_t i = 0; i < callees->v.n; i++) {
		max.stack = SP_MAX(max.stack, chains[callees->v.v[i]].stack);
		max.scratch = SP_MAX(max.scratch, chains[callees->v.v[i]].scratch);
	}
	return max;
}

static uint32_t left(uint32_t budget, uint32_t used)
{
	return used < budget ? budget - used : 0;
}

static void set_frame(const struct slots *h, struct plan_frame *frame)
{
	frame->stack_size = h->stack.size;
	frame->scratch_size = h->scratch.size;
}

// Writes into the plan what callers have to know of the function.
static struct chain chain_of(const struct ir_func *func, const struct plan_func *p, const struct plan_frame *frame, struct chain below)
{
	struct chain chain = { below.stack + frame->stack_size, below.scratch + frame->scratch_size };

	if (p->is_recursive && p->in_kernel) // its frames lie behind the program's scratch part
		chain = (struct chain){ 0 };
	if (p->is_called_in_kernel) {
		chain.stack += OWN_STACK;
		chain.scratch += plan_frame_head(func);
	}
	return chain;
}

static void place_func(const struct plan *plan, const struct plan_layout *layout, uint32_t index, struct chain below, bool walks)
{
	const struct ir_func *f = &plan->unit->funcs.v[index];
	const struct plan_func *p = &plan->funcs[index];
	bool is_stackless = layout == &plan->layouts[true];
	bool has_callback = p->has_outlined || (p->in_kernel && plan_has_callback(plan, f->body));
	struct slots h = {
		.plan = plan,
		.maps = plan->unit->maps.v,
		.layout = layout,
		.locals = f->locals.v,
		.local_slots = layout->funcs[index].locals,
		.walks = walks,
		.in_kernel = p->in_kernel,
		.is_stackless = is_stackless,
	};

	if (!p->recurses && !p->is_called_in_kernel && !has_callback && !is_stackless)
		h.budget = left(FUNC_BUDGET, below.stack);
	if (has_callback || is_stackless)
		share_stmts(&h, f->body, p->has_outlined || is_stackless);
	place_body(&h, f->n_params, f->locals.n, f->body);
	set_frame(&h, &layout->funcs[index]);
}

static void place_prog(const struct plan *plan, uint32_t index, struct chain below, bool walks)
{
	const struct ir_prog *prog = &plan->unit->progs.v[index];
	struct plan_prog *p = &plan->progs[index];
	const struct plan_layout *layout = plan_layout(plan, index);
	bool has_callback = p->has_outlined || (p->in_kernel && plan_has_callback(plan, prog->body));
	struct slots h = {
		.plan = plan,
		.maps = plan->unit->maps.v,
		.layout = layout,
		.locals = prog->locals.v,
		.local_slots = layout->progs[index].locals,
		.walks = walks,
		.in_kernel = p->in_kernel,
		.is_stackless = p->is_stackless,
	};

	take_from(&h.scratch, p->calls_back ? plan_state_size(plan, p) : 0);
	take_from(&h.scratch, p->keeps_match ? plan->match_size : 0);
	if (!has_callback && !p->is_stackless)
		h.budget = left(walks ? WALKER_BUDGET : STACK_BUDGET, below.stack);
	if (has_callback || p->is_stackless)
		share_stmts(&h, prog->body, p->has_outlined || p->is_stackless);
	place_body(&h, 0, prog->locals.n, prog->body);
	set_frame(&h, &layout->progs[index]);
	p->scratch_size = h.scratch.size + below.scratch;
}

static bool is_used(const struct plan *plan, bool stackless)
{
	for (size_t i = 0; i < plan->unit->progs.n; i++)
		if (plan->progs[i].is_stackless == stackless)
			return true;
	return !stackless; // a unit without programs: its functions get the slots of the usual layout
}

static void allocate_frames(struct plan *plan, struct plan_layout *layout)
{
	const struct ir_unit *unit = plan->unit;

	layout->exprs = sp_arena_array(&plan->arena, struct plan_expr, unit->n_exprs);
	layout->stmts = sp_arena_array(&plan->arena, struct plan_stmt, unit->n_stmts);
	layout->funcs = sp_arena_array(&plan->arena, struct plan_frame, unit->funcs.n);
	layout->progs = sp_arena_array(&plan->arena, struct plan_frame, unit->progs.n);
	for (size_t i = 0; i < unit->funcs.n; i++)
		layout->funcs[i].locals = sp_arena_array(&plan->arena, struct plan_slot, unit->funcs.v[i].locals.n);
	for (size_t i = 0; i < unit->progs.n; i++)
		layout->progs[i].locals = sp_arena_array(&plan->arena, struct plan_slot, unit->progs.v[i].locals.n);
}

// Of what recursive functions call: its frames are at the end of the program's scratch part, whoever calls the recursive function.
static struct chain beside_recursion(const struct plan *plan, const struct chain *chains)
{
	struct chain max = { 0 };

	for (size_t i = 0; i < plan->unit->funcs.n; i++) {
		if (!plan->funcs[i].is_beside_recursion)
			continue;
		max.stack = SP_MAX(max.stack, chains[i].stack);
		max.scratch = SP_MAX(max.scratch, chains[i].scratch);
	}
	return max;
}

static void lay_out(struct plan *plan, const struct plan_calls *calls, const bool *walkers, bool funcs_walk, bool stackless)
{
	struct plan_layout *layout = &plan->layouts[stackless];
	struct chain *chains = sp_calloc(calls->n_funcs + 1, sizeof(*chains)), beside;

	allocate_frames(plan, layout);
	for (size_t i = 0; i < calls->n_funcs; i++) {
		uint32_t index = calls->order[i];
		struct chain below = deepest(&calls->funcs[index], chains);

		place_func(plan, layout, index, below, funcs_walk);
		chains[index] = chain_of(&plan->unit->funcs.v[index], &plan->funcs[index], &layout->funcs[index], below);
		layout->funcs[index].whole_size = chains[index].scratch;
	}
	beside = beside_recursion(plan, chains);
	for (uint32_t i = 0; i < calls->n_progs; i++) {
		struct chain below = deepest(&calls->progs[i], chains);

		if (plan->progs[i].is_stackless != stackless)
			continue;
		below.stack += plan->progs[i].recurses ? beside.stack : 0;
		below.scratch += plan->progs[i].recurses ? beside.scratch : 0;
		place_prog(plan, i, below, walkers[i]);
	}
	free(chains);
}

void plan_slots(struct plan *plan, const struct plan_calls *calls)
{
	bool *walkers = sp_calloc(calls->n_progs + 1, sizeof(*walkers)), funcs_walk;
	uint32_t most = 0;

	find_walkers(plan, calls, walkers, &funcs_walk);
	for (int stackless = 0; stackless < 2; stackless++)
		if (is_used(plan, stackless))
			lay_out(plan, calls, walkers, funcs_walk, stackless);
	for (size_t i = 0; i < calls->n_progs; i++)
		most = SP_MAX(most, plan->progs[i].scratch_size);
	plan->scratch_size = most ? (uint32_t)sizeof(struct sp_scratch_head) + plan->tokens_size + most : 0;
	free(walkers);
}
