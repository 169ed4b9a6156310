// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_rest.h"

#include "compiler/lower/lower_facts.h"
#include "compiler/lower/lower_local.h"
#include "compiler/lower/lower_symbols.h"
#include "runtime/abi/event.h"

#define COMM 16 // bytes of a task's name
#define WHY 128u // bytes of what a function says that fails

// ---- where a handler is cut -----------------------------------------------------------------------------------------

// The first statement that only the runtime can do; in a branch when nothing comes behind that.
static struct ir_stmt **first_for_runtime(struct facts *facts, struct ir_stmt **list)
{
	while (*list && !(facts_of_stmt(facts, *list) & FACT_RUNTIME))
		list = &(*list)->next;
	if (*list && (*list)->op == IR_S_IF && !(*list)->otherwise && !(*list)->next && !(facts_of_expr(facts, (*list)->a) & FACT_RUNTIME))
		return first_for_runtime(facts, &(*list)->then);
	return list;
}

// Where the rest of a handler begins.
static struct ir_stmt **cut_place(struct facts *facts, struct ir_stmt **body)
{
	struct ir_stmt **place = first_for_runtime(facts, body);

	return facts_of(facts, *place) & FACT_RESUMES ? body : place;
}

// What the rests of handlers change: by index.
struct changed {
	const struct facts *facts;
	bool *maps, *globals;
	bool all; // a function does, which may be any
};

static void note_changes_of_expr(void *ctx, const struct ir_expr *e)
{
	struct changed *c = ctx;

	if (e->op == IR_MAP_ADD)
		c->maps[e->map] = true;
	else if (e->op == IR_GLOBAL_ADD)
		c->globals[e->global] = true;
	else if (e->op == IR_CALL)
		c->all |= c->facts->funcs[e->func] & FACT_STATE;
}

static void note_changes(void *ctx, const struct ir_stmt *s)
{
	struct changed *c = ctx;

	if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR || s->op == IR_S_STAT_ADD)
		c->maps[s->map] = true;
	else if (s->op == IR_S_GSET)
		c->globals[s->global] = true;
}

// ---- what is captured -----------------------------------------------------------------------------------------------

// A value of the record. What may fail has more beside it, by which the rest knows.
struct capture {
	struct ir_expr *e; // as the handler in the kernel computes it
	enum {
		CANNOT_FAIL,
		FAULT, // memory: the address; and a number twice, with different values when it is not there
		FAILURE, // whether it failed, and what it said then
	} fails;
	struct ir_expr *value, *other, *why; // how the rest reads each: CTX, whose offset is known when all are found
};

struct cut {
	struct lower *l;
	struct ir_unit *unit;
	struct facts *facts;
	const struct changed *changed;
	const struct ir_prog *prog; // of the handler
	uint32_t *sets; // by local: how often the rest sets it; when never, the handler in the kernel knows what it is
	bool is_trial; // nothing is changed
	bool loses; // the rest would ask for something of the context that it cannot have
	SP_VEC(struct capture) captures;
};

static bool can_capture(const struct cut *c, const struct ir_expr *e);

static bool are_captured(const struct cut *c, const struct ir_expr *e)
{
	for (unsigned i = 0; i < e->n_args; i++)
		if (!can_capture(c, e->args[i]))
			return false;
	return (!e->a || can_capture(c, e->a)) && (!e->b || can_capture(c, e->b)) && (!e->c || can_capture(c, e->c));
}

// Is memory read on the way, which may not be there? Then only a read itself can be captured: the rest repeats that.
static bool reads_memory(const struct ir_expr *e)
{
	if (!e)
		return false;
	for (unsigned i = 0; i < e->n_args; i++)
		if (reads_memory(e->args[i]))
			return true;
	return e->op == IR_LOAD || e->op == IR_LOADSTR || reads_memory(e->a) || reads_memory(e->b) || reads_memory(e->c);
}

static bool are_captured_quietly(const struct cut *c, const struct ir_expr *e)
{
	for (unsigned i = 0; i < e->n_args; i++)
		if (reads_memory(e->args[i]))
			return false;
	return !reads_memory(e->a) && !reads_memory(e->b) && !reads_memory(e->c) && are_captured(c, e);
}

