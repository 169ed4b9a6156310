// SPDX-License-Identifier: GPL-2.0-or-later
// Values taken at a function's entry, for a handler that runs later in the function. A companion handler at the entry evaluates them and
// stores them in arrays, by thread. A recursive function is in one thread several times, so there is a second key:
// - @entry(e) and parameters in .return probes of programs: the address of the frame, which is the same at the entry and at the return
//   whatever became of other calls (longjmp, exceptions, other stacks). The return's handler deletes its values. A call of the same
//   function in the same frame (its tail calls come back to it) is told by its depth there.
// - The same in the kernel, and where the frame is not known: the depth of the recursion. The idle threads are thread 0 on each
//   processor, where interrupts run the kernel's functions: there the processor stands for the thread. Numbers of the outermost
//   call are by thread alone, where the kernel can keep them with the thread (plan_thread.h): few functions are recursive.
// - Registers as they were at the entry, for a later place (DW_OP_entry_value): the address of the frame, which both places
//   know. The place may be passed any number of times, so values stay until the array needs the room.
// - Fields of a tracepoint's record, for a handler at the raw tracepoint, which comes right after its trace event: 0, by thread as
//   above. The handler deletes them. When an interrupt between the two is at the same tracepoint, the handler that it has interrupted
//   does not run, and is counted.
// A handler whose function was entered before the script began has no values, and does not run. Where values may have been
// dropped for room, the end of the script tells how often a handler did not run.
#include "compiler/debug/dbg.h"
#include "compiler/model/builtin.h"
#include "compiler/model/target.h"
#include "compiler/sema/context.h"
#include "compiler/sema/tree.h"

#define MANY_ELEMENTS 8192 // of an array that many functions share: threads inside one of these, times their depth

static void check_local(void *ctx, struct ast_expr **place)
{
	struct scene *scene = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_NAME && e->name.local) {
		bool at_event = scene->site->tracepoint;
		struct diag *d = diag(scene->cx->opts->dc, e->span, DIAG_ENTRY_MISUSE,
				      "local variable '%s' has no value %s", e->name.name,
				      at_event ? "where fields of the record are read" : "at the function's entry");

		diag_hint(scene->cx->opts->dc, d, "only globals, functions and %s can be used there",
			  at_event ? "other fields" : "parameters");
		e->kind = AST_ERROR;
	} else if (e->kind == AST_TARGET && e->target.name && sp_streq(e->target.name, "$return")) {
		diag(scene->cx->opts->dc, e->span, DIAG_ENTRY_MISUSE, "$return has no value at the function's entry");
		e->kind = AST_ERROR;
	} else if (e->kind == AST_ENTRY) {
		diag(scene->cx->opts->dc, e->span, DIAG_ENTRY_MISUSE, "@entry inside of @entry");
		e->kind = AST_ERROR;
	}
}

// Replaces an expression by a new local, which the handler fills with the value taken at the entry.
static struct ast_expr *capture(struct sp_arena *arena, struct entry_set *set, struct ast_expr *expr, const char *text)
{
	struct entry entry = { .text = text, .expr = expr };

	sp_vec_each(known, &set->v)
		if (sp_streq(known->text, text))
			return tree_local(arena, expr, known->local);
	entry.local = tree_new_local(arena, sp_arena_printf(arena, "@entry%zu", set->v.n + 1), expr->span);
	sp_vec_push(&set->v, entry);
	return tree_local(arena, expr, entry.local);
}

// What $$vars shows of a variable is a text, which is written as the variable itself is.
static bool is_shown(const struct ast_expr *e)
{
	return e->kind == AST_TARGET && e->target.steps.n && e->target.steps.v[e->target.steps.n - 1].kind == STEP_PRETTY_PLAIN;
}

void entry_capture(const struct scene *scene, struct entry_set *set, struct ast_expr **place)
{
	struct sp_arena *arena = scene->cx->arena;
	struct ast_expr *e = *place;
	struct ast_expr *inner = e->kind == AST_ENTRY ? e->entry.a : e;
	struct sp_buf text = { 0 };

	if (tree_names_address(inner)) {
		*place = inner;
		entry_capture(scene, set, &inner->call.args.v[0]);
		return;
	}
	tree_walk_expr(&inner, check_local, (void *)scene);
	tree_print_key(&text, inner);
	if (is_shown(inner))
		sp_buf_puts(&text, " as shown");
	*place = capture(arena, set, inner, sp_arena_strdup(arena, sp_buf_str(&text)));
	sp_buf_deinit(&text);
}

