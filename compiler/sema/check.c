// SPDX-License-Identifier: GPL-2.0-or-later
// Checks the rules that need types or depend on where code runs: in the kernel, or in the runtime's process.
#include "compiler/sema/access.h"
#include "compiler/sema/calls.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/format.h"
#include "compiler/sema/sema.h"
#include "compiler/sema/tree.h"
#include "compiler/sema/walked.h"

#include "compiler/model/name_table.h"
#include "compiler/model/regex.h"
#include "compiler/model/similar.h"

struct check {
	const struct sema_opts *opts;
	struct program *program;
	const struct handler **in_kernel,
		**in_user; // by function: a handler on that side that calls it, directly or not; NULL: none
	const struct function *function; // the function being checked; NULL: the body of `handler`
	const struct handler *kernel,
		*user; // who runs the body on each side; one is NULL in a handler
};

static bool runs_in_user(const struct check *c, const struct handler *h)
{
	if (h->prog_kind == SP_PROG_USER)
		return true;
	// Under the user engine, handlers of programs run in the runtime, too.
	return c->opts->env->user_engine_only && h->sites.n && h->sites.v[0]->space == SPACE_USER;
}

static const char *probe_name(const struct handler *h)
{
	return h->sites.n ? h->sites.v[0]->point : "this probe";
}

// A function may be wrong only where one probe calls it: a note shows that probe.
static void note_probe(const struct check *c, struct diag *d, const struct handler *h)
{
	if (c->function)
		diag_note(c->opts->dc, d, h->probe->span, "%s() is called from the handler of %s",
			  c->function->name, probe_name(h));
}

// ---- expressions ----------------------------------------------------------------------------------------------------

static bool is_kernel_memory(const struct ast_expr *target)
{
	if (target->kind == AST_CALL)
		return target->call.builtin == BUILTIN_KDEREF;
	return target->resolved->space == SPACE_KERNEL || target->resolved->base == SITE_BASE_RECORD;
}

static const struct handler *some_handler(const struct check *c)
{
	return c->kernel ? c->kernel : c->user;
}

static void needs_guru(const struct check *c, struct span span, const char *what)
{
	struct diag *d = diag(c->opts->dc, span, DIAG_WRITE_GURU, "%s, which needs guru mode", what);

	diag_hint(c->opts->dc, d, "run the script with -g");
	if (some_handler(c))
		note_probe(c, d, some_handler(c));
}

static void check_register(const struct check *c, const struct ast_expr *target)
{
	struct diag *d;

	if (c->opts->env->user_engine_only && target->call.builtin == BUILTIN_UREGISTER)
		return;
	d = diag(c->opts->dc, target->span, DIAG_WRITE_PLACE, "%s cannot be written: BPF programs do not change registers",
		 target->call.name);
	if (target->call.builtin == BUILTIN_UREGISTER)
		diag_hint(c->opts->dc, d, "--engine=user changes those of the program");
	if (some_handler(c))
		note_probe(c, d, some_handler(c));
}

// Checks a target of an assignment that is no variable of the script.
static void check_target(const struct check *c, const struct ast_expr *target)
{
	const char *what = target->kind == AST_RESOLVED ? target->resolved->text : tree_is_register(target) ? "a register" : "memory";
	struct diag *d;

	if (target->kind != AST_RESOLVED && !tree_is_deref(target) && !tree_is_register(target))
		return;
	if (!c->opts->guru) {
		needs_guru(c, target->span, sp_arena_printf(&c->program->arena, "%s is written", what));
	} else if (tree_is_register(target)) {
		check_register(c, target);
	} else if (target->kind == AST_RESOLVED && target->resolved->pretty) {
		d = diag(c->opts->dc, target->span, DIAG_WRITE_PLACE, "%s cannot be written: %s", what, "it is a text");
		if (some_handler(c))
			note_probe(c, d, some_handler(c));
	} else if (target->kind == AST_RESOLVED && target->resolved->is_result && !target->resolved->n_steps) {
		return;
	} else if (is_kernel_memory(target)) {
		d = diag(c->opts->dc, target->span, DIAG_WRITE_PLACE, "%s cannot be written: %s", what,
			 "BPF programs change neither the kernel's memory nor what its functions return");
		if (target->kind == AST_RESOLVED && sp_streq(what, "$return") && some_handler(c) && some_handler(c)->sites.v[0]->func)
			diag_hint(c->opts->dc, d, "in the probe of its entry, $return = VALUE is what the function returns instead of being run");
		if (some_handler(c))
			note_probe(c, d, some_handler(c));
	} else if (target->kind == AST_RESOLVED) {
		const struct handler *h = c->function ? c->function->handler : some_handler(c);
		struct context cx = { .opts = c->opts, .program = c->program, .arena = &c->program->arena };
		struct scene scene = { .cx = &cx, .site = h && h->sites.n ? h->sites.v[0] : NULL };

		access_check_write(&scene, target->resolved, target->span);
	}
}