// Can the handler in the kernel compute it at its beginning?
static bool can_capture(const struct cut *c, const struct ir_expr *e)
{
	switch (e->op) {
	case IR_CONST: case IR_LITERAL: case IR_FIXUP: case IR_CTX: case IR_REG:
		return true;
	case IR_LOCAL:
		return !c->sets[e->local];
	case IR_GLOBAL:
		return !c->changed->all && !c->changed->globals[e->global];
	case IR_BUILTIN:
		return facts_is_of_moment(e->builtin) && are_captured_quietly(c, e);
	case IR_NEG: case IR_NOT: case IR_LNOT: case IR_ADD: case IR_SUB: case IR_MUL: case IR_AND: case IR_OR: case IR_XOR:
	case IR_SHL: case IR_SHR: case IR_USHR: case IR_EQ: case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE:
	case IR_LAND: case IR_LOR: case IR_COND: case IR_SEXT: case IR_ZEXT:
		return e->type == IR_LONG && are_captured(c, e);
	case IR_LOAD: case IR_LOADSTR:
		return are_captured(c, e);
	case IR_CAPTURE:
		return are_captured_quietly(c, e);
	case IR_SYMBOLS:
		return !e->a && are_captured_quietly(c, e);
	case IR_MAP_GET: case IR_MAP_HAS: // what rests change, rests see in their order
		return !c->changed->all && !c->changed->maps[e->map] && !c->unit->maps.v[e->map].is_private && are_captured_quietly(c, e);
	case IR_CALL:
		return !(facts_of_func(c->facts, e->func) & (FACT_STATE | FACT_RUNTIME | FACT_KERNEL)) && are_captured(c, e);
	case IR_DIV: case IR_MOD: case IR_UDIV: case IR_UMOD: case IR_LOADMEM: case IR_CONCAT:
	case IR_STRLEN: case IR_MATCH: case IR_MAP_ADD: case IR_GLOBAL_ADD: case IR_STAT_GET: case IR_STAT_TEXT:
	case IR_SITE: case IR_SPRINTF: case IR_EMBED: case IR_SEQ:
		break;
	}
	return false;
}

// Is it read from the context, from memory or from a global: something that is another one when the rest runs?
static bool is_of_event(const struct cut *c, const struct ir_expr *e)
{
	if (e->op == IR_CALL)
		return facts_of_func(c->facts, e->func) & (FACT_CONTEXT | FACT_EVENT);
	return e->op == IR_CTX || e->op == IR_REG || e->op == IR_LOAD || e->op == IR_LOADSTR || e->op == IR_CAPTURE || facts_is_stack(e) ||
	       e->op == IR_GLOBAL || e->op == IR_MAP_GET || e->op == IR_MAP_HAS ||
	       (e->op == IR_BUILTIN && facts_is_of_moment(e->builtin));
}

static struct ir_expr *record_value(struct cut *c)
{
	struct ir_expr *e = ir_expr_new(c->unit, IR_CTX, IR_LONG, IR_NO_PLACE);

	e->size = 8;
	return e;
}

static struct ir_expr *record_address(struct cut *c)
{
	return ir_expr_new(c->unit, IR_CTX, IR_LONG, IR_NO_PLACE);
}

// How the rest reads the value of a capture. A string in the record is read as one of the machine's own memory.
static struct ir_expr *reader(struct cut *c, const struct ir_expr *e, struct ir_expr **offset)
{
	struct ir_expr *value;

	if (e->type != IR_STR)
		return *offset = record_value(c);
	*offset = record_address(c);
	value = ir_expr_new(c->unit, e->op == IR_SYMBOLS ? IR_SYMBOLS : e->op == IR_CAPTURE ? IR_LOADMEM : IR_LOADSTR, IR_STR, e->place);
	value->cap = e->cap;
	if (e->op == IR_SYMBOLS) {
		value->what = e->what;
		value->space = e->space;
		value->c = *offset;
	} else {
		value->space = IR_SPACE_RECORD;
		value->a = *offset;
		value->bytes = e->op == IR_CAPTURE ? e->cap : 0; // the struct sp_captured
	}
	return value;
}

// Can the rest not repeat it, but only tell what it failed with? A function may ask for the context, as a computed length may.
static bool fails_for_good(const struct ir_expr *e)
{
	return e->op == IR_CALL || (e->op == IR_LOADSTR && e->c && e->c->op != IR_CONST);
}

// A text that stands for one that could not be read. When a program has it, it is read twice.
static struct ir_expr *unread(struct cut *c)
{
	static const char text[] = "\1unread\1";

	return ir_literal(c->unit, text, sizeof(text) - 1);
}

