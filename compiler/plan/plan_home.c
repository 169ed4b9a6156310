// SPDX-License-Identifier: GPL-2.0-or-later
// Space is given out like on a stack: what an expression needs is taken when it begins and given back when the
// expression that uses its value is done. The script's variables take theirs for the whole body, temporaries from where
// they are set to the end of that list of statements.
#include "compiler/plan/plan_home.h"

#include "compiler/plan/plan.h"

#define STACK_BUDGET 256 // of a chain of calls: LLVM needs the other half of the 512 bytes
#define WALKER_BUDGET 128 // the functions that bpf_loop calls share the 512 bytes with the program
#define FUNC_BUDGET 128 // of it for functions, so that their callers have some
#define OWN_STACK 128 // that is left to a function of its own
#define MAX_ON_STACK 128 // larger strings would push out all others

struct area {
	uint32_t top, size;
};

struct homes {
	const struct ir_unit *unit;
	struct ir_local *locals;
	struct area stack, scratch;
	uint32_t budget; // of the stack
	bool walks; // through strings (ir_walks_text, MATCH): they are all in scratch
	bool in_kernel;
	bool lean;
};

// May a string be computed where its consumer keeps it?
enum in_place { ELSEWHERE, HERE, HERE_WALKING };

struct mark {
	uint32_t stack, scratch;
};

static void place_stmts(struct homes *h, struct ir_stmt *list);
static void place_expr(struct homes *h, struct ir_expr *e, enum in_place in_place);

static uint32_t take_from(struct area *area, uint32_t size)
{
	uint32_t offset = area->top;

	area->top += size;
	area->size = SP_MAX(area->size, area->top);
	return offset;
}

static void take(struct homes *h, uint32_t size, struct ir_home *ret)
{
	size = SP_ALIGN_UP(size, 8);
	if (size <= MAX_ON_STACK && h->stack.top + size <= h->budget)
		*ret = (struct ir_home){ IR_HOME_STACK, take_from(&h->stack, size) };
	else
		*ret = (struct ir_home){ IR_HOME_SCRATCH, take_from(&h->scratch, size) };
}

static void take_string(struct homes *h, uint32_t size, struct ir_home *ret)
{
	if (h->walks)
		*ret = (struct ir_home){ IR_HOME_SCRATCH, take_from(&h->scratch, SP_ALIGN_UP(size, 8)) };
	else
		take(h, size, ret);
}

// The key of a scalar aggregate is a constant.
static void take_key(struct homes *h, uint32_t map, struct ir_home *ret)
{
	if (h->unit->maps.v[map].n_keys)
		take(h, h->unit->maps.v[map].key_size, ret);
}

// A list of numbers of which each is kept until the last is computed.
static void take_numbers(struct homes *h, unsigned n, struct ir_home *ret)
{
	if (h->lean && n)
		take(h, n * 8, ret);
}

static struct mark mark(const struct homes *h)
{
	return (struct mark){ h->stack.top, h->scratch.top };
}

static void give_back(struct homes *h, struct mark m)
{
	h->stack.top = m.stack;
	h->scratch.top = m.scratch;
}

// ---- may a value be computed where it is going to be kept? --------------------------------------

struct reads {
	enum ir_expr_op op; // IR_LOCAL or IR_GLOBAL
	uint32_t index;
	unsigned n;
	bool has_effects;
};

static void look(void *ctx, struct ir_expr *e)
{
	struct reads *r = ctx;

	if (e->op == r->op && e->index == r->index && e->type == IR_STR)
		r->n++;
	if (e->op == IR_CALL || e->op == IR_SEQ || e->op == IR_MAP_ADD || e->op == IR_GLOBAL_ADD ||
	    e->op == IR_MATCH || e->op == IR_EMBED || (e->op == IR_BUILTIN && e->index == BUILTIN_TOKENIZE))
		r->has_effects = true;
}

static struct reads look_for(struct ir_expr *e, enum ir_expr_op op, uint32_t index)
{
	struct reads r = { .op = op, .index = index };
	struct ir_visitor visitor = { .ctx = &r, .expr = look };

	ir_walk_expr(e, &visitor);
	return r;
}

// `s = s . x` only adds to what is there.
static bool appends(const struct ir_expr *value, enum ir_expr_op op, uint32_t index)
{
	if (value->op != IR_CONCAT)
		return false;
	while (value->op == IR_CONCAT)
		value = value->a;
	return value->op == op && value->index == index;
}