static bool is_kept(const struct site_value *v, int64_t reg)
{
	for (unsigned i = 0; i < v->n_kept; i++)
		if (v->kept[i].reg == reg)
			return true;
	return false;
}

struct keeper {
	const struct scene *scene;
	struct entry_set *set;
	struct ast_expr *value;
};

static void keep_register(void *ctx, const struct loc_op *op)
{
	struct keeper *k = ctx;
	struct sp_arena *arena = k->scene->cx->arena;
	struct site_value *v = k->value->resolved;
	struct site_kept *more;
	struct ast_expr *at_entry;
	struct loc_piece *piece;
	struct loc *loc;
	const char *text;

	if (op->kind != LOC_ENTRY_REG || is_kept(v, op->a))
		return;
	piece = sp_arena_new(arena, struct loc_piece);
	piece->where = LOC_IS_VALUE;
	piece->ops = sp_arena_new(arena, struct loc_op);
	piece->ops[0] = (struct loc_op){ .kind = LOC_REG, .a = op->a };
	piece->n_ops = 1;
	loc = sp_arena_new(arena, struct loc);
	*loc = (struct loc){ piece, 1 };
	text = sp_arena_printf(arena, "register %lld at the entry", (long long)op->a);
	at_entry = tree_location(arena, k->value, k->scene->site, loc, text);
	more = sp_arena_array(arena, struct site_kept, v->n_kept + 1);
	if (v->n_kept)
		memcpy(more, v->kept, v->n_kept * sizeof(*more));
	more[v->n_kept++] = (struct site_kept){ .reg = op->a, .value = capture(arena, k->set, at_entry, text) };
	v->kept = more;
}

void entry_keep(const struct scene *scene, struct entry_set *set, struct ast_expr *value)
{
	struct keeper keeper = { scene, set, value };

	set->site = scene->site;
	set->frame = value->resolved->frame;
	loc_each(value->resolved->loc, keep_register, &keeper);
}

// ---- the two handlers -----------------------------------------------------------------------------------------------

struct weaver {
	struct context *cx;
	struct sp_arena *arena;
	const struct ast_expr *like; // new nodes get this one's place in the source
	struct entry_arrays *arrays;
	struct global **values; // arrays, one for each value of the set
	struct global **outermost; // the same for calls of depth 1; NULL: these are in `values`, too
	struct local *thread; // what stands for tid(), NULL: itself
	struct global *depth; // [call] -> its entries that have not returned; NULL: not counted
	struct local *frame; // what tells calls of the thread apart; NULL: they are told by their depth alone
	enum ast_loss loss; // a return whose entry is not known
	SP_VEC(struct ast_stmt *) out;
};

static struct global *new_array(struct weaver *w, const char *name, unsigned n_keys)
{
	struct global *g = sp_arena_new(w->arena, struct global);

	g->name = name;
	g->span = g->type_span = w->like->span;
	g->is_array = g->is_synthetic = g->is_private = true;
	g->is_read = g->is_written = true;
	g->n_keys = n_keys;
	g->size = w->arrays->many ? MANY_ELEMENTS : 0;
	g->key_types = sp_arena_array(w->arena, enum ast_type, n_keys);
	for (unsigned i = 0; i < n_keys; i++)
		g->key_types[i] = TYPE_LONG;
	g->index = (unsigned)w->cx->program->globals.n;
	sp_vec_push(&w->cx->program->globals, g);
	return g;
}

static struct ast_expr *thread(struct weaver *w)
{
	if (w->thread)
		return tree_local(w->arena, w->like, w->thread);
	return tree_builtin(w->arena, w->like, BUILTIN_TID);
}

// The thread and, unless they are NULL, the frame and the depth.
static unsigned keys_of(struct weaver *w, struct local *depth, struct ast_expr *ret[3])
{
	unsigned n = 0;

	ret[n++] = thread(w);
	if (w->frame)
		ret[n++] = tree_local(w->arena, w->like, w->frame);
	if (depth)
		ret[n++] = tree_local(w->arena, w->like, depth);
	return n;
}