// What a function failed with is the rest's error.
static struct ir_expr *fail_late(struct cut *c, const struct ir_expr *e, struct ir_expr *value, struct capture *capture)
{
	const struct ir_expr text = { .op = IR_LOADSTR, .type = IR_STR, .cap = SP_MIN(WHY, c->unit->max_string), .place = e->place };
	struct ir_stmt *fail = ir_stmt_new(c->unit, IR_S_FAIL, e->place), *test = ir_stmt_new(c->unit, IR_S_IF, e->place);

	fail->a = reader(c, &text, &capture->why);
	test->a = capture->other = record_value(c);
	test->then = fail;
	return ir_seq(c->unit, test, value);
}

// What could not be read is read again. Tests in the kernel would double the paths that the verifier follows, with each of them.
static struct ir_expr *read_again(struct cut *c, const struct ir_expr *e, struct ir_expr *value, struct capture *capture)
{
	struct ir_expr *again = ir_expr_new(c->unit, e->op, e->type, e->place), *is_unread, *same;

	*again = *e;
	again->a = capture->why = record_value(c);
	if (e->op == IR_LOADSTR) {
		same = ir_expr_new(c->unit, IR_LOADSTR, IR_STR, e->place);
		*same = *value;
		is_unread = ir_binary(c->unit, IR_EQ, same, unread(c), IR_NO_PLACE);
	} else {
		capture->other = record_value(c);
		is_unread = ir_binary(c->unit, IR_NE, value, capture->other, IR_NO_PLACE);
	}
	again = lower_choose(c->l, is_unread, again, value);
	again->type = e->type;
	again->cap = e->cap;
	return again;
}

static struct ir_expr *replace(struct cut *c, struct ir_expr *e)
{
	bool may_fault = (e->op == IR_LOAD || e->op == IR_LOADSTR) && e->space != IR_SPACE_TASK && !e->b && !c->unit->faults_are_zero;
	struct capture capture = { .e = e };
	struct ir_expr *value = reader(c, e, &capture.value);

	if (e->op == IR_CALL || (may_fault && fails_for_good(e))) {
		capture.fails = FAILURE;
		value = fail_late(c, e, value, &capture);
	} else if (may_fault) {
		capture.fails = FAULT;
		value = read_again(c, e, value, &capture);
	}
	sp_vec_push(&c->captures, capture);
	return value;
}

static bool is_kept_at_entry(const struct cut *c, unsigned has, uint32_t map)
{
	return has & IR_HAS_MAP && c->unit->maps.v[map].is_private;
}

static void cut_list(struct cut *c, struct ir_stmt *list);

static void cut_expr(struct cut *c, struct ir_expr **place)
{
	struct ir_expr *e = *place;

	if (!e)
		return;
	if (is_of_event(c, e) && can_capture(c, e) && !(e->op == IR_CTX && !e->size)) {
		if (!c->is_trial)
			*place = replace(c, e);
		return;
	}
	// An element of the context whose number is computed: the context is gone by then. Memory for %m is too much to be tried.
	// What is kept at the entry for the return is another event's by then.
	c->loses |= e->op == IR_CTX || e->op == IR_REG || facts_is_stack(e) || e->op == IR_EMBED || e->op == IR_LOADMEM ||
		    is_kept_at_entry(c, ir_expr_op_has(e->op), e->map) ||
		    (e->op == IR_CALL && facts_of_func(c->facts, e->func) & (FACT_CONTEXT | FACT_KERNEL)) ||
		    (e->op == IR_BUILTIN && facts_of_builtin(e->builtin) & FACT_KERNEL);
	cut_expr(c, &e->a);
	cut_expr(c, &e->b);
	cut_expr(c, &e->c);
	for (unsigned i = 0; i < e->n_args; i++)
		cut_expr(c, &e->args[i]);
	cut_list(c, e->stmts);
}

static void cut_list(struct cut *c, struct ir_stmt *list)
{
	for (struct ir_stmt *s = list; s; s = s->next) {
		c->loses |= s->op == IR_S_STORE || is_kept_at_entry(c, ir_stmt_op_has(s->op), s->map);
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
		set = ir_set(c->unit, i, replace(c, ir_local(c->unit, i, local->type, local->cap)), c->prog->place);
		set->next = rest;
		rest = set;
	}
	free(counts);
	return rest;
}

static struct cut begin_cut(struct lower *l, struct facts *facts, const struct changed *changed, const struct ir_prog *prog,
			    const struct ir_stmt *rest)
{
	struct cut c = { .l = l, .unit = l->unit, .facts = facts, .changed = changed, .prog = prog };

	c.sets = sp_calloc(prog->locals.n + 1, sizeof(*c.sets));
	lower_local_count(c.unit, rest, c.sets, NULL);
	return c;
}