static void check_deref(const struct check *c, const struct ast_expr *e)
{
	const struct ast_expr *size = e->call.args.v[0];

	if (size->kind != AST_NUMBER ||
	    (size->number != 1 && size->number != 2 && size->number != 4 && size->number != 8))
		diag(c->opts->dc, size->span, DIAG_DEREF_SIZE, "%s takes the literal 1, 2, 4 or 8 as its size",
		     e->call.name);
}

// __flags_str(value, table), __enum_str(value, table)
static void check_names(const struct check *c, const struct ast_expr *e)
{
	const struct ast_expr *table = e->call.args.v[1];
	struct sp_arena arena = { 0 };
	struct format_part part = { .len = 1 };
	struct name_table names;
	const char *wrong;

	if (table->kind != AST_STRING) {
		diag(c->opts->dc, table->span, DIAG_LITERAL_NEEDED, "the table of %s is a string literal", e->call.name);
		return;
	}
	wrong = name_table_parse(&arena, table->string.text, e->call.builtin == BUILTIN_ENUM_STR, &names, &part.off);
	if (wrong)
		diag(c->opts->dc, format_span(c->opts->sources, table, &part), DIAG_NAME_TABLE, "%s", wrong);
	sp_arena_deinit(&arena);
}

static bool has_iterator(const struct program *program, const char *name)
{
	for (size_t i = 0; i < program->handlers.n; i++)
		sp_vec_each(site, &program->handlers.v[i]->sites)
			if ((*site)->kind == SP_SITE_ITER && sp_streq((*site)->symbol, name))
				return true;
	return false;
}

static void check_iteration(const struct check *c, const struct ast_expr *e)
{
	const struct ast_expr *name = e->call.args.v[0];
	const struct site *last = c->user && c->user->sites.n ? c->user->sites.v[0] : NULL;
	struct diag *d;

	if (name->kind != AST_STRING) {
		diag(c->opts->dc, name->span, DIAG_LITERAL_NEEDED, "the name of the iterator is not a literal");
	} else if (!has_iterator(c->program, name->string.text)) {
		d = diag(c->opts->dc, name->span, DIAG_ITERATION, "no probe has the iterator '%s'", name->string.text);
		diag_hint(c->opts->dc, d, "probe iter.%s { ... } is what runs for each object", name->string.text);
	} else if (last && (last->kind == SP_SITE_END || last->kind == SP_SITE_ERROR)) {
		d = diag(c->opts->dc, e->span, DIAG_ITERATION, "when %s runs, nothing is attached any more", last->point);
		note_probe(c, d, c->user);
	}
}

static void check_call(const struct check *c, const struct ast_expr *e)
{
	if (e->call.function)
		return;
	if (tree_is_deref(e))
		check_deref(c, e);
	if (e->call.builtin == BUILTIN_ENUM_STR || e->call.builtin == BUILTIN_FLAGS_STR)
		check_names(c, e);
	if (e->call.builtin == BUILTIN_KERNEL_SYMBOL && e->call.args.v[0]->kind != AST_STRING)
		diag(c->opts->dc, e->call.args.v[0]->span, DIAG_LITERAL_NEEDED, "the name of the symbol is not a literal");
	if (e->call.builtin == BUILTIN_RUN_ITER)
		check_iteration(c, e);
	if (e->call.builtin == BUILTIN_RAISE && !c->opts->guru)
		needs_guru(c, e->span, "a signal is sent");
}