static bool fits_local(struct ir_expr *value, uint32_t local)
{
	return look_for(value, IR_LOCAL, local).n == appends(value, IR_LOCAL, local);
}

// What is called may read the variable, too.
static bool fits_global(struct ir_expr *value, uint32_t global)
{
	struct reads r = look_for(value, IR_GLOBAL, global);

	return r.n == appends(value, IR_GLOBAL, global) && !r.has_effects;
}

// Into a record goes last what is computed in it; what others change is computed in its turn.
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
	return e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD || e->op == IR_STAT_GET;
}

static void place_expr(struct homes *h, struct ir_expr *e, enum in_place in_place)
{
	struct mark m;

	if (!e)
		return;
	if (e->op == IR_SEQ) {
		place_stmts(h, e->stmts);
		place_expr(h, e->a, in_place);
		return;
	}
	if (ir_is_computed(e) && in_place < (ir_walks_text(e) ? HERE_WALKING : HERE)) {
		take_string(h, e->cap, &e->home);
		in_place = h->walks ? HERE_WALKING : HERE;
	}
	m = mark(h);
	if (ir_work_size(e))
		e->work_home = (struct ir_home){ IR_HOME_SCRATCH, take_from(&h->scratch, ir_work_size(e)) };
	if (has_key(e))
		take_key(h, e->index, &e->key_home);
	if (e->op == IR_SPRINTF)
		take_numbers(h, e->n_args, &e->key_home);
	for (unsigned i = 0; i < e->n_args; i++)
		place_expr(h, e->args[i], has_key(e) ? HERE : ELSEWHERE);
	place_expr(h, e->a, e->op == IR_CONCAT ? in_place : ELSEWHERE);
	place_expr(h, e->b, e->op == IR_COND ? in_place : ELSEWHERE);
	place_expr(h, e->c, e->op == IR_COND ? in_place : ELSEWHERE);
	give_back(h, m);
}

static void place_local(struct homes *h, uint32_t local)
{
	if (h->locals[local].type == IR_STR && h->locals[local].home.kind == IR_HOME_NONE)
		take_string(h, h->locals[local].cap, &h->locals[local].home);
}

static void share_local(struct homes *h, int32_t local)
{
	if (local >= 0 && h->locals[local].type == IR_LONG && h->locals[local].home.kind == IR_HOME_NONE)
		take(h, 8, &h->locals[local].home);
}

// ---- statements ---------------------------------------------------------------------------------

static void place_map_set(struct homes *h, struct ir_stmt *s)
{
	const struct ir_map *map = &h->unit->maps.v[s->index];

	take_key(h, s->index, &s->key_home);
	if (map->value_type == IR_STR)
		take(h, map->value_size, &s->home);
	for (unsigned i = 0; i < s->n_args; i++)
		place_expr(h, s->args[i], HERE);
	place_expr(h, s->a, HERE);
}