static void end_cut(struct cut *c)
{
	free(c->sets);
	sp_vec_deinit(&c->captures);
}

static bool is_to_cut(struct lower *l, struct facts *facts, const struct changed *changed, struct ir_prog *prog)
{
	struct ir_stmt *rest;
	struct cut trial;

	if (!prog->in_kernel || !(facts_of(facts, prog->body) & FACT_RUNTIME))
		return false;
	rest = *cut_place(facts, &prog->body);
	trial = begin_cut(l, facts, changed, prog, rest);
	trial.is_trial = true;
	cut_list(&trial, rest);
	end_cut(&trial);
	return !trial.loses;
}

// ---- the record -----------------------------------------------------------------------------------------------------

struct record {
	SP_VEC(struct ir_expr *) args;
	SP_VEC(struct ir_arg) types;
	SP_VEC(struct ir_expr *) readers; // the CTX of the rest for the argument, or NULL
};

static void put(struct record *r, struct ir_expr *e, struct ir_expr *reader)
{
	struct ir_arg arg = { .type = e->type, .is_late = e->is_late };

	arg.size = e->is_late ? lower_symbols_size(e) : e->type == IR_STR ? e->cap : 8;
	sp_vec_push(&r->args, e);
	sp_vec_push(&r->types, arg);
	sp_vec_push(&r->readers, reader);
}

// struct sp_deferred
static void put_task(struct cut *c, struct record *r)
{
	static const enum builtin_id numbers[] = { BUILTIN_PID, BUILTIN_TID, BUILTIN_UID, BUILTIN_GID, BUILTIN_CPU,
						   BUILTIN_KTIME_GET_NS, BUILTIN_TASK_CURRENT };
	struct ir_expr *name = ir_expr_new(c->unit, IR_BUILTIN, IR_STR, IR_NO_PLACE);

	for (size_t i = 0; i < SP_ARRAY_SIZE(numbers); i++) {
		struct ir_expr *e = ir_expr_new(c->unit, IR_BUILTIN, IR_LONG, IR_NO_PLACE);

		e->builtin = numbers[i];
		put(r, e, NULL);
	}
	name->builtin = BUILTIN_EXECNAME;
	name->cap = COMM;
	put(r, name, NULL);
}

// What may fail is tried: the rest decides what comes of it.
static void put_tried(struct cut *c, struct record *r, const struct capture *capture)
{
	struct ir_expr *e = capture->e;
	uint32_t why = lower_temp(c->l, IR_STR, SP_MIN(WHY, c->unit->max_string));
	uint32_t failed = lower_temp(c->l, IR_LONG, 0), value = lower_temp(c->l, e->type, e->cap);
	struct ir_stmt *try = ir_stmt_new(c->unit, IR_S_TRY, c->prog->place);

	lower_emit(c->l, ir_set(c->unit, why, lower_zero(c->l, IR_STR), c->prog->place));
	lower_emit(c->l, ir_set(c->unit, failed, ir_const(c->unit, 0), c->prog->place));
	lower_emit(c->l, ir_set(c->unit, value, lower_zero(c->l, e->type), c->prog->place));
	try->then = ir_set(c->unit, value, e, c->prog->place);
	try->message = why;
	try->otherwise = ir_set(c->unit, failed, ir_const(c->unit, 1), c->prog->place);
	lower_emit(c->l, try);
	put(r, lower_read(c->l, value), capture->value);
	put(r, lower_read(c->l, failed), capture->other);
	put(r, lower_read(c->l, why), capture->why);
}

// Loads on the way to an address give 0 where there is nothing, near which nothing is, either.
static void make_quiet(struct cut *c, struct ir_expr *e)
{
	if (!e)
		return;
	if (e->op == IR_LOAD && e->space != IR_SPACE_TASK && !e->b)
		e->b = ir_const(c->unit, 0);
	make_quiet(c, e->a);
	make_quiet(c, e->b);
	make_quiet(c, e->c);
	for (unsigned i = 0; i < e->n_args; i++)
		make_quiet(c, e->args[i]);
}

