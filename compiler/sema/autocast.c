// SPDX-License-Identifier: GPL-2.0-or-later
// Autocast: after `p = $file`, the script can read `p->f_flags`. The C type of a pointer follows its value through variables,
// arrays, arguments and results. A variable that is assigned pointers of different types has no C type.
#include "compiler/sema/calls.h"
#include "compiler/sema/context.h"
#include "compiler/sema/tree.h"

// Marks a variable with pointers of different types. Callers see NULL instead.
static const struct c_type mixed = { .kind = C_VOID };

struct rounds {
	struct context *cx;
	struct scene scene;
	bool changed;
};

void autocast_note(struct context *cx, const struct c_type *type, const struct dbg_module *module,
		   enum site_space space)
{
	void **place = sp_hash_insert(&cx->homes, &type, sizeof(type));
	struct type_home *home = *place;

	if (home)
		return;
	home = sp_arena_new(cx->arena, struct type_home);
	home->module = module;
	home->space = space;
	*place = home;
}

const struct type_home *autocast_home(const struct context *cx, const struct c_type *type)
{
	void **place = sp_hash_find(&cx->homes, &type, sizeof(type));

	return place ? *place : NULL;
}

static const struct c_type *known(const struct c_type *type)
{
	return type == &mixed ? NULL : type;
}

const struct c_type *autocast_type(const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_RESOLVED:
		return known(e->c_type);
	case AST_NAME:
		if (e->name.local)
			return known(e->name.local->c_type);
		return e->name.global ? known(e->name.global->c_type) : NULL;
	case AST_INDEX:
		return e->index.global ? known(e->index.global->c_type) : NULL;
	case AST_CALL:
		return e->call.function ? known(e->call.function->c_type) : NULL;
	case AST_ASSIGN:
		return e->assign.kind == ASSIGN_SET ? autocast_type(e->assign.value) : NULL;
	case AST_TERNARY: {
		const struct c_type *type = autocast_type(e->ternary.a);

		return type ? type : autocast_type(e->ternary.b);
	}
	case AST_NUMBER:
	case AST_STRING:
	case AST_PRINT:
	case AST_UNARY:
	case AST_BINARY:
	case AST_INCDEC:
	case AST_IN:
	case AST_REGEX:
	case AST_TARGET:
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_STAT:
	case AST_HIST:
	case AST_EMBEDDED:
	case AST_ERROR:
		return NULL;
	}
	return NULL;
}

static const struct c_type *unqualified(const struct c_type *type)
{
	while (type && (type->kind == C_CONST || type->kind == C_VOLATILE || type->kind == C_RESTRICT))
		type = type->target;
	return type;
}

// Scripts only read members, so `const` and the like make no difference, wherever they stand.
static bool same_type(const struct c_type *a, const struct c_type *b)
{
	struct sp_buf ta = { 0 }, tb = { 0 };
	bool same;

	for (a = unqualified(a), b = unqualified(b); a && b && a->kind == C_POINTER && b->kind == C_POINTER;) {
		a = unqualified(a->target);
		b = unqualified(b->target);
	}
	same = a == b;
	if (!same) {
		c_type_print_plain(&ta, a);
		c_type_print_plain(&tb, b);
		same = sp_streq(sp_buf_str(&ta), sp_buf_str(&tb));
		sp_buf_deinit(&ta);
		sp_buf_deinit(&tb);
	}
	return same;
}

static void merge(struct rounds *r, const struct c_type **slot, const struct c_type *type)
{
	if (!type || *slot == type || *slot == &mixed)
		return;
	if (*slot && same_type(*slot, type))
		return;
	*slot = *slot ? &mixed : type;
	r->changed = true;
}

static void carry_keys(struct rounds *r, struct global *global, const struct ast_list *keys)
{
	for (unsigned i = 0; i < PROGRAM_MAX_KEYS && i < keys->n; i++)
		if (keys->v[i]) // not a part of a slice that is left open
			merge(r, &global->key_c_types[i], autocast_type(keys->v[i]));
}

static void carry(void *ctx, struct ast_expr **place)
{
	struct rounds *r = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_INDEX && e->index.global)
		carry_keys(r, e->index.global, &e->index.keys);
	if (e->kind == AST_ASSIGN && e->assign.kind == ASSIGN_SET) {
		const struct c_type *type = autocast_type(e->assign.value);
		struct ast_expr *target = e->assign.target;

		if (target->kind == AST_NAME && target->name.local)
			merge(r, &target->name.local->c_type, type);
		else if (target->kind == AST_NAME && target->name.global)
			merge(r, &target->name.global->c_type, type);
		else if (target->kind == AST_INDEX && target->index.global)
			merge(r, &target->index.global->c_type, type);
	} else if (e->kind == AST_CALL && e->call.function) {
		struct function *f = e->call.function;

		for (unsigned i = 0; i < f->n_params && i < e->call.args.n; i++)
			merge(r, &f->locals.v[i]->c_type, autocast_type(e->call.args.v[i]));
	}
}

