// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_rest.h"

#include "compiler/ir/ir_clone.h"
#include "compiler/lower/lower_capture.h"
#include "compiler/lower/lower_local.h"

// ---- what rests change ------------------------------------------------------------------------------------------------

struct change_search {
	struct changed *changed;
	const struct ir_unit *unit;
	bool *seen; // by function
	bool is_new; // something is that was not known to change
};

static void note(struct change_search *c, bool *flag)
{
	c->is_new |= !*flag;
	*flag = c->changed->any = true;
}

static void note_stmt(void *ctx, const struct ir_stmt *s)
{
	struct change_search *c = ctx;

	if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR || s->op == IR_S_STAT_ADD)
		note(c, &c->changed->maps[s->map]);
	else if (s->op == IR_S_GSET)
		note(c, &c->changed->globals[s->global]);
}

static void note_expr(void *ctx, const struct ir_expr *e)
{
	struct change_search *c = ctx;
	const struct ir_visitor visitor = { .ctx = c, .expr = note_expr, .stmt = note_stmt };

	if (e->op == IR_MAP_ADD)
		note(c, &c->changed->maps[e->map]);
	else if (e->op == IR_GLOBAL_ADD)
		note(c, &c->changed->globals[e->global]);
	for (unsigned i = 0; e->op == IR_EMBED && i < e->n_args; i++)
		if (e->args[i]->op == IR_GLOBAL && c->unit->embeds.v[e->embed].args[i].writes)
			note(c, &c->changed->globals[e->args[i]->global]);
	if (e->op != IR_CALL || c->seen[e->func])
		return;
	c->seen[e->func] = true;
	ir_walk_stmts(c->unit->funcs.v[e->func].body, &visitor);
}

// ---- where a handler is cut -----------------------------------------------------------------------------------------

struct touch_search {
	const struct changed *changed;
	const struct ir_unit *unit;
	bool *seen; // by function
	bool skips_additions; // these come to the same in any order
	uint32_t place; // of the statement that is looked at
	const char *name; // of the first that is touched; NULL: none is
	uint32_t name_place;
};

static void touch(struct touch_search *t, const char *name, uint32_t place)
{
	if (t->name)
		return;
	t->name = name;
	t->name_place = place == IR_NO_PLACE ? t->place : place;
}

static void touch_map(struct touch_search *t, unsigned has, uint32_t map, uint32_t place)
{
	if (has & IR_HAS_MAP && t->changed->maps[map] && !t->unit->maps.v[map].is_private)
		touch(t, t->unit->maps.v[map].label, place);
}

static void touch_stmt(void *ctx, const struct ir_stmt *s)
{
	struct touch_search *t = ctx;

	t->place = s->place == IR_NO_PLACE ? t->place : s->place;
	if (s->op != IR_S_STAT_ADD || !t->skips_additions)
		touch_map(t, ir_stmt_op_has(s->op), s->map, s->place);
	if (s->op == IR_S_GSET && t->changed->globals[s->global])
		touch(t, t->unit->globals.v[s->global].name, s->place);
}

static void touch_expr(void *ctx, const struct ir_expr *e)
{
	struct touch_search *t = ctx;
	const struct ir_visitor visitor = { .ctx = t, .expr = touch_expr, .stmt = touch_stmt };
	bool is_addition = (e->op == IR_GLOBAL_ADD || e->op == IR_MAP_ADD) && e->want == IR_WANT_NONE;

	if (!is_addition || !t->skips_additions) {
		touch_map(t, ir_expr_op_has(e->op), e->map, e->place);
		if ((e->op == IR_GLOBAL || e->op == IR_GLOBAL_ADD) && t->changed->globals[e->global])
			touch(t, t->unit->globals.v[e->global].name, e->place);
	}
	if (e->op != IR_CALL || t->seen[e->func])
		return;
	t->seen[e->func] = true;
	ir_walk_stmts(t->unit->funcs.v[e->func].body, &visitor);
}

static void find_large_expr(void *ctx, const struct ir_expr *e)
{
	*(bool *)ctx |= e->op == IR_CALL || e->type == IR_STR;
}

