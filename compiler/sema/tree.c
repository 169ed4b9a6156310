// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/tree.h"

static void resolved(struct site_value *v, ast_expr_fn fn, void *ctx)
{
	if (v->base == SITE_BASE_EXPR && v->expr)
		fn(ctx, &v->expr);
	for (unsigned i = 0; i < v->n_kept; i++)
		fn(ctx, &v->kept[i].value);
	for (unsigned i = 0; i < v->n_steps; i++)
		if (v->steps[i].kind == STEP_SCALE && v->steps[i].index)
			fn(ctx, &v->steps[i].index);
}

void tree_expr_children(struct ast_expr *e, ast_expr_fn fn, void *ctx)
{
	if (e->kind == AST_RESOLVED)
		resolved(e->resolved, fn, ctx);
	else
		ast_expr_children(e, fn, ctx);
}

struct deep {
	ast_expr_fn fn;
	void *ctx;
};

static void walk_expr(void *ctx, struct ast_expr **place)
{
	const struct deep *deep = ctx;

	tree_expr_children(*place, walk_expr, ctx);
	deep->fn(deep->ctx, place);
}

static void walk_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, walk_expr, walk_stmt, ctx);
}

void tree_walk_expr(struct ast_expr **place, ast_expr_fn fn, void *ctx)
{
	struct deep deep = { fn, ctx };

	walk_expr(&deep, place);
}

void tree_walk_stmt(struct ast_stmt *s, ast_expr_fn fn, void *ctx)
{
	struct deep deep = { fn, ctx };

	ast_stmt_children(s, walk_expr, walk_stmt, &deep);
}

static struct ast_expr *expr(struct sp_arena *arena, enum ast_expr_kind kind, enum ast_type type,
			     struct span span, struct span op_span)
{
	struct ast_expr *e = sp_arena_new(arena, struct ast_expr);

	e->kind = kind;
	e->type = type;
	e->span = span;
	e->op_span = op_span;
	return e;
}

static struct ast_expr *expr_like(struct sp_arena *arena, enum ast_expr_kind kind,
				  enum ast_type type, const struct ast_expr *like)
{
	return expr(arena, kind, type, like->span, like->op_span);
}

struct ast_expr *tree_number(struct sp_arena *arena, const struct ast_expr *like, int64_t value)
{
	struct ast_expr *e = expr_like(arena, AST_NUMBER, TYPE_LONG, like);

	e->number = value;
	return e;
}

static const struct c_type whole_number = { .kind = C_INT, .name = "long", .size = 8, .is_signed = true, .is_complete = true };

struct ast_expr *tree_location(struct sp_arena *arena, const struct ast_expr *like, const struct site *site,
			       const struct loc *loc, const char *text)
{
	struct ast_expr *e = expr_like(arena, AST_RESOLVED, TYPE_LONG, like);
	struct site_value *v = sp_arena_new(arena, struct site_value);

	v->base = SITE_BASE_LOC;
	v->loc = loc;
	v->space = site->space;
	v->module = site->module;
	v->base_type = v->type = &whole_number;
	v->text = text;
	e->resolved = v;
	return e;
}

struct ast_expr *tree_string(struct sp_arena *arena, const struct ast_expr *like, const char *text)
{
	struct ast_expr *e = expr_like(arena, AST_STRING, TYPE_STRING, like);

	e->string.text = text;
	e->string.len = (uint32_t)strlen(text);
	return e;
}

struct ast_expr *tree_local(struct sp_arena *arena, const struct ast_expr *like, struct local *local)
{
	struct ast_expr *e = expr_like(arena, AST_NAME, local->type, like);

	e->name.name = local->name;
	e->name.local = local;
	e->c_type = local->c_type;
	return e;
}

static struct ast_list copy_list(struct sp_arena *arena, struct ast_expr *const *v, unsigned n)
{
	return (struct ast_list){ sp_arena_memdup(arena, v, n * sizeof(*v)), n };
}

struct ast_expr *tree_index(struct sp_arena *arena, const struct ast_expr *like,
			    struct global *array, struct ast_expr *const *keys, unsigned n_keys)
{
	struct ast_expr *e = expr_like(arena, AST_INDEX, array->type, like);

	e->index.name = array->name;
	e->index.global = array;
	e->index.keys = copy_list(arena, keys, n_keys);
	return e;
}

struct ast_expr *tree_in(struct sp_arena *arena, const struct ast_expr *like, struct global *array,
			 struct ast_expr *const *keys, unsigned n_keys)
{
	struct ast_expr *e = expr_like(arena, AST_IN, TYPE_LONG, like);

	e->in.name = array->name;
	e->in.global = array;
	e->in.keys = copy_list(arena, keys, n_keys);
	return e;
}

struct ast_expr *tree_builtin(struct sp_arena *arena, const struct ast_expr *like, int builtin)
{
	const struct builtin *info = builtin_info((enum builtin_id)builtin);
	enum ast_type type = info->result == BUILTIN_RESULT_LONG ? TYPE_LONG : TYPE_STRING;
	struct ast_expr *e = expr_like(arena, AST_CALL, type, like);

	e->call.name = info->name;
	e->call.builtin = builtin;
	return e;
}

struct ast_expr *tree_variable(struct sp_arena *arena, const struct ast_expr *like, const char *name)
{
	struct ast_expr *e = expr_like(arena, AST_TARGET, TYPE_UNKNOWN, like);

	e->target.name = name;
	return e;
}

struct ast_expr *tree_target(struct sp_arena *arena, const struct ast_expr *atvar)
{
	struct ast_expr *e = tree_variable(arena, atvar, sp_arena_printf(arena, "$%s", atvar->atvar.name));

