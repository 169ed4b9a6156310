// SPDX-License-Identifier: GPL-2.0-or-later
// Every string variable has a capacity: the longest text ever assigned to it, found by fixpoint. A string that grows
// (s = s . "x") has the limit, MAXSTRINGLEN. The texts of stacks have a limit of their own, and what they become a part of has that, too.
#include "compiler/sema/size.h"
#include "compiler/model/builtin.h"
#include "compiler/model/name_table.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/format.h"
#include "compiler/sema/sema.h"
#include "compiler/sema/tree.h"
#include "runtime/base/cleanup.h"

#define COMM_SIZE 16 // TASK_COMM_LEN
#define PATH_SIZE 256 // path of the probed file, for probemod()
#define SYMBOL_SIZE 128 // a kernel symbol: longer ones are rare, and cut
#define ERRNO_SIZE 24 // "EPROTONOSUPPORT"
#define NUMBER_SIZE                                                                                \
	24 // -9223372036854775808, 0xffffffffffffffff, 22 octal digits with their prefix
#define MAX_ROUNDS                                                                                 \
	8 // rounds: chains of assignments are rarely longer. A string that still grows then gets the limit

struct size {
	struct program *program;
	struct function *function;
	uint32_t max_string;
	bool changed;
	bool to_limit; // a string that grows gets the limit at once
};

static uint32_t fit(uint64_t bytes, uint32_t max_string)
{
	return (uint32_t)SP_ALIGN_UP(SP_MIN(bytes, (uint64_t)max_string), 8);
}

static uint64_t format_size(const struct program *program, const struct ast_expr *e,
			    uint32_t max_string)
{
	const struct ast_expr *format = e->print.format;
	struct format_part part;
	uint64_t bytes = 1;
	uint32_t at = 0;
	unsigned n = 0;

	while (format_next(format->string.text, format->string.len, &at, &part) == FORMAT_PART) {
		uint64_t value = NUMBER_SIZE;

		if (part.conversion == '\0' || part.conversion == '%') {
			bytes += part.conversion ? 1 : part.len;
			continue;
		}
		if (part.star_width || part.star_precision || strchr("feg", part.conversion))
			value = max_string;
		n += part.star_width + part.star_precision;
		if (part.conversion == 's' && n < e->print.args.n)
			value = SP_MAX(value, (uint64_t)size_of_expr(program, e->print.args.v[n],
								     max_string));
		n++;
		if (part.conversion == 'M' && part.precision > 0)
			value = 2 * (uint64_t)part.precision;
		if (part.width > 0)
			value = SP_MAX(value, (uint64_t)part.width);
		if (part.precision > 0) // the digits, behind a sign or 0x
			value = SP_MAX(value, (uint64_t)part.precision + (part.conversion == 's' ? 0 : 2));
		bytes += value;
	}
	return bytes;
}

static uint64_t print_size(const struct program *program, const struct ast_expr *e,
			   uint32_t max_string)
{
	uint64_t bytes = 2, between = e->print.format ? e->print.format->string.len : 0;

	if (e->print.kind == PRINT_F)
		return format_size(program, e, max_string);
	for (unsigned i = 0; i < e->print.args.n; i++) {
		const struct ast_expr *arg = e->print.args.v[i];

		bytes += between;
		if (arg->type == TYPE_STRING)
			bytes += size_of_expr(program, arg, max_string);
		else if (arg->kind == AST_HIST && !arg->hist.bucket)
			bytes += max_string;
		else
			bytes += NUMBER_SIZE;
	}
	return bytes;
}

static uint64_t names_size(const struct ast_expr *e, uint32_t max_string)
{
	const struct ast_expr *table = e->call.args.v[1];
	bool is_enum = e->call.builtin == BUILTIN_ENUM_STR;
	sp_cleanup(sp_arena_deinit) struct sp_arena arena = { 0 };
	struct name_table names;
	uint32_t at;

	if (table->kind != AST_STRING || name_table_parse(&arena, table->string.text, is_enum, &names, &at))
		return max_string; // check.c has told
	return name_table_size(&names, is_enum);
}

static uint64_t call_size(const struct program *program, const struct ast_expr *e, uint32_t max_string)
{
	if (e->call.function)
		return e->call.function->return_cap;
	if (e->call.builtin == BUILTIN_EXECNAME)
		return COMM_SIZE;
	if (e->call.builtin == BUILTIN_ERRNO_STR)
		return ERRNO_SIZE;
	if (e->call.builtin == BUILTIN_ENUM_STR || e->call.builtin == BUILTIN_FLAGS_STR)
		return names_size(e, max_string);
	if (e->call.builtin == BUILTIN_SYMNAME)
		return SYMBOL_SIZE;
	if (e->call.builtin == BUILTIN_SUBSTR)
		return size_of_expr(program, e->call.args.v[0], max_string);
	if (e->call.builtin == BUILTIN_TEXT_STRN) // at most "\ooo" for each byte, the quotes, and "..."
		return 4 * (uint64_t)size_of_expr(program, e->call.args.v[0], max_string) + 8;
	if (e->call.builtin == BUILTIN_PP || e->call.builtin == BUILTIN_PN)
		return program->pp_cap;
	if (e->call.builtin == BUILTIN_PPFUNC || e->call.builtin == BUILTIN_PROBEFUNC)
		return program->ppfunc_cap;
	if (e->call.builtin == BUILTIN_PROBEMOD)
		return PATH_SIZE;
	if (e->call.builtin == BUILTIN_PROBE_TYPE)
		return 16;
	return SP_MAX(builtin_stack_size((enum builtin_id)e->call.builtin), max_string);
}