static void find_large_stmt(void *ctx, const struct ir_stmt *s)
{
	*(bool *)ctx |= s->op == IR_S_FOREACH || s->op == IR_S_LOOP;
}

struct place {
	struct facts *facts;
	uint8_t any; // the rest begins with the first statement that does any of these
	bool is_outside; // or has calls, loops or texts, which make the handler too large for the kernel; what was kept at the entry is taken first
	const struct changed *changed; // or comes to what rests change; NULL: that does not matter
};

static void walk(struct ir_stmt *s, const struct ir_expr *e, const struct ir_visitor *visitor)
{
	if (s)
		ir_walk_stmts(s, visitor);
	ir_walk_expr(e, visitor);
}

// Is the statement, without those behind it, or the expression one for the rest?
static bool is_for_rest(const struct place *p, struct ir_stmt *s, const struct ir_expr *e)
{
	struct touch_search t = { .changed = p->changed, .unit = p->facts->unit };
	struct ir_stmt *next = s ? s->next : NULL;
	bool is_large = false, takes_kept = s && s->op == IR_S_SET && s->a->op == IR_MAP_GET && t.unit->maps.v[s->a->map].is_private;

	if ((s ? facts_of_stmt(p->facts, s) : facts_of_expr(p->facts, e)) & p->any)
		return true;
	t.seen = sp_calloc(t.unit->funcs.n + 1, sizeof(*t.seen));
	if (s)
		s->next = NULL;
	if (p->changed)
		walk(s, e, &(struct ir_visitor){ .ctx = &t, .expr = touch_expr, .stmt = touch_stmt });
	if (p->is_outside && !takes_kept)
		walk(s, e, &(struct ir_visitor){ .ctx = &is_large, .expr = find_large_expr, .stmt = find_large_stmt });
	if (s)
		s->next = next;
	free(t.seen);
	return t.name || is_large;
}

// In a branch when nothing comes behind that.
static struct ir_stmt **first_with(const struct place *p, struct ir_stmt **list)
{
	while (*list && !is_for_rest(p, *list, NULL))
		list = &(*list)->next;
	if (*list && (*list)->op == IR_S_IF && !(*list)->otherwise && !(*list)->next && !is_for_rest(p, NULL, (*list)->a))
		return first_with(p, &(*list)->then);
	return list;
}

static bool *cuts_late(const struct facts *facts, const struct changed *changed, const struct ir_prog *prog)
{
	return &changed->cuts_late[prog - facts->unit->progs.v];
}

// What was found when code was made of it; NULL: nothing.
static const char *found_late(const struct lower *l, const struct ir_prog *prog)
{
	size_t index = (size_t)(prog - l->unit->progs.v);

	return index < l->opts->n_outside ? l->opts->outside[index] : NULL;
}

// A handler that reads or sets what rests change.
static struct ir_cause change_cause(const struct lower *l, const struct changed *changed, const struct ir_prog *prog)
{
	struct touch_search t = { .changed = changed, .unit = l->unit, .skips_additions = true, .place = prog->place };
	const struct ir_visitor visitor = { .ctx = &t, .expr = touch_expr, .stmt = touch_stmt };

	t.seen = sp_calloc(t.unit->funcs.n + 1, sizeof(*t.seen));
	ir_walk_stmts(prog->body, &visitor);
	free(t.seen);
	if (!t.name)
		return (struct ir_cause){ 0 };
	return (struct ir_cause){ sp_arena_printf(&l->unit->arena, "the rest of a handler changes '%s', which this one comes to", t.name),
				  t.name_place };
}

// Why the handler leaves the kernel, whoever found it: the one place that decides. `what` NULL: it does not.
static struct ir_cause cause_of(const struct lower *l, struct facts *facts, const struct changed *changed, const struct ir_prog *prog)
{
	if (!prog->in_kernel)
		return (struct ir_cause){ 0 };
	if (found_late(l, prog))
		return (struct ir_cause){ found_late(l, prog), prog->place };
	if (facts_of(facts, prog->body) & FACT_RUNTIME)
		return facts_runtime_cause(facts, prog->body);
	if (!changed->any || *cuts_late(facts, changed, prog))
		return (struct ir_cause){ 0 };
	return change_cause(l, changed, prog);
}