static void carry_stmt(void *ctx, struct ast_stmt **place);

static void carry_expr(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, carry, ctx);
}

static void carry_stmt(void *ctx, struct ast_stmt **place)
{
	struct rounds *r = ctx;
	struct ast_stmt *s = *place;

	ast_stmt_children(s, carry_expr, carry_stmt, ctx);
	if (s->kind == AST_S_RETURN && s->expr && r->scene.function)
		merge(r, &r->scene.function->c_type, autocast_type(s->expr));
	if (s->kind == AST_S_FOREACH && s->foreach.global)
		for (unsigned i = 0; i < PROGRAM_MAX_KEYS && i < s->foreach.keys.n; i++)
			if (s->foreach.keys.v[i] && s->foreach.keys.v[i]->kind == AST_NAME && s->foreach.keys.v[i]->name.local)
				merge(r, &s->foreach.keys.v[i]->name.local->c_type, known(s->foreach.global->key_c_types[i]));
	if (s->kind == AST_S_FOREACH && s->foreach.value && s->foreach.global &&
	    s->foreach.value->name.local)
		merge(r, &s->foreach.value->name.local->c_type, known(s->foreach.global->c_type));
}

// Is the expression still to be resolved, because a type is not found yet? Branches below such a condition are left alone:
// @defined may turn out to be false, and the branch would be dead.
bool autocast_is_open(const struct ast_expr *e)
{
	return e->kind == AST_DEFINED || (e->kind == AST_UNARY && autocast_is_open(e->unary.a)) ||
	       (e->kind == AST_BINARY && (autocast_is_open(e->binary.a) || autocast_is_open(e->binary.b)));
}

static void resolve_expr(void *ctx, struct ast_expr **place)
{
	struct rounds *r = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_DEFINED)
		return;
	if (e->kind == AST_TERNARY && autocast_is_open(e->ternary.cond))
		return;
	tree_expr_children(e, resolve_expr, ctx);
	if ((e->kind == AST_TARGET || e->kind == AST_CAST) && path_resolve(&r->scene, place) != PATH_WAITS)
		r->changed = true;
}

static void resolve_stmt(void *ctx, struct ast_stmt **place)
{
	struct ast_stmt *s = *place;

	if (s->kind == AST_S_IF && autocast_is_open(s->cond.cond))
		return;
	ast_stmt_children(s, resolve_expr, resolve_stmt, ctx);
}

static void drop_defined(void *ctx, struct ast_expr **place)
{
	struct rounds *r = ctx;

	if ((*place)->kind == AST_DEFINED) {
		*place = tree_number(r->cx->arena, *place, 0);
		r->changed = true;
	}
}

static void run_body(struct rounds *r, struct ast_stmt **body, struct site *site, struct function *f)
{
	r->scene.site = site;
	r->scene.function = f;
	if (r->scene.last_round)
		tree_walk_stmt(*body, drop_defined, r);
	fold_stmt(&r->scene, body);
	carry_stmt(r, body);
	resolve_stmt(r, body);
}

static void run_round(struct rounds *r)
{
	struct program *program = r->cx->program;

	r->changed = false;
	for (size_t i = 0; i < program->handlers.n; i++) {
		struct handler *h = program->handlers.v[i];

		run_body(r, &h->body, h->sites.n ? h->sites.v[0] : NULL, NULL);
	}
	for (size_t i = 0; i < program->functions.n; i++)
		if (program->functions.v[i]->is_used)
			run_body(r, &program->functions.v[i]->body, NULL, program->functions.v[i]);
}

static void forget_mixed(struct program *program)
{
	sp_vec_each(global, &program->globals) {
		(*global)->c_type = known((*global)->c_type);
		for (unsigned i = 0; i < PROGRAM_MAX_KEYS; i++)
			(*global)->key_c_types[i] = known((*global)->key_c_types[i]);
	}
	for (size_t i = 0; i < program->handlers.n; i++)
		sp_vec_each(local, &program->handlers.v[i]->locals)
			(*local)->c_type = known((*local)->c_type);
	for (size_t i = 0; i < program->functions.n; i++) {
		program->functions.v[i]->c_type = known(program->functions.v[i]->c_type);
		sp_vec_each(local, &program->functions.v[i]->locals)
			(*local)->c_type = known((*local)->c_type);
	}
}

void autocast_run(struct context *cx)
{
	struct rounds r = { .cx = cx, .scene = { .cx = cx } };

	do {
		run_round(&r);
	} while (r.changed);
	// No more types can be found: an open @defined(p->x) is now false, and an open `p->x` an error.
	r.scene.last_round = true;
	do {
		run_round(&r);
	} while (r.changed);
	forget_mixed(cx->program);
}