static void place_stmt(struct homes *h, struct ir_stmt *s)
{
	switch (s->op) {
	case IR_S_SET:
		place_expr(h, s->a, fits_local(s->a, s->index) ? HERE_WALKING : ELSEWHERE);
		break;
	case IR_S_GSET:
		place_expr(h, s->a, fits_global(s->a, s->index) ? HERE_WALKING : ELSEWHERE);
		break;
	case IR_S_MAP_SET:
		place_map_set(h, s);
		break;
	case IR_S_MAP_DEL:
	case IR_S_STAT_ADD:
	case IR_S_STAT_PRINT:
		take_key(h, s->index, &s->key_home);
		for (unsigned i = 0; i < s->n_args; i++)
			place_expr(h, s->args[i], HERE);
		place_expr(h, s->a, ELSEWHERE);
		break;
	case IR_S_EMIT:
		take_numbers(h, s->n_args, &s->key_home);
		for (unsigned i = 0; i < s->n_args; i++)
			place_expr(h, s->args[i], fits_record(s->args + i, s->n_args - i) ? HERE : ELSEWHERE);
		break;
	case IR_S_RETURN:
		place_expr(h, s->a, HERE);
		break;
	case IR_S_FOREACH:
		take_key(h, s->index, &s->key_home);
		if (h->unit->maps.v[s->index].kind != SP_MAP_STAT)
			take(h, h->unit->maps.v[s->index].value_size, &s->home);
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

static void place_nested(struct homes *h, struct ir_stmt *list)
{
	struct mark m = mark(h);

	place_stmts(h, list);
	give_back(h, m);
}

static void place_stmts(struct homes *h, struct ir_stmt *list)
{
	for (struct ir_stmt *s = list; s; s = s->next) {
		struct mark m, outer;
		if (s->op == IR_S_SET)
			place_local(h, s->index);
		for (unsigned i = 0; s->op == IR_S_FOREACH && i < h->unit->maps.v[s->index].n_keys;
		     i++)
			place_local(h, s->foreach.keys[i]);
		if (s->op == IR_S_FOREACH && s->foreach.value >= 0)
			place_local(h, (uint32_t)s->foreach.value);
		outer = mark(h);
		if (s->op == IR_S_FOREACH && h->in_kernel)
			take(h, plan_walk_size(&h->unit->maps.v[s->index], s->rows), &s->walk);
		m = mark(h);
		place_stmt(h, s);
		give_back(h, m);
		place_nested(h, s->then);
		place_nested(h, s->step);
		place_nested(h, s->otherwise);
		give_back(h, outer);
	}
}

static void place_body(struct homes *h, size_t first, size_t n, struct ir_stmt *body)
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

static void share_stmts(struct homes *h, struct ir_stmt *list, bool inside);

static void share_expr(struct homes *h, struct ir_expr *e, bool inside)
{
	if (!e)
		return;
	if (inside && e->op == IR_LOCAL)
		share_local(h, (int32_t)e->index);
	for (unsigned i = 0; i < e->n_args; i++)
		share_expr(h, e->args[i], inside);
	share_expr(h, e->a, inside);
	share_expr(h, e->b, inside);
	share_expr(h, e->c, inside);
	share_stmts(h, e->stmts, inside);
}

static bool is_callback(const struct ir_stmt *s)
{
	return s->op == IR_S_FOREACH || (s->op == IR_S_LOOP && s->form == IR_LOOP_CALL);
}

static void share_stmts(struct homes *h, struct ir_stmt *list, bool inside)
{
	for (struct ir_stmt *s = list; s; s = s->next) {
		bool below = inside || is_callback(s);

		if (inside && s->op == IR_S_SET)
			share_local(h, (int32_t)s->index);
		if (inside && s->op == IR_S_TRY)
			share_local(h, s->message);
		for (unsigned i = 0; s->op == IR_S_FOREACH && i < h->unit->maps.v[s->index].n_keys; i++)
			share_local(h, (int32_t)s->foreach.keys[i]);
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

static void note_callback(void *ctx, struct ir_stmt *s)
{
	bool *found = ctx;

	*found |= is_callback(s);
}

static bool has_callback(struct ir_stmt *body)
{
	bool found = false;
	struct ir_visitor visitor = { .ctx = &found, .stmt = note_callback };

	ir_walk_stmts(body, &visitor);
	return found;
}

// ---- programs and functions ---------------------------------------------------------------------

// What the deepest chain of callees needs.
struct chain {
	uint32_t stack, scratch;
	bool calls_back;
};

static struct chain deepest(const struct plan_callees *callees, const struct chain *chains)
{
	struct chain max = { 0 };

	for (size_t i = 0; i < callees->v.n; i++) {
		max.stack = SP_MAX(max.stack, chains[callees->v.v[i]].stack);
		max.scratch = SP_MAX(max.scratch, chains[callees->v.v[i]].scratch);
		max.calls_back |= chains[callees->v.v[i]].calls_back;
	}
	return max;
}

static uint32_t left(uint32_t budget, uint32_t used)
{
	return used < budget ? budget - used : 0;
}

struct walks {
	bool strings, tokens;
};

static void find_walk(void *ctx, struct ir_expr *e)
{
	struct walks *w = ctx;

	w->strings |= ir_walks_text(e) || e->op == IR_MATCH;
	w->tokens |= e->op == IR_BUILTIN && e->index == BUILTIN_TOKENIZE;
}

static bool body_walks(struct ir_unit *unit, struct ir_stmt *body)
{
	struct walks w = { 0 };
	struct ir_visitor visitor = { .ctx = &w, .expr = find_walk };

	ir_walk_stmts(body, &visitor);
	if (w.tokens)
		unit->tokens_size = (uint32_t)sizeof(uint64_t) + unit->max_string;
	return w.strings;
}

// Functions get strings of their callers, and give them some: of those, all walk or none does.
static void find_walkers(struct ir_unit *unit, const struct plan_calls *calls, bool *progs, bool *funcs)
{
	bool any_func = false;

	*funcs = false;
	for (size_t i = 0; i < unit->funcs.n; i++)
		any_func |= body_walks(unit, unit->funcs.v[i].body);
	for (size_t i = 0; i < unit->progs.n; i++) {
		bool calls_some = calls->progs[i].v.n;

		progs[i] = body_walks(unit, unit->progs.v[i].body) || (any_func && calls_some);
		*funcs |= progs[i] && calls_some;
	}
	for (size_t i = 0; i < unit->progs.n; i++)
		progs[i] |= *funcs && calls->progs[i].v.n;
}

static void forget_homes(struct ir_local *locals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		locals[i].home = (struct ir_home){ 0 };
}

void plan_home(struct ir_unit *unit, const struct plan_calls *calls)
{
	bool is_lean = false;
	bool *walkers = sp_calloc(unit->progs.n + 1, sizeof(*walkers)), funcs_walk;
	struct chain *chains = sp_calloc(unit->funcs.n + 1, sizeof(*chains)), below;
	uint32_t max = 0;

	find_walkers(unit, calls, walkers, &funcs_walk);
	sp_vec_each(prog, &unit->progs)
		is_lean |= prog->is_lean;
	for (size_t i = 0; i < unit->funcs.n; i++) {
		uint32_t index = calls->order[i];
		struct ir_func *f = &unit->funcs.v[index];
		struct homes h = { unit, f->locals.v, .in_kernel = f->in_kernel, .lean = is_lean };
		below = deepest(&calls->funcs[index], chains);
		h.budget = f->recurses || f->is_own_in_kernel || is_lean ? 0 : left(FUNC_BUDGET, below.stack);
		h.walks = funcs_walk;
		forget_homes(f->locals.v, f->locals.n);
		if (f->is_parted || (f->in_kernel && has_callback(f->body))) {
			h.budget = 0;
			f->calls_back = f->in_kernel;
			share_stmts(&h, f->body, f->is_parted || is_lean);
		} else if (is_lean) {
			share_stmts(&h, f->body, true);
		}
		place_body(&h, f->n_params, f->locals.n, f->body);
		f->stack_size = h.stack.size;
		f->scratch_size = h.scratch.size;
		f->calls_back |= below.calls_back;
		chains[index] = (struct chain){ below.stack + h.stack.size, below.scratch + h.scratch.size, f->calls_back };
		if (f->is_recursive && f->in_kernel) // has its frame elsewhere
			chains[index] = (struct chain){ .calls_back = true };
		if (f->is_own_in_kernel) {
			chains[index].stack += OWN_STACK;
			chains[index].scratch += plan_frame_head(f);
			chains[index].calls_back = true; // what it spends is in the state
		}
	}
	for (size_t i = 0; i < unit->progs.n; i++) {
		struct ir_prog *p = &unit->progs.v[i];
		struct homes h = { unit, p->locals.v, .in_kernel = p->in_kernel, .lean = p->is_lean };
		below = deepest(&calls->progs[i], chains);
		h.budget = p->is_lean ? 0 : left(walkers[i] ? WALKER_BUDGET : STACK_BUDGET, below.stack);
		h.walks = walkers[i];
		forget_homes(p->locals.v, p->locals.n);
		if (p->in_kernel && (below.calls_back || p->is_parted || has_callback(p->body))) {
			p->calls_back = true;
			take_from(&h.scratch, plan_state_size(unit, p));
		}
		if (p->keeps_match)
			take_from(&h.scratch, unit->match_size);
		if (p->is_parted || p->is_lean || (p->in_kernel && has_callback(p->body))) {
			h.budget = 0;
			share_stmts(&h, p->body, p->is_parted || p->is_lean);
		}
		place_body(&h, 0, p->locals.n, p->body);
		p->stack_size = h.stack.size;
		p->own_scratch_size = h.scratch.size;
		p->scratch_size = h.scratch.size + below.scratch;
		max = SP_MAX(max, p->scratch_size);
	}
	unit->scratch_size = max ? (uint32_t)sizeof(struct sp_scratch_head) + unit->tokens_size + max : 0;
	free(chains);
	free(walkers);
}