// Where the rest of a handler begins: before the first statement that only the runtime can do. What rests change, they change and
// read in the order of events: so what comes to that is in the rest, too. What goes on with a search begins with that.
static struct ir_stmt **cut_place(const struct lower *l, struct facts *facts, const struct changed *changed, struct ir_prog *prog)
{
	struct place p = { facts, FACT_RUNTIME, found_late(l, prog), *cuts_late(facts, changed, prog) ? NULL : changed };
	struct ir_stmt **place = first_with(&p, &prog->body);

	if (!(facts_of(facts, *place) & FACT_RESUMES))
		return place;
	p.any |= FACT_LEAVES;
	return first_with(&p, &prog->body);
}

// Before any handler is cut. A rest that begins earlier changes more, before which others have to begin.
static void find_changed(struct lower *l, struct facts *facts, struct changed *changed)
{
	struct change_search search = { .changed = changed, .unit = l->unit, .is_new = true };
	const struct ir_visitor visitor = { .ctx = &search, .expr = note_expr, .stmt = note_stmt };

	search.seen = sp_calloc(l->unit->funcs.n + 1, sizeof(*search.seen));
	changed->any = false;
	memset(changed->maps, 0, l->unit->maps.n * sizeof(*changed->maps));
	memset(changed->globals, 0, l->unit->globals.n * sizeof(*changed->globals));
	while (search.is_new) {
		search.is_new = false;
		sp_vec_each(prog, &l->unit->progs)
			if (cause_of(l, facts, changed, prog).what)
				ir_walk_stmts(*cut_place(l, facts, changed, prog), &visitor);
	}
	free(search.seen);
}

// ---- the rest -----------------------------------------------------------------------------------------------------------

static bool is_kept_at_entry(const struct cut *c, unsigned has, uint32_t map)
{
	return has & IR_HAS_MAP && c->unit->maps.v[map].is_private;
}

static void cut_list(struct cut *c, struct ir_stmt *list);
static void cut_expr(struct cut *c, struct ir_expr **place);

static void lose(struct cut *c, const char *what, uint32_t place)
{
	if (!c->loss.what)
		c->loss = (struct ir_cause){ what, place };
}

// What nobody but the handler in the kernel has, and what cannot be put into the record beforehand.
static void look_for_loss(struct cut *c, const struct ir_expr *e)
{
	if (e->op == IR_CTX || e->op == IR_REG)
		lose(c, "it computes which part of the event it reads", e->place);
	else if (is_kept_at_entry(c, ir_expr_op_has(e->op), e->map))
		lose(c, "what it kept at the function's entry would be another call's by then", e->place);
	else if (e->op == IR_BUILTIN && facts_of_builtin(e->builtin) & FACT_KERNEL)
		lose(c, "it sends a signal", e->place);
	else if (e->op == IR_BUILTIN && facts_of_builtin(e->builtin) & FACT_CONTEXT && !ir_is_stack(e))
		lose(c, "it computes what it asks of the current thread", e->place);
}

static void note_value(void *ctx, const struct ir_stmt *s)
{
	struct cut *c = ctx;

	if (s->op == IR_S_SET && c->sets[s->local] == 1 && c->locals[s->local].name[0] == '\0' && capture_is_possible(c, s->a))
		c->values[s->local] = c->is_trial ? s->a : ir_clone_expr(c->unit, s->a);
}

// A body begins: the rest, or a function of it.
static void look_at_locals(struct cut *c, const struct ir_stmt *body, const struct ir_local *locals, size_t n)
{
	const struct ir_visitor visitor = { .ctx = c, .stmt = note_value };

	c->body = body;
	c->locals = locals;
	c->n_locals = n;
	c->sets = sp_calloc(n + 1, sizeof(*c->sets));
	c->values = sp_calloc(n + 1, sizeof(struct ir_expr *));
	lower_local_count(c->unit, body, c->sets, NULL);
	ir_walk_stmts(body, &visitor);
}