static uint64_t raw_size(const struct program *program, const struct ast_expr *e, uint32_t max_string)
{
	switch (e->kind) {
	case AST_STRING:
		return (uint64_t)e->string.len + 1;
	case AST_NAME:
		return e->name.local ? e->name.local->cap : e->name.global->cap;
	case AST_INDEX:
		return e->index.global->cap;
	case AST_CALL:
		return call_size(program, e, max_string);
	case AST_PRINT:
		return print_size(program, e, max_string);
	case AST_BINARY:
		return (uint64_t)size_of_expr(program, e->binary.a, max_string) +
		       size_of_expr(program, e->binary.b, max_string) - 1;
	case AST_TERNARY:
		return SP_MAX(size_of_expr(program, e->ternary.a, max_string),
			      size_of_expr(program, e->ternary.b, max_string));
	case AST_ASSIGN:
		if (e->assign.kind == ASSIGN_SET)
			return size_of_expr(program, e->assign.value, max_string);
		return (uint64_t)size_of_expr(program, e->assign.target, max_string) +
		       size_of_expr(program, e->assign.value, max_string) - 1;
	case AST_NUMBER:
	case AST_UNARY:
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
	case AST_RESOLVED:
	case AST_ERROR:
		break;
	}
	return max_string;
}

// The limit of a text: MAXSTRINGLEN, but of a part that has more room, and of what is only handed on.
static uint32_t limit_of(const struct program *program, const struct ast_expr *e, uint32_t max_string)
{
	uint32_t most = max_string;

	if (e->kind == AST_NAME || e->kind == AST_INDEX || e->kind == AST_TERNARY || (e->kind == AST_CALL && e->call.function))
		return UINT32_MAX;
	if (e->kind == AST_CALL && e->call.builtin == BUILTIN_SUBSTR)
		most = size_of_expr(program, e->call.args.v[0], most);
	else if (e->kind == AST_CALL)
		most = builtin_stack_size((enum builtin_id)e->call.builtin);
	else if (e->kind == AST_ASSIGN)
		most = SP_MAX(size_of_expr(program, e->assign.target, most), size_of_expr(program, e->assign.value, most));
	else if (e->kind == AST_BINARY)
		most = SP_MAX(size_of_expr(program, e->binary.a, most), size_of_expr(program, e->binary.b, most));
	for (unsigned i = 0; e->kind == AST_PRINT && i < e->print.args.n; i++)
		most = SP_MAX(most, size_of_expr(program, e->print.args.v[i], max_string));
	return SP_MAX(most, max_string);
}

uint32_t size_of_expr(const struct program *program, const struct ast_expr *e, uint32_t max_string)
{
	if (e->type != TYPE_STRING)
		return 8;
	return SP_MAX(fit(raw_size(program, e, max_string), limit_of(program, e, max_string)), 8u);
}

// ---- the fixpoint ---------------------------------------------------------------------------------------------------

static void grow(struct size *s, uint32_t *cap, uint32_t to)
{
	if (to <= *cap)
		return;
	*cap = s->to_limit ? SP_MAX(fit(s->max_string, s->max_string), to) : to;
	s->changed = true;
}

static void take(struct size *s, uint32_t *cap, const struct ast_expr *e)
{
	if (e && e->type == TYPE_STRING)
		grow(s, cap, size_of_expr(s->program, e, s->max_string));
}

static void take_keys(struct size *s, struct global *g, const struct ast_list *keys)
{
	for (unsigned i = 0; g && i < keys->n && i < g->n_keys; i++)
		take(s, &g->key_caps[i], keys->v[i]);
}

static uint32_t *cap_of(const struct ast_expr *e)
{
	if (e->kind == AST_NAME)
		return e->name.local ? &e->name.local->cap : &e->name.global->cap;
	return e->kind == AST_INDEX ? &e->index.global->cap : NULL;
}

static void size_expr(void *ctx, struct ast_expr **place)
{
	struct size *s = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_ASSIGN && e->type == TYPE_STRING) {
		uint32_t *cap = cap_of(e->assign.target);

		if (cap)
			grow(s, cap, size_of_expr(s->program, e, s->max_string));
	} else if (e->kind == AST_INDEX) {
		take_keys(s, e->index.global, &e->index.keys);
	} else if (e->kind == AST_IN) {
		take_keys(s, e->in.global, &e->in.keys);
	} else if (e->kind == AST_CALL && e->call.function && !e->call.function->embed) {
		for (unsigned i = 0; i < e->call.args.n; i++)
			take(s, &e->call.function->locals.v[i]->cap, e->call.args.v[i]);
	}
}