// Each value is counted in its bucket when it is added, so all histograms of one aggregate have the same buckets.
static void check_hist(const struct check *c, const struct ast_expr *e)
{
	const struct ast_expr *stat = e->hist.stat;
	struct global *g = stat->kind == AST_NAME ? stat->name.global : stat->index.global;
	struct diag *d;

	if (!e->hist.is_linear || !g)
		return;
	if (!g->linear)
		g->linear = e;
	if (g->linear->hist.low == e->hist.low && g->linear->hist.high == e->hist.high &&
	    g->linear->hist.step == e->hist.step)
		return;
	d = diag(c->opts->dc, e->op_span, DIAG_HIST_DIFFERS, "'%s' has a linear histogram of other limits already",
		 g->name);
	diag_note(c->opts->dc, d, g->linear->op_span, "from %lld to %lld, %lld wide", (long long)g->linear->hist.low,
		  (long long)g->linear->hist.high, (long long)g->linear->hist.step);
}

static void check_pattern(const struct check *c, const struct ast_expr *pattern)
{
	struct sp_arena arena = { 0 };
	struct regex_error err;

	if (!regex_parse(&arena, pattern->string.text, pattern->string.len, &err)) {
		// At the end of the pattern the literal's quote is shown.
		struct format_part part = { .off = err.at, .len = 1 };

		diag(c->opts->dc, format_span(c->opts->sources, pattern, &part), DIAG_REGEX_SYNTAX, "%s", err.text);
	}
	sp_arena_deinit(&arena);
}

static void check_counter(const struct check *c, const struct ast_expr *e)
{
	struct similar similar;
	const char *near;
	struct diag *d;

	if (program_counter(c->program, e->perf.name)) {
		if (!c->user)
			return;
		d = diag(c->opts->dc, e->span, DIAG_PERF_COUNTER, "%s runs outside of the kernel, where @perf counts for no thread",
			 probe_name(c->user));
		note_probe(c, d, c->user);
		return;
	}
	d = diag(c->opts->dc, e->span, DIAG_PERF_COUNTER, "no probe defines the counter '%s'", e->perf.name);
	similar_init(&similar, e->perf.name);
	sp_vec_each(counter, &c->program->counters)
		similar_try(&similar, counter->name);
	near = similar_text(&similar, &c->program->arena);
	if (near)
		diag_hint(c->opts->dc, d, "did you mean %s?", near);
	else
		diag_hint(c->opts->dc, d, "probe perf.sw.task_clock.counter(\"%s\") {} defines one", e->perf.name);
}

static bool is_float(const struct ast_expr *e)
{
	const struct c_type *type = e->kind == AST_RESOLVED && !e->resolved->address_of ? c_type_strip(e->resolved->type) : NULL;

	return type && type->kind == C_FLOAT;
}

static bool computes(enum ast_binary_op op)
{
	return op == BIN_ADD || op == BIN_SUB || op == BIN_MUL || op == BIN_DIV || op == BIN_MOD;
}

// A number of a script that is a variable of the type double has the 64 bits of that, which are no integer to compute with. To compare
// them for equality is right, but for zeros, and between each other only.
static void check_float(struct check *c, const struct ast_expr *a, const struct ast_expr *b, const char *op)
{
	const struct ast_expr *e = is_float(a) ? a : b;
	struct diag *d;

	if (!is_float(e))
		return;
	d = diag(c->opts->dc, e->span, DIAG_FLOAT_BITS, "%s is a floating point number, whose bits `%s` takes for an integer",
		 e->resolved->text ? e->resolved->text : "this", op);
	diag_hint(c->opts->dc, d, "fp_add(), fp_mul(), fp_lt() and their like compute with such bits, fp_to_long(VALUE, 0, 0) makes an integer of them");
}