// What is read at the address in a temporary has become a part of the record: when nobody reads the temporary any more, it is not
// computed.
static void cut_temporaries(struct cut *c, size_t from)
{
	uint32_t *reads = sp_calloc(c->n_locals + 1, sizeof(*reads));
	bool more = true;

	while (more) {
		more = false;
		memset(reads, 0, c->n_locals * sizeof(*reads));
		lower_local_count(c->unit, c->body, NULL, reads);
		for (size_t i = from; i < c->waiting.n; i++) {
			struct ir_stmt *set = c->waiting.v[i];

			if (!set || !reads[set->local])
				continue;
			c->waiting.v[i] = NULL;
			cut_expr(c, &set->a);
			more = true;
		}
	}
	for (size_t i = from; i < c->waiting.n; i++)
		if (c->waiting.v[i] && !c->is_trial)
			c->waiting.v[i]->a = lower_zero(c->l, c->locals[c->waiting.v[i]->local].type);
	c->waiting.n = from;
	free(reads);
}

static void cut_body(struct cut *c, struct ir_stmt *body, const struct ir_local *locals, size_t n)
{
	const struct cut outer = *c;
	size_t from = c->waiting.n;

	look_at_locals(c, body, locals, n);
	cut_list(c, body);
	cut_temporaries(c, from);
	free(c->sets);
	free(c->values);
	c->body = outer.body;
	c->locals = outer.locals;
	c->n_locals = outer.n_locals;
	c->sets = outer.sets;
	c->values = outer.values;
}

static void cut_func(struct cut *c, struct ir_stmt *body, uint32_t func)
{
	const struct ir_func *f = &c->unit->funcs.v[func];
	bool outer = c->in_func;

	c->in_func = true;
	cut_body(c, body, f->locals.v, f->locals.n);
	c->in_func = outer;
}

// A function that reads something of the event has a copy for this rest, which reads it in the record.
static void cut_call(struct cut *c, struct ir_expr *e)
{
	struct ir_func *copy;
	uint32_t func = e->func;

	if (!(facts_of_func(c->facts, func) & (FACT_CONTEXT | FACT_EVENT | FACT_STATE)))
		return;
	if (!c->copies[func] && c->is_trial) {
		c->copies[func] = 1;
		cut_func(c, c->unit->funcs.v[func].body, func);
	} else if (!c->copies[func]) {
		const struct ir_func of = c->unit->funcs.v[func];

		copy = ir_func_new(c->unit, of.name, of.type, of.cap);
		c->copies[func] = (uint32_t)c->unit->funcs.n;
		copy->n_params = of.n_params;
		copy->place = of.place;
		sp_vec_each(local, &of.locals)
			sp_vec_push(&copy->locals, *local);
		copy->body = ir_clone(c->unit, of.body);
		cut_func(c, copy->body, func);
	}
	e->func = c->is_trial ? func : c->copies[func] - 1;
}

// A function that reads memory at addresses which it computes is run at the event, as long as the kernel can: the memory may be another
// one later. Others are cheaper outside.
static bool is_better_whole(struct cut *c, uint32_t func)
{
	struct cut trial = *c;

	if (c->whole[func] != WHOLE_UNKNOWN)
		return c->whole[func] == WHOLE_YES;
	c->whole[func] = WHOLE_NO; // what a recursion sees
	trial.is_trial = true;
	trial.reads_late = false;
	trial.loss = (struct ir_cause){ 0 };
	memset(&trial.waiting, 0, sizeof(trial.waiting));
	trial.copies = sp_calloc(c->n_funcs + 1, sizeof(*trial.copies));
	cut_func(&trial, c->unit->funcs.v[func].body, func);
	free(trial.copies);
	sp_vec_deinit(&trial.waiting);
	c->whole[func] = trial.reads_late || trial.loss.what ? WHOLE_YES : WHOLE_NO;
	return c->whole[func] == WHOLE_YES;
}