static void size_whole(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, size_expr, ctx);
}

static void size_foreach(struct size *s, struct ast_stmt *stmt)
{
	struct global *g = stmt->foreach.global;

	take_keys(s, g, &stmt->foreach.slice);
	for (unsigned i = 0; i < stmt->foreach.keys.n; i++)
		if (g->key_types[i] == TYPE_STRING)
			grow(s, cap_of(stmt->foreach.keys.v[i]), g->key_caps[i]);
	if (stmt->foreach.value && g->type == TYPE_STRING)
		grow(s, cap_of(stmt->foreach.value), g->cap);
}

static void size_stmt(void *ctx, struct ast_stmt **place)
{
	struct size *s = ctx;
	struct ast_stmt *stmt = *place;

	if (stmt->kind == AST_S_FOREACH && stmt->foreach.global)
		size_foreach(s, stmt);
	else if (stmt->kind == AST_S_RETURN && s->function)
		take(s, &s->function->return_cap, stmt->expr);
	else if (stmt->kind == AST_S_TRY && stmt->try_.local)
		grow(s, &stmt->try_.local->cap, fit(s->max_string, s->max_string));
	ast_stmt_children(stmt, size_whole, size_stmt, s);
}

static void start_locals(struct local **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i]->type == TYPE_STRING)
			v[i]->cap = SP_MAX(v[i]->cap, 8u);
}

// A global has room for the value that -G gives. A string that the script never assigns has room for a path: it is there to
// be given with -G, perhaps when the compiled script runs.
static uint64_t start_of_global(const struct global *g, const char *const *given)
{
	uint64_t bytes = g->init ? (uint64_t)g->init->string.len + 1 : 8;
	size_t len = strlen(g->name);

	if (g->is_array)
		return 8;
	if (g->is_given)
		return UINT32_MAX; // as long as a string can be
	if (!g->is_written && !g->is_private)
		bytes = SP_MAX(bytes, (uint64_t)PATH_SIZE);
	for (; given && *given; given++)
		if (strncmp(*given, g->name, len) == 0 && (*given)[len] == '=')
			bytes = SP_MAX(bytes, (uint64_t)strlen(*given + len));
	return bytes;
}

static void start(struct size *s, const char *const *given)
{
	struct program *program = s->program;

	program->pp_cap = program->ppfunc_cap = 8;
	for (size_t i = 0; i < program->handlers.n; i++) {
		struct handler *h = program->handlers.v[i];

		start_locals(h->locals.v, h->locals.n);
		sp_vec_each(site, &h->sites) {
			program->pp_cap = SP_MAX(program->pp_cap,
						 fit(strlen((*site)->point) + 1, s->max_string));
			if ((*site)->name)
				program->pp_cap = SP_MAX(program->pp_cap, fit(strlen((*site)->name) + 1, s->max_string));
			program->ppfunc_cap = SP_MAX(program->ppfunc_cap,
						     fit(strlen((*site)->function) + 1,
							 s->max_string));
		}
	}
	for (size_t i = 0; i < program->functions.n; i++) {
		struct function *f = program->functions.v[i];

		start_locals(f->locals.v, f->locals.n);
		for (size_t k = 0; f->embed && k < f->locals.n; k++)
			if (f->locals.v[k]->type == TYPE_STRING)
				f->locals.v[k]->cap = fit(s->max_string, s->max_string);
		if (f->return_type == TYPE_STRING)
			f->return_cap = 8;
	}
	for (size_t i = 0; i < program->globals.n; i++) {
		struct global *g = program->globals.v[i];

		if (g->type == TYPE_STRING)
			g->cap = fit(start_of_global(g, given), s->max_string);
		if (g->is_array)
			g->key_caps = sp_arena_array(&program->arena, uint32_t, g->n_keys);
		for (unsigned k = 0; k < g->n_keys; k++)
			g->key_caps[k] = 8;
	}
	// Embedded C may write MAXSTRINGLEN bytes to any string it is given.
	sp_vec_each(embed, &program->embeds) {
		sp_vec_each(use, &(*embed)->globals)
			if (use->global->type == TYPE_STRING)
				use->global->cap = fit(s->max_string, s->max_string);
	}
}

void sema_size(const struct sema_opts *opts, struct program *program)
{
	struct size s = { .program = program, .max_string = opts->max_string };

	start(&s, opts->globals);
	for (unsigned round = 0; round == 0 || s.changed; round++) {
		s.changed = false;
		s.to_limit = round >= MAX_ROUNDS;
		for (size_t i = 0; i < program->functions.n; i++) {
			s.function = program->functions.v[i];
			if (s.function->is_used)
				size_stmt(&s, &s.function->body);
		}
		s.function = NULL;
		for (size_t i = 0; i < program->handlers.n; i++)
			size_stmt(&s, &program->handlers.v[i]->body);
	}
}