// Where a call keeps its values.
struct call {
	struct local *depth; // NULL: it is not counted
	bool is_outermost; // in w->outermost, where there is one
};

static struct ast_expr *depth_at(struct weaver *w)
{
	struct ast_expr *keys[3];
	unsigned n = keys_of(w, NULL, keys);

	return tree_index(w->arena, w->like, w->depth, keys, n);
}

static struct global *values_of(const struct weaver *w, size_t i, struct call *call)
{
	if (!call->is_outermost || !w->outermost[i])
		return w->values[i];
	call->depth = NULL;
	return w->outermost[i];
}

static struct ast_expr *value_at(struct weaver *w, size_t i, struct call call)
{
	struct global *values = values_of(w, i, &call);
	struct ast_expr *keys[3];
	unsigned n = keys_of(w, call.depth, keys);

	return tree_index(w->arena, w->like, values, keys, n);
}

static struct ast_expr *has_value(struct weaver *w, size_t i, struct call call)
{
	struct global *values = values_of(w, i, &call);
	struct ast_expr *keys[3];
	unsigned n = keys_of(w, call.depth, keys);

	return tree_in(w->arena, w->like, values, keys, n);
}

static void put(struct weaver *w, struct ast_stmt *s)
{
	sp_vec_push(&w->out, s);
}

static void put_set(struct weaver *w, struct ast_expr *target, struct ast_expr *value)
{
	put(w, tree_expr_stmt(w->arena, tree_assign(w->arena, target, value)));
}

static struct ast_stmt *leave_unless(struct weaver *w, struct ast_expr *cond, enum ast_loss loss)
{
	struct ast_stmt *next = tree_stmt(w->arena, AST_S_NEXT, w->like->span);

	next->loss = loss;
	return tree_if(w->arena, tree_not(w->arena, cond), next, NULL);
}

// What has been put since there were `first` statements, which is put in a block instead.
static struct ast_stmt *block_since(struct weaver *w, size_t first)
{
	struct ast_stmt *block = tree_block(w->arena, w->like->span, w->out.v + first, (unsigned)(w->out.n - first));

	w->out.n = first;
	return block;
}

static struct ast_expr *is_outermost(struct weaver *w, struct local *depth)
{
	return tree_binary(w->arena, BIN_EQ, tree_local(w->arena, w->like, depth), tree_number(w->arena, w->like, 1));
}

static struct local *add_local(struct weaver *w, struct handler *handler, const char *name)
{
	struct local *local = tree_new_local(w->arena, name, w->like->span);

	local->type = TYPE_LONG;
	local->index = (unsigned)handler->locals.n;
	sp_vec_push(&handler->locals, local);
	return local;
}

static void add_entry_locals(struct entry_set *set, struct handler *handler)
{
	sp_vec_each(entry, &set->v) {
		entry->local->index = (unsigned)handler->locals.n;
		sp_vec_push(&handler->locals, entry->local);
	}
}

// What stands for the thread: tid(), a processor in the kernel where that is idle, a goroutine.
static void put_thread(struct weaver *w, const struct site *site, struct handler *handler)
{
	w->thread = NULL;
	if (site->space != SPACE_KERNEL && !site->call.thread)
		return;
	w->thread = add_local(w, handler, "@thread");
	if (site->call.thread)
		put_set(w, thread(w), tree_location(w->arena, w->like, site, site->call.thread, "the goroutine"));
	else
		put(w, tree_set_thread(w->arena, w->like, w->thread));
}

static void put_frame(struct weaver *w, const struct site *site, const struct loc *frame, struct handler *handler)
{
	w->frame = NULL;
	if (!frame)
		return;
	w->frame = add_local(w, handler, "@frame");
	put_set(w, tree_local(w->arena, w->like, w->frame), tree_location(w->arena, w->like, site, frame, "the frame"));
}