static void put_memory(struct cut *c, struct record *r, const struct capture *capture)
{
	struct ir_expr *e = capture->e, *other;
	uint32_t at = lower_temp(c->l, IR_LONG, 0);

	make_quiet(c, e->a);
	lower_emit(c->l, ir_set(c->unit, at, e->a, c->prog->place));
	e->a = lower_read(c->l, at);
	e->b = e->op == IR_LOADSTR ? unread(c) : ir_const(c->unit, 0);
	put(r, e, capture->value);
	if (capture->other) {
		other = ir_expr_new(c->unit, e->op, e->type, e->place);
		*other = *e;
		other->b = ir_const(c->unit, 1);
		put(r, other, capture->other);
	}
	put(r, lower_read(c->l, at), capture->why);
}

// Sends the record, and tells the readers where in it their values are.
static void send(struct cut *c)
{
	struct ir_stmt *emit = ir_stmt_new(c->unit, IR_S_EMIT, c->prog->place);
	const struct ir_format *format;
	struct record r = { 0 };

	put_task(c, &r);
	sp_vec_each(capture, &c->captures) {
		capture->e->is_late = capture->e->op == IR_SYMBOLS;
		if (capture->fails == FAILURE)
			put_tried(c, &r, capture);
		else if (capture->fails == FAULT)
			put_memory(c, &r, capture);
		else
			put(&r, capture->e, capture->value);
	}
	emit->format = ir_format_parts(c->unit, "", SP_FORMAT_DEFERRED, r.types.v, (unsigned)r.types.n, NULL, 0);
	emit->args = sp_arena_memdup(&c->unit->arena, r.args.v, r.args.n * sizeof(*r.args.v));
	emit->n_args = (unsigned)r.args.n;
	lower_emit(c->l, emit);
	format = &c->unit->formats.v[emit->format];
	for (size_t i = 0; i < r.readers.n; i++)
		if (r.readers.v[i])
			r.readers.v[i]->offset = format->args[i].offset;
	sp_vec_deinit(&r.args);
	sp_vec_deinit(&r.types);
	sp_vec_deinit(&r.readers);
}

// ---- the two programs -----------------------------------------------------------------------------------------------

static void cut_prog(struct lower *l, struct facts *facts, const struct changed *changed, size_t index)
{
	struct ir_unit *unit = l->unit;
	struct ir_prog rest, *kernel = &unit->progs.v[index];
	struct ir_stmt **place = cut_place(facts, &kernel->body), *later = *place;
	struct cut c = begin_cut(l, facts, changed, kernel, later);
	struct lower_list list;

	*place = NULL;
	lower_list_begin(l, &list);
	l->locals.n = 0;
	sp_vec_each(local, &kernel->locals)
		sp_vec_push(&l->locals, *local);
	cut_list(&c, later);
	later = take_over(&c, kernel->body, later);
	send(&c);
	*place = lower_list_end(l, &list);
	end_cut(&c);
	rest = (struct ir_prog){
		.name = sp_arena_printf(&unit->arena, "%.50s_rest", kernel->name), .section = "", .kind = SP_PROG_USER, .in_user = true,
		.locals = { kernel->locals.v, kernel->locals.n, kernel->locals.cap }, .body = later, .program = SP_NONE,
		.place = kernel->place, .rest = SP_NONE,
	};
	kernel->rest = (uint32_t)unit->progs.n;
	memset(&kernel->locals, 0, sizeof(kernel->locals)); // the rest has them
	sp_vec_each(local, &l->locals)
		sp_vec_push(&kernel->locals, *local);
	sp_vec_push(&unit->progs, rest);
}

// Finds what the rests will change, before any handler is cut.
static void find_changed(struct lower *l, struct facts *facts, struct changed *changed)
{
	const struct ir_visitor visitor = { .ctx = changed, .expr = note_changes_of_expr, .stmt = note_changes };

	sp_vec_each(prog, &l->unit->progs)
		if (prog->in_kernel && facts_of(facts, prog->body) & FACT_RUNTIME)
			ir_walk_stmts(*cut_place(facts, &prog->body), &visitor);
}

void lower_rests(struct lower *l)
{
	struct ir_unit *unit = l->unit;
	struct facts facts = { .unit = unit, .funcs = sp_calloc(unit->funcs.n + 1, sizeof(*facts.funcs)) };
	struct changed changed = { .facts = &facts, .maps = sp_calloc(unit->maps.n + 1, sizeof(bool)),
				   .globals = sp_calloc(unit->globals.n + 1, sizeof(bool)) };
	size_t n = unit->progs.n;

	find_changed(l, &facts, &changed);
	for (size_t i = 0; i < n; i++)
		if (is_to_cut(l, &facts, &changed, &unit->progs.v[i]))
			cut_prog(l, &facts, &changed, i);
	free(facts.funcs);
	free(changed.maps);
	free(changed.globals);
}