static bool is_kernel_pointer(const struct ast_expr *e)
{
	const struct c_type *type = e->kind == AST_RESOLVED ? c_type_strip(e->resolved->type) : NULL;

	return type && type->kind == C_POINTER && e->resolved->space == SPACE_KERNEL && !e->resolved->pretty;
}

// Numbers have a sign: `$return > 0` is false for each address of the kernel. `< 0` may look for errors, above -4096.
static void check_pointer(struct check *c, const struct ast_expr *pointer, enum ast_binary_op op, const struct ast_expr *zero)
{
	const char *text;
	struct diag *d;

	if (op == BIN_LT || zero->kind != AST_NUMBER || zero->number || !is_kernel_pointer(pointer))
		return;
	text = pointer->resolved->text ? pointer->resolved->text : "this";
	d = diag(c->opts->dc, pointer->span, DIAG_POINTER_ORDER, "%s is a pointer, and addresses of the kernel are negative numbers", text);
	diag_hint(c->opts->dc, d, "%s != 0 asks whether it is NULL, %s < -4095 whether it is an address and no error", text, text);
}

static enum ast_binary_op turned(enum ast_binary_op op)
{
	return op == BIN_LT ? BIN_GT : op == BIN_GT ? BIN_LT : op == BIN_LE ? BIN_GE : op == BIN_GE ? BIN_LE : op;
}

static void check_binary(struct check *c, const struct ast_expr *e)
{
	enum ast_binary_op op = e->binary.op;
	const struct ast_expr *a = e->binary.a, *b = e->binary.b;
	bool orders = op == BIN_LT || op == BIN_LE || op == BIN_GT || op == BIN_GE, equals = op == BIN_EQ || op == BIN_NE;
	const struct ast_expr *number = a->kind == AST_NUMBER ? a : b->kind == AST_NUMBER ? b : NULL;

	if (computes(op) || orders || (equals && number && number->number))
		check_float(c, a, b, ast_binary_op_text(op));
	if (orders) {
		check_pointer(c, a, op, b);
		check_pointer(c, b, turned(op), a);
	}
}

static void check_assign(struct check *c, const struct ast_expr *e)
{
	check_target(c, e->assign.target);
	if (e->assign.kind == ASSIGN_STAT)
		check_float(c, e->assign.value, e->assign.value, "<<<");
	else if (e->assign.kind == ASSIGN_OP && computes(e->assign.op))
		check_float(c, e->assign.value, e->assign.value, sp_arena_printf(&c->program->arena, "%s=", ast_binary_op_text(e->assign.op)));
}

static void check_expr(void *ctx, struct ast_expr **place)
{
	struct check *c = ctx;
	const struct ast_expr *e = *place;
	struct diag_ctx *dc = c->opts->dc;

	switch (e->kind) {
	case AST_CALL:
		check_call(c, e);
		break;
	case AST_ASSIGN:
		check_assign(c, e);
		break;
	case AST_BINARY:
		check_binary(c, e);
		break;
	case AST_INCDEC:
		check_target(c, e->incdec.target);
		break;
	case AST_HIST:
		check_hist(c, e);
		break;
	case AST_REGEX:
		check_pattern(c, e->regex.pattern);
		break;
	case AST_PERF:
		check_counter(c, e);
		break;
	case AST_PROBEWRITE:
		diag(dc, e->span, DIAG_PROBEWRITE_OUTSIDE, "@probewrite is only for the bodies of probe aliases");
		break;
	case AST_EMBEDDED:
	case AST_NUMBER:
	case AST_STRING:
	case AST_NAME:
	case AST_INDEX:
	case AST_PRINT:
	case AST_UNARY:
	case AST_TERNARY:
	case AST_IN:
	case AST_STAT:
	case AST_TARGET:
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_RESOLVED:
	case AST_ERROR:
		break;
	}
}

static void check_whole(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, check_expr, ctx);
}

// ---- statements -----------------------------------------------------------------------------------------------------

static void check_stmt(void *ctx, struct ast_stmt **place)
{
	struct check *c = ctx;
	struct ast_stmt *s = *place;

	ast_stmt_children(s, check_whole, check_stmt, c);
}

// ---- the program ----------------------------------------------------------------------------------------------------