	e->target.steps = atvar->atvar.steps;
	e->target.address_of = atvar->atvar.address_of;
	return e;
}

struct ast_expr *tree_binary(struct sp_arena *arena, enum ast_binary_op op, struct ast_expr *a,
			     struct ast_expr *b)
{
	struct ast_expr *e = expr(arena, AST_BINARY, TYPE_LONG, span_join(a->span, b->span),
				  a->op_span);

	e->binary.op = op;
	e->binary.a = a;
	e->binary.b = b;
	return e;
}

struct ast_expr *tree_not(struct sp_arena *arena, struct ast_expr *a)
{
	struct ast_expr *e = expr_like(arena, AST_UNARY, TYPE_LONG, a);

	e->unary.op = UN_NOT;
	e->unary.a = a;
	return e;
}

struct ast_expr *tree_assign(struct sp_arena *arena, struct ast_expr *target, struct ast_expr *value)
{
	struct ast_expr *e = expr_like(arena, AST_ASSIGN, target->type, value);

	e->assign.kind = ASSIGN_SET;
	e->assign.target = target;
	e->assign.value = value;
	return e;
}

struct ast_stmt *tree_stmt(struct sp_arena *arena, enum ast_stmt_kind kind, struct span span)
{
	struct ast_stmt *s = sp_arena_new(arena, struct ast_stmt);

	s->kind = kind;
	s->span = span;
	return s;
}

struct ast_stmt *tree_expr_stmt(struct sp_arena *arena, struct ast_expr *e)
{
	struct ast_stmt *s = tree_stmt(arena, AST_S_EXPR, e->span);

	s->expr = e;
	return s;
}

struct ast_stmt *tree_delete(struct sp_arena *arena, struct ast_expr *e)
{
	struct ast_stmt *s = tree_stmt(arena, AST_S_DELETE, e->span);

	s->expr = e;
	return s;
}

struct ast_stmt *tree_if(struct sp_arena *arena, struct ast_expr *cond, struct ast_stmt *then,
			 struct ast_stmt *otherwise)
{
	struct ast_stmt *s = tree_stmt(arena, AST_S_IF, cond->span);

	s->cond.cond = cond;
	s->cond.then = then;
	s->cond.otherwise = otherwise;
	return s;
}

struct ast_stmt *tree_block(struct sp_arena *arena, struct span span, struct ast_stmt *const *v,
			    unsigned n)
{
	struct ast_stmt *s = tree_stmt(arena, AST_S_BLOCK, span);

	s->block.v = sp_arena_memdup(arena, v, n * sizeof(*v));
	s->block.n = n;
	return s;
}

const struct builtin *tree_builtin_of(const struct ast_expr *e)
{
	return e->kind == AST_CALL && !e->call.function && e->call.builtin >= 0 ? builtin_info((enum builtin_id)e->call.builtin) : NULL;
}

bool tree_asks_site(const struct ast_expr *e)
{
	const struct builtin *b = tree_builtin_of(e);

	return b && b->where >= BUILTIN_WHERE_SITE;
}

bool tree_names_address(const struct ast_expr *e)
{
	const struct builtin *b = tree_builtin_of(e);

	return b && b->lower == BUILTIN_LOWER_SYMBOLS && sp_streq(b->args, "l") && e->call.args.n == 1;
}

bool tree_reads_registers(const struct ast_expr *e, bool is_return)
{
	return tree_asks_site(e) && builtin_info((enum builtin_id)e->call.builtin)->where >=
					    (is_return ? BUILTIN_WHERE_RETURN : BUILTIN_WHERE_REGISTERS);
}

static bool is_builtin(const struct ast_expr *e, enum builtin_id a, enum builtin_id b)
{
	return e->kind == AST_CALL && !e->call.function && (e->call.builtin == (int)a || e->call.builtin == (int)b);
}

bool tree_is_deref(const struct ast_expr *e)
{
	return is_builtin(e, BUILTIN_KDEREF, BUILTIN_UDEREF);
}

bool tree_is_register(const struct ast_expr *e)
{
	return is_builtin(e, BUILTIN_KREGISTER, BUILTIN_UREGISTER);
}

static void print_meaning(void *ctx, struct ast_expr **place)
{
	const struct ast_expr *e = *place;
	const void *of = e->kind == AST_NAME ? e->name.global : e->kind == AST_INDEX ? e->index.global : e->kind == AST_IN ? e->in.global : NULL;

	if (e->kind == AST_CALL)
		of = e->call.function;
	if (of)
		sp_buf_printf(ctx, " %p", of);
}

void tree_print_key(struct sp_buf *out, struct ast_expr *e)
{
	ast_print_expr(out, e);
	tree_walk_expr(&e, print_meaning, out);
}

struct local *tree_new_local(struct sp_arena *arena, const char *name, struct span span)
{
	struct local *local = sp_arena_new(arena, struct local);

	local->name = name;
	local->span = local->type_span = span;
	local->is_read = local->is_written = true;
	return local;
}

struct ast_stmt *tree_set_thread(struct sp_arena *arena, const struct ast_expr *like, struct local *local)
{
	struct ast_expr *tid = tree_assign(arena, tree_local(arena, like, local), tree_builtin(arena, like, BUILTIN_TID));
	struct ast_expr *cpu = tree_binary(arena, BIN_SUB, tree_number(arena, like, -1), tree_builtin(arena, like, BUILTIN_CPU));
	struct ast_stmt *idle = tree_expr_stmt(arena, tree_assign(arena, tree_local(arena, like, local), cpu));

	idle = tree_if(arena, tree_not(arena, tree_local(arena, like, local)), idle, NULL);
	return tree_block(arena, like->span, (struct ast_stmt *[]){ tree_expr_stmt(arena, tid), idle }, 2);
}