// value_i[call, depth] = expression_i, or value_i[call] = expression_i; of calls that have arrays of their own when they are outermost:
// value = expression_i; if (depth == 1) outermost_i[call] = value; else value_i[call, depth] = value
static void put_value(struct weaver *w, size_t i, struct ast_expr *value, struct local *depth, struct handler *handler)
{
	size_t first = w->out.n;
	struct ast_stmt *outermost;
	struct local *local;

	if (!w->outermost[i]) {
		put_set(w, value_at(w, i, (struct call){ depth, false }), value);
		return;
	}
	local = add_local(w, handler, "@value");
	put_set(w, value_at(w, i, (struct call){ depth, true }), tree_local(w->arena, w->like, local));
	outermost = block_since(w, first);
	put_set(w, value_at(w, i, (struct call){ depth, false }), tree_local(w->arena, w->like, local));
	outermost = tree_if(w->arena, is_outermost(w, depth), outermost, block_since(w, first));
	put_set(w, tree_local(w->arena, w->like, local), value);
	put(w, outermost);
}

// depth = depth[call] + 1; depth[call] = depth; then the values.
// The depth is counted first, so that it stays right when an expression fails.
static void weave_entry(struct weaver *w, struct entry_set *set, const struct site *site, bool has_frame, struct handler *handler)
{
	struct local *depth = w->depth ? add_local(w, handler, "@depth") : NULL;

	put_thread(w, site, handler);
	put_frame(w, site, has_frame ? site->call.frame : NULL, handler);
	if (depth) {
		put_set(w, tree_local(w->arena, w->like, depth), tree_binary(w->arena, BIN_ADD, depth_at(w), tree_number(w->arena, w->like, 1)));
		put_set(w, depth_at(w), tree_local(w->arena, w->like, depth));
	}
	for (size_t i = 0; i < set->v.n; i++)
		put_value(w, i, set->v.v[i].expr, depth, handler);
	handler->body = tree_block(w->arena, w->like->span, w->out.v, (unsigned)w->out.n);
}

// if (!([call] in depth)) next; depth = depth[call]
static struct local *put_depth_of_return(struct weaver *w, struct handler *handler)
{
	struct local *depth = add_local(w, handler, "@depth");
	struct ast_expr *keys[3];
	unsigned n = keys_of(w, NULL, keys);

	put(w, leave_unless(w, tree_in(w->arena, w->like, w->depth, keys, n), w->loss));
	put_set(w, tree_local(w->arena, w->like, depth), depth_at(w));
	return depth;
}

// if (depth > 1) depth[call] = depth - 1; else delete depth[call]
static void put_end_of_depth(struct weaver *w, struct local *depth)
{
	struct sp_arena *arena = w->arena;
	struct ast_expr *one = tree_number(arena, w->like, 1), *own = tree_local(arena, w->like, depth);
	struct ast_expr *less = tree_assign(arena, depth_at(w), tree_binary(arena, BIN_SUB, own, one));

	put(w, tree_if(arena, tree_binary(arena, BIN_GT, tree_local(arena, w->like, depth), one), tree_expr_stmt(arena, less),
		       tree_delete(arena, depth_at(w))));
}

// has = [call, depth] in last value; local_i = value_i[call, depth]; delete value_i[call, depth] ...
// Of a call whose depth is not counted: if (!([call] in last value)) next; in place of the first.
static void put_taking(struct weaver *w, const struct entry_set *set, struct call call, struct local *has, enum ast_loss loss)
{
	struct ast_expr *is_there = has_value(w, set->v.n - 1, call);

	if (has)
		put_set(w, tree_local(w->arena, w->like, has), is_there);
	else
		put(w, leave_unless(w, is_there, loss));
	for (size_t i = 0; i < set->v.n; i++) {
		put_set(w, tree_local(w->arena, w->like, set->v.v[i].local), value_at(w, i, call));
		put(w, tree_delete(w->arena, value_at(w, i, call)));
	}
}

static bool has_outermost(const struct weaver *w, const struct entry_set *set)
{
	for (size_t i = 0; i < set->v.n; i++)
		if (w->outermost[i])
			return true;
	return false;
}