struct reach {
	struct check *c;
	const struct handler *handler;
	bool user;
};

static void mark_reached(void *ctx, struct function *f)
{
	struct reach *r = ctx;
	const struct handler **slot = r->user ? &r->c->in_user[f->index] : &r->c->in_kernel[f->index];

	if (!*slot)
		*slot = r->handler;
}

static void check_arrays(const struct check *c)
{
	for (size_t i = 0; i < c->program->globals.n; i++) {
		const struct global *g = c->program->globals.v[i];

		if (g->is_array && g->init)
			diag(c->opts->dc, g->span, DIAG_ARRAY_SHAPE,
			     "array '%s' cannot have a first value", g->name);
	}
}

static void check_embeds(const struct check *c)
{
	sp_vec_each(embed, &c->program->embeds) {
		sp_vec_each(use, &(*embed)->globals) {
			struct diag *d;

			if (!use->global || (!use->global->is_array && use->global->type != TYPE_STATS))
				continue;
			d = diag(c->opts->dc, use->span, DIAG_EMBED_GLOBAL, "'%s' is %s, which C cannot be given",
				 use->name, use->global->is_array ? "an array" : "a statistics variable");
			diag_note(c->opts->dc, d, use->global->span, "declared here");
		}
	}
}

// ---- stacks ---------------------------------------------------------------------------------------------------------

static bool reads_stack(const struct ast_expr *e)
{
	const struct builtin *b = tree_builtin_of(e);

	return b && (b->lower == BUILTIN_LOWER_STACK || (b->lower == BUILTIN_LOWER_SYMBOLS && !builtin_max_args(b)));
}

static void find_stack(void *ctx, struct ast_expr **place)
{
	bool *found = ctx;

	*found |= reads_stack(*place);
}

static void find_stack_in(void *ctx, struct function *f)
{
	if (f->body)
		tree_walk_stmt(f->body, find_stack, ctx);
}

// The handler's own call is reported, also when it is a function of the library that reads the stack.
static void check_stack(void *ctx, struct ast_expr **place)
{
	const struct check *c = ctx;
	const struct ast_expr *e = *place;
	bool found = reads_stack(e);
	struct diag *d;

	if (e->kind == AST_CALL && e->call.function && e->call.function->body) {
		find_stack_in(&found, e->call.function);
		calls_each(c->program, e->call.function->body, find_stack_in, &found);
	}
	if (!found)
		return;
	d = diag(c->opts->dc, e->span, DIAG_NO_STACK, "%s reads the stack, which %s cannot", e->call.name, probe_name(c->kernel));
	diag_note(c->opts->dc, d, SPAN_NONE, "the kernel gives BPF programs at netfilter hooks no helper for that");
	diag_hint(c->opts->dc, d, "probe a function that the packet passes there, such as kernel.function(\"nf_hook_slow\")");
}

void sema_check(const struct sema_opts *opts, struct program *program)
{
	struct check c = { .opts = opts, .program = program };

	c.in_kernel = sp_calloc(program->functions.n + 1, sizeof(*c.in_kernel));
	c.in_user = sp_calloc(program->functions.n + 1, sizeof(*c.in_user));
	check_arrays(&c);
	check_embeds(&c);
	for (size_t i = 0; i < program->handlers.n; i++) {
		struct handler *h = program->handlers.v[i];
		struct reach r = { &c, h, runs_in_user(&c, h) };

		calls_each(program, h->body, mark_reached, &r);
		c.kernel = r.user ? NULL : h;
		c.user = r.user ? h : NULL;
		check_stmt(&c, &h->body);
		if (h->prog_kind == SP_PROG_NETFILTER)
			tree_walk_stmt(h->body, check_stack, &c);
	}
	for (size_t i = 0; i < program->functions.n; i++) {
		c.function = program->functions.v[i];
		c.kernel = c.in_kernel[i];
		c.user = c.in_user[i];
		if (c.function->is_used)
			check_stmt(&c, &program->functions.v[i]->body);
	}
	walked_check(opts, program);
	free(c.in_kernel);
	free(c.in_user);
}