static void cut_expr(struct cut *c, struct ir_expr **place)
{
	struct ir_expr *e = *place;

	if (!e)
		return;
	if (e->op == IR_LOADMEM)
		cut_expr(c, &e->b);
	if (capture_is_of_event(c, e) && capture_is_possible(c, e) && !(e->op == IR_CTX && !e->size) &&
	    (e->op != IR_CALL || is_better_whole(c, e->func))) {
		if (!c->is_trial)
			*place = capture_add(c, e);
		return;
	}
	look_for_loss(c, e);
	if (e->op == IR_EMBED)
		capture_task(c);
	c->reads_late |= ir_reads_memory(e);
	cut_expr(c, &e->a);
	if (e->op != IR_LOADMEM)
		cut_expr(c, &e->b);
	cut_expr(c, &e->c);
	for (unsigned i = 0; e->op != IR_EMBED && i < e->n_args; i++) // C has variables by address
		if (i == 0 || !ir_is_stack(e))
			cut_expr(c, &e->args[i]);
	cut_list(c, e->stmts);
	if (e->op == IR_CALL)
		cut_call(c, e);
	else if (ir_is_stack(e) && !c->is_trial)
		capture_stack(c, e);
}

static void cut_list(struct cut *c, struct ir_stmt *list)
{
	for (struct ir_stmt *s = list; s; s = s->next) {
		if (s->op == IR_S_STORE)
			lose(c, "it writes to the program", s->place);
		else if (is_kept_at_entry(c, ir_stmt_op_has(s->op), s->map))
			lose(c, "what it kept at the function's entry would be another call's by then", s->place);
		if (s->op == IR_S_SET && c->values[s->local])
			sp_vec_push(&c->waiting, s);
		else
			cut_expr(c, &s->a);
		cut_expr(c, &s->b);
		for (unsigned i = 0; i < s->n_args; i++)
			cut_expr(c, &s->args[i]);
		cut_expr(c, &s->foreach.limit);
		cut_list(c, s->then);
		cut_list(c, s->otherwise);
		cut_list(c, s->step);
	}
}

// ---- variables of the handler ---------------------------------------------------------------------------------------

// What the handler in the kernel has set, the rest begins with: statements in front of `rest`.
static struct ir_stmt *take_over(struct cut *c, const struct ir_stmt *kernel, struct ir_stmt *rest)
{
	size_t n = c->prog->locals.n;
	uint32_t *counts = sp_calloc(2 * n + 1, sizeof(*counts)), *sets = counts, *reads = counts + n;

	lower_local_count(c->unit, kernel, sets, NULL);
	lower_local_count(c->unit, rest, NULL, reads);
	for (uint32_t i = 0; i < n; i++) {
		const struct ir_local *local = &c->prog->locals.v[i];
		struct ir_stmt *set;

		if (!sets[i] || !reads[i])
			continue;
		set = ir_set(c->unit, i, capture_add(c, ir_local(c->unit, i, local->type, local->cap)), c->prog->place);
		set->next = rest;
		rest = set;
	}
	free(counts);
	return rest;
}

static struct cut begin_cut(struct lower *l, struct facts *facts, const struct changed *changed, const struct ir_prog *prog)
{
	struct cut c = { .l = l, .unit = l->unit, .facts = facts, .changed = changed, .prog = prog };

	c.sets = sp_calloc(prog->locals.n + 1, sizeof(*c.sets));
	c.values = sp_calloc(prog->locals.n + 1, sizeof(struct ir_expr *));
	c.told = 1; // the process
	c.n_funcs = l->unit->funcs.n;
	c.copies = sp_calloc(c.n_funcs + 1, sizeof(*c.copies));
	c.whole = sp_calloc(c.n_funcs + 1, sizeof(*c.whole));
	return c;
}

static void end_cut(struct cut *c)
{
	free(c->sets);
	free(c->values);
	free(c->copies);
	free(c->whole);
	sp_vec_deinit(&c->waiting);
	sp_vec_deinit(&c->captures);
}

// Decides, and notes it in the handler.
static bool is_to_cut(struct lower *l, struct facts *facts, const struct changed *changed, struct ir_prog *prog)
{
	struct ir_cause cause = cause_of(l, facts, changed, prog);
	struct ir_stmt *rest;
	struct cut trial;

	if (!cause.what) {
		if (!*cuts_late(facts, changed, prog))
			prog->deferral.cause.what = NULL; // what it comes to is not changed any more
		return false;
	}
	rest = *cut_place(l, facts, changed, prog);
	trial = begin_cut(l, facts, changed, prog);
	trial.is_trial = true;
	cut_body(&trial, rest, prog->locals.v, prog->locals.n);
	end_cut(&trial);
	if (found_late(l, prog) && rest)
		cause.place = rest->place;
	prog->deferral = (struct ir_deferral){
		.cause = cause, .stays = trial.loss, .is_all = found_late(l, prog) != NULL, .reads_late = trial.reads_late, .rest = SP_NONE,
	};
	return !trial.loss.what;
}