// Takes the values, by whether the call is outermost where that matters; takes one off the depth, and if (!has) next; then the handler's
// own body. In that order: an interrupt may call these functions, too, and is at the same depth from then on.
static void take_values(struct weaver *w, struct entry_set *set, struct local *depth, enum ast_loss loss, struct handler *handler)
{
	struct local *has = depth ? add_local(w, handler, "@has") : NULL;
	size_t first = w->out.n;
	struct ast_stmt *outermost;

	add_entry_locals(set, handler);
	if (has_outermost(w, set)) {
		put_taking(w, set, (struct call){ depth, true }, has, loss);
		outermost = block_since(w, first);
		put_taking(w, set, (struct call){ depth, false }, has, loss);
		put(w, tree_if(w->arena, is_outermost(w, depth), outermost, block_since(w, first)));
	} else {
		put_taking(w, set, (struct call){ depth, false }, has, loss);
	}
	if (depth) {
		put_end_of_depth(w, depth);
		put(w, leave_unless(w, tree_local(w->arena, w->like, has), loss));
	}
	put(w, handler->body);
	handler->body = tree_block(w->arena, handler->body->span, w->out.v, (unsigned)w->out.n);
}

static void weave_return(struct weaver *w, struct entry_set *set, const struct site *site, bool has_frame, struct handler *handler)
{
	struct local *depth;

	put_thread(w, site, handler);
	put_frame(w, site, has_frame ? site->call.frame : NULL, handler);
	depth = w->depth ? put_depth_of_return(w, handler) : NULL;
	take_values(w, set, depth, w->loss, handler);
}

// value_i[thread] = field_i ...
static void weave_event(struct weaver *w, struct entry_set *set, const struct site *site, struct handler *handler)
{
	put_thread(w, site, handler);
	for (size_t i = 0; i < set->v.n; i++)
		put_set(w, value_at(w, i, (struct call){ 0 }), set->v.v[i].expr);
	handler->body = tree_block(w->arena, w->like->span, w->out.v, (unsigned)w->out.n);
}

static void weave_after_event(struct weaver *w, struct entry_set *set, const struct site *site, struct handler *handler)
{
	put_thread(w, site, handler);
	take_values(w, set, NULL, AST_LOSS_UNKEPT, handler);
}

// frame = address of the function's frame; value_i[thread, frame] = register_i ...
static void weave_keeping(struct weaver *w, struct entry_set *set, const struct site *site, struct handler *handler)
{
	const char *why;

	put_frame(w, site, dbg_frame_at(site->func, site->pc, &why), handler);
	for (size_t i = 0; i < set->v.n; i++)
		put_set(w, value_at(w, i, (struct call){ 0 }), set->v.v[i].expr);
	handler->body = tree_block(w->arena, w->like->span, w->out.v, (unsigned)w->out.n);
}

// frame = address of the frame; if (!([thread, frame] in value_i)) next; local_i = value_i[thread, frame] ...; then the body.
static void weave_kept(struct weaver *w, struct entry_set *set, struct handler *handler)
{
	put_frame(w, set->site, set->frame, handler);
	add_entry_locals(set, handler);
	for (size_t i = 0; i < set->v.n; i++) {
		put(w, leave_unless(w, has_value(w, i, (struct call){ 0 }), AST_LOSS_UNKEPT));
		put_set(w, tree_local(w->arena, w->like, set->v.v[i].local), value_at(w, i, (struct call){ 0 }));
	}
	put(w, handler->body);
	handler->body = tree_block(w->arena, handler->body->span, w->out.v, (unsigned)w->out.n);
}

// What the keys of the arrays are.
struct keying {
	bool has_frame, has_depth;
	bool wraps; // values may stay, of calls that did not return
	bool forgets; // and those of processes that ended inside of the function
};

bool entry_may_nest(const struct site *site)
{
	struct dbg_exits exits;
	const char *why;

	if (site->exit != EXIT_NONE || !site->call.frame) // the tail call is its end; depth alone tells
		return false;
	bool may = !dbg_find_exits(site->func, &exits, &why);
	for (unsigned i = 0; i < exits.n; i++)
		may |= exits.v[i].is_jump;
	return may;
}

static struct keying keying_of(const struct entry_set *set, const struct site *site, const struct site *entry_site)
{
	bool has_frame = site->call.frame && entry_site->call.frame, of_program = site->space == SPACE_USER;

	if (set->frame)
		return (struct keying){ .has_frame = true, .wraps = !of_program, .forgets = of_program };
	if (entry_site->tracepoint)
		return (struct keying){ 0 };
	return (struct keying){ has_frame, !has_frame || entry_may_nest(site), has_frame && site->exit != EXIT_NONE && !of_program, of_program };
}