// A text that only the other part uses takes no room in this one.
static void forget_unused(const struct ir_unit *unit, const struct ir_stmt *body, struct ir_local *locals, size_t n)
{
	uint32_t *uses = sp_calloc(n + 1, sizeof(*uses));

	lower_local_count(unit, body, uses, uses);
	for (size_t i = 0; i < n; i++) {
		if (uses[i])
			continue;
		locals[i].type = IR_LONG;
		locals[i].cap = 0;
	}
	free(uses);
}

// ---- the two programs -----------------------------------------------------------------------------------------------

static void cut_prog(struct lower *l, struct facts *facts, const struct changed *changed, size_t index)
{
	struct ir_unit *unit = l->unit;
	struct ir_prog rest, *kernel = &unit->progs.v[index];
	struct ir_stmt **place = cut_place(l, facts, changed, kernel), *later = *place;
	struct cut c = begin_cut(l, facts, changed, kernel);
	struct lower_list list;

	*place = NULL;
	lower_list_begin(l, &list);
	l->locals.n = 0;
	sp_vec_each(local, &kernel->locals)
		sp_vec_push(&l->locals, *local);
	cut_body(&c, later, kernel->locals.v, kernel->locals.n);
	later = take_over(&c, kernel->body, later);
	capture_send(&c);
	*place = lower_list_end(l, &list);
	end_cut(&c);
	rest = (struct ir_prog){
		.name = sp_arena_printf(&unit->arena, "%.50s_rest", kernel->name), .section = "", .kind = SP_PROG_USER, .in_user = true,
		.locals = { kernel->locals.v, kernel->locals.n, kernel->locals.cap }, .body = later, .program = SP_NONE,
		.place = kernel->place, .deferral.rest = SP_NONE,
	};
	kernel->deferral.rest = (uint32_t)unit->progs.n;
	memset(&kernel->locals, 0, sizeof(kernel->locals)); // the rest has them
	sp_vec_each(local, &l->locals)
		sp_vec_push(&kernel->locals, *local);
	forget_unused(unit, kernel->body, kernel->locals.v, kernel->locals.n);
	forget_unused(unit, rest.body, rest.locals.v, rest.locals.n);
	sp_vec_push(&unit->progs, rest);
}

// Where a rest would have to begin with what only the handler in the kernel can do, it begins behind that. Others then change less.
static void choose_places(struct lower *l, struct facts *facts, struct changed *changed)
{
	bool is_chosen = false;

	while (!is_chosen) {
		is_chosen = true;
		find_changed(l, facts, changed);
		sp_vec_each(prog, &l->unit->progs) {
			bool *is_late = cuts_late(facts, changed, prog);

			if (*is_late || !cause_of(l, facts, changed, prog).what || is_to_cut(l, facts, changed, prog))
				continue;
			*is_late = true;
			is_chosen = false;
		}
	}
}

void lower_rests(struct lower *l)
{
	struct ir_unit *unit = l->unit;
	struct facts facts = { .unit = unit, .funcs = sp_calloc(unit->funcs.n + 1, sizeof(*facts.funcs)) };
	struct changed changed = { .facts = &facts, .maps = sp_calloc(unit->maps.n + 1, sizeof(bool)),
				   .globals = sp_calloc(unit->globals.n + 1, sizeof(bool)),
				   .cuts_late = sp_calloc(unit->progs.n + 1, sizeof(bool)) };
	size_t n = unit->progs.n;

	choose_places(l, &facts, &changed);
	for (size_t i = 0; i < n; i++)
		if (is_to_cut(l, &facts, &changed, &unit->progs.v[i]))
			cut_prog(l, &facts, &changed, i);
	free(facts.funcs);
	free(changed.maps);
	free(changed.globals);
	free(changed.cuts_late);
}