// Types of variables, and of what most functions return, are not known yet.
static bool is_number(const struct ast_expr *e)
{
	if (e->kind == AST_CALL && e->call.function)
		return e->call.function->return_type == TYPE_LONG;
	if (e->kind == AST_CALL && e->call.builtin >= 0)
		return builtin_info((enum builtin_id)e->call.builtin)->result == BUILTIN_RESULT_LONG;
	return e->type == TYPE_LONG;
}

static bool is_with_thread(const struct weaver *w, const struct entry *entry, const struct keying *keying)
{
	return keying->has_depth && !keying->has_frame && is_number(entry->expr) &&
	       target_has(w->cx->opts->env->target, SP_FEATURE_TASK_STORAGE);
}

static struct entry_array arrays_of(struct weaver *w, const struct entry *entry, const struct keying *keying)
{
	unsigned n_keys = 1 + keying->has_frame + keying->has_depth, number = w->arrays->number;
	struct entry_array new = { .text = entry->text };
	size_t n = w->arrays->v.n + 1;

	sp_vec_each(known, &w->arrays->v)
		if (known->values->wraps == keying->wraps && known->values->forgets == keying->forgets &&
		    known->values->n_keys == n_keys && sp_streq(known->text, entry->text))
			return *known;
	new.values = new_array(w, sp_arena_printf(w->arena, "@entry_%u_%zu", number, n), n_keys);
	new.values->wraps = keying->wraps;
	new.values->forgets = keying->forgets;
	if (is_with_thread(w, entry, keying))
		new.outermost = new_array(w, sp_arena_printf(w->arena, "@outer_%u_%zu", number, n), 1);
	sp_vec_push(&w->arrays->v, new);
	return new;
}

static void make_arrays(struct weaver *w, struct entry_set *set, const struct keying *keying)
{
	struct entry_arrays *arrays = w->arrays;
	struct global **depth;

	if (!arrays->number)
		arrays->number = ++w->cx->n_entry_arrays;
	depth = &arrays->depth[keying->has_frame][keying->forgets];
	if (keying->has_depth && !*depth) {
		const char *in = keying->has_frame ? "_in_frame" : "", *of = keying->forgets ? "_of_program" : "";

		*depth = new_array(w, sp_arena_printf(w->arena, "@depth_%u%s%s", arrays->number, in, of), 1 + keying->has_frame);
		(*depth)->type = TYPE_LONG;
		(*depth)->forgets = keying->forgets;
	}
	w->depth = keying->has_depth ? *depth : NULL;
	w->values = sp_arena_array(w->arena, struct global *, set->v.n);
	w->outermost = sp_arena_array(w->arena, struct global *, set->v.n);
	for (size_t i = 0; i < set->v.n; i++) {
		struct entry_array of_value = arrays_of(w, &set->v.v[i], keying);

		w->values[i] = of_value.values;
		w->outermost[i] = of_value.outermost;
	}
}

void entry_arrays_deinit(struct entry_arrays *arrays)
{
	sp_vec_deinit(&arrays->v);
}

void entry_weave(struct context *cx, struct entry_arrays *arrays, struct entry_set *set, const struct site *site,
		 const struct site *entry_site, struct handler *entry, struct handler *handler)
{
	const struct keying keying = keying_of(set, site, entry_site);
	struct weaver w = { .cx = cx, .arena = cx->arena, .like = set->v.v[0].expr, .arrays = arrays,
			    .loss = keying.wraps || keying.forgets ? AST_LOSS_UNKEPT : AST_LOSS_NONE };

	make_arrays(&w, set, &keying);
	if (set->frame)
		weave_keeping(&w, set, entry_site, entry);
	else if (entry_site->tracepoint)
		weave_event(&w, set, entry_site, entry);
	else
		weave_entry(&w, set, entry_site, keying.has_frame, entry);
	w.out.n = 0;
	if (set->frame)
		weave_kept(&w, set, handler);
	else if (entry_site->tracepoint)
		weave_after_event(&w, set, site, handler);
	else
		weave_return(&w, set, site, keying.has_frame, handler);
	sp_vec_deinit(&w.out);
}
