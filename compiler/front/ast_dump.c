// SPDX-License-Identifier: GPL-2.0-or-later
// ast_dump(): a tree for tests and tools, one node a line. (ast_print.c prints script text for messages.)
#include "compiler/front/ast.h"

#include <inttypes.h>

struct dumper {
	struct sp_buf *out;
	struct source_map *places; // NULL: none are shown
	unsigned depth;
};

static const char *expr_kind_name(enum ast_expr_kind kind)
{
	static const char *const names[] = {
#define AST_EXPR(kind, name) #name,
#include "ast.def"
#undef AST_EXPR
	};

	return names[kind];
}

static const char *stmt_kind_name(enum ast_stmt_kind kind)
{
	static const char *const names[] = {
#define AST_STMT(kind, name) #name,
#include "ast.def"
#undef AST_STMT
	};

	return names[kind];
}

static const char *unary_text(enum ast_unary_op op)
{
	static const char *const texts[] = {
		[UN_MINUS] = "-", [UN_PLUS] = "+", [UN_NOT] = "!", [UN_BITNOT] = "~",
	};

	return texts[op];
}

static void put_quoted(struct sp_buf *out, const char *text, size_t len)
{
	sp_buf_putc(out, '"');
	sp_buf_quoted(out, text, len);
	sp_buf_putc(out, '"');
}

static void begin_line(struct dumper *d, const char *word)
{
	sp_buf_fill(d->out, ' ', 2 * d->depth);
	sp_buf_puts(d->out, word);
}

static void end_line(struct dumper *d, struct span span)
{
	struct source_place place;

	if (d->places && span.file) {
		place = source_place(d->places, span);
		sp_buf_printf(d->out, " @%u:%u", place.line, place.column);
	}
	sp_buf_putc(d->out, '\n');
}

// ---- expressions ----

static void dump_expr(struct dumper *d, const struct ast_expr *e);

static void dump_labelled(struct dumper *d, const char *label, const struct ast_expr *e)
{
	if (!e)
		return;
	begin_line(d, label);
	end_line(d, SPAN_NONE);
	d->depth++;
	dump_expr(d, e);
	d->depth--;
}

static void dump_list(struct dumper *d, struct ast_list list)
{
	for (unsigned i = 0; i < list.n; i++)
		dump_expr(d, list.v[i]);
}

static void dump_steps(struct dumper *d, struct ast_steps steps)
{
	for (unsigned i = 0; i < steps.n; i++) {
		const struct ast_step *step = &steps.v[i];

		begin_line(d, "step ");
		switch (step->kind) {
		case STEP_MEMBER:
			sp_buf_printf(d->out, "->%s", step->name);
			break;
		case STEP_INDEX:
			sp_buf_puts(d->out, "[]");
			break;
		case STEP_PRETTY:
			sp_buf_puts(d->out, "$");
			break;
		case STEP_PRETTY_DEEP:
			sp_buf_puts(d->out, "$$");
			break;
		case STEP_PRETTY_PLAIN:
			break;
		}
		end_line(d, step->span);
		d->depth++;
		if (step->index)
			dump_expr(d, step->index);
		d->depth--;
	}
}

static void put_address(struct dumper *d, bool address_of)
{
	sp_buf_puts(d->out, address_of ? " &" : " ");
}

static void dump_hist(struct sp_buf *out, const struct ast_expr *e)
{
	if (e->hist.is_linear)
		sp_buf_printf(out, " @hist_linear %" PRId64 " %" PRId64 " %" PRId64, e->hist.low, e->hist.high, e->hist.step);
	else
		sp_buf_puts(out, " @hist_log");
}

// The one word that follows the kind; NULL: another number of words.
static const char *word_of(const struct ast_expr *e)
{
	switch ((int)e->kind) {
	case AST_NAME:
		return e->name.name;
	case AST_INDEX:
		return e->index.name;
	case AST_CALL:
		return e->call.name;
	case AST_PRINT:
		return ast_print_name(e->print.kind, e->print.to_string);
	case AST_UNARY:
		return unary_text(e->unary.op);
	case AST_BINARY:
		return ast_binary_op_text(e->binary.op);
	case AST_IN:
		return e->in.name;
	case AST_REGEX:
		return e->regex.negated ? "!~" : "=~";
	case AST_PROBEWRITE:
		return e->probewrite.name;
	case AST_STAT:
		return ast_stat_op_name(e->stat.op);
	}
	return NULL;
}

// Prints what stands on the node's own line behind its kind.
static void dump_detail(struct dumper *d, const struct ast_expr *e)
{
	const char *word = word_of(e);
	struct sp_buf *out = d->out;

	if (word)
		sp_buf_printf(out, " %s", word);
	switch (e->kind) {
	case AST_NUMBER:
		sp_buf_printf(out, " %" PRId64, e->number);
		break;
	case AST_STRING:
		sp_buf_putc(out, ' ');
		put_quoted(out, e->string.text, e->string.len);
		break;
	case AST_ASSIGN:
		sp_buf_printf(out, " %s", e->assign.kind == ASSIGN_STAT ? "<<<" :
			      e->assign.kind == ASSIGN_OP ? ast_binary_op_text(e->assign.op) : "");
		sp_buf_puts(out, e->assign.kind == ASSIGN_STAT ? "" : "=");
		break;
	case AST_INCDEC:
		sp_buf_printf(out, " %s %s", e->incdec.delta > 0 ? "++" : "--",
			      e->incdec.is_prefix ? "before" : "after");
		break;
	case AST_TARGET:
		put_address(d, e->target.address_of);
		sp_buf_puts(out, e->target.name ? e->target.name : "(autocast)");
		break;
	case AST_CAST:
		put_address(d, e->cast.address_of);
		sp_buf_puts(out, e->cast.is_enum ? "name of " : "");
		put_quoted(out, e->cast.type_name, strlen(e->cast.type_name));
		break;
	case AST_ATVAR:
		put_address(d, e->atvar.address_of);
		sp_buf_puts(out, e->atvar.is_enum ? "enumerator " : "");
		put_quoted(out, e->atvar.name, strlen(e->atvar.name));
		break;
	case AST_PERF:
		sp_buf_putc(out, ' ');
		put_quoted(out, e->perf.name, strlen(e->perf.name));
		break;
	case AST_HIST:
		dump_hist(out, e);
		break;
	case AST_EMBEDDED:
		sp_buf_putc(out, ' ');
		put_quoted(out, e->embedded.code, strlen(e->embedded.code));
		break;
	case AST_NAME: case AST_INDEX: case AST_CALL: case AST_PRINT: case AST_UNARY: case AST_BINARY: case AST_TERNARY: case AST_IN:
	case AST_REGEX: case AST_DEFINED: case AST_ENTRY: case AST_PROBEWRITE: case AST_STAT: case AST_RESOLVED: case AST_ERROR:
		break;
	}
}

static void dump_field(struct dumper *d, const struct ast_field *field, const void *at)
{
	const struct ast_expr *const *e = at;

	switch (field->form) {
	case FIELD_NEEDED:
	case FIELD_OPTIONAL:
	case FIELD_LITERAL:
		if (*field->label)
			dump_labelled(d, field->label, *e);
		else if (*e)
			dump_expr(d, *e);
		break;
	case FIELD_LIST:
	case FIELD_SLICE:
		dump_list(d, *(const struct ast_list *)at);
		break;
	case FIELD_STEPS:
		dump_steps(d, *(const struct ast_steps *)at);
		break;
	case FIELD_TEXT: // on the node's own line
	case FIELD_END:
		break;
	}
}

static void dump_expr(struct dumper *d, const struct ast_expr *e)
{
	if (!e) {
		begin_line(d, "*");
		end_line(d, SPAN_NONE);
		return;
	}
	begin_line(d, expr_kind_name(e->kind));
	dump_detail(d, e);
	if (e->type != TYPE_UNKNOWN)
		sp_buf_printf(d->out, " :%s", ast_type_name(e->type));
	end_line(d, e->op_span);
	d->depth++;
	for (const struct ast_field *field = ast_fields(e->kind); field->form != FIELD_END; field++)
		dump_field(d, field, (const char *)e + field->offset);
	d->depth--;
}

// ---- statements ----

static void dump_stmt(struct dumper *d, const struct ast_stmt *s);

static void dump_labelled_stmt(struct dumper *d, const char *label, const struct ast_stmt *s)
{
	if (!s)
		return;
	begin_line(d, label);
	end_line(d, SPAN_NONE);
	d->depth++;
	dump_stmt(d, s);
	d->depth--;
}

static void dump_foreach(struct dumper *d, const struct ast_stmt *s)
{
	struct sp_buf line = { 0 };

	for (unsigned i = 0; i < s->foreach.keys.n; i++)
		dump_labelled(d, "key", s->foreach.keys.v[i]);
	dump_labelled(d, "value", s->foreach.value);
	if (s->foreach.array) {
		begin_line(d, "array ");
		sp_buf_puts(d->out, s->foreach.array);
		end_line(d, s->foreach.array_span);
	}
	if (s->foreach.slice.n) {
		begin_line(d, "slice");
		end_line(d, SPAN_NONE);
		d->depth++;
		dump_list(d, s->foreach.slice);
		d->depth--;
	}
	if (s->foreach.hist)
		dump_expr(d, s->foreach.hist);
	if (s->foreach.sort_key >= 0) {
		const char *dir = s->foreach.sort_dir > 0 ? "up" : "down";

		if (s->foreach.sort_by_stat)
			sp_buf_printf(&line, "sort by %s %s", ast_stat_op_name(s->foreach.sort_stat), dir);
		else if (s->foreach.sort_key)
			sp_buf_printf(&line, "sort by key %d %s", s->foreach.sort_key, dir);
		else
			sp_buf_printf(&line, "sort by value %s", dir);
		begin_line(d, sp_buf_str(&line));
		end_line(d, SPAN_NONE);
	}
	dump_labelled(d, "limit", s->foreach.limit);
	dump_stmt(d, s->foreach.body);
	sp_buf_deinit(&line);
}

static void dump_stmt_parts(struct dumper *d, const struct ast_stmt *s)
{
	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			dump_stmt(d, s->block.v[i]);
		break;
	case AST_S_EXPR:
	case AST_S_RETURN:
	case AST_S_DELETE:
		if (s->expr)
			dump_expr(d, s->expr);
		break;
	case AST_S_IF:
		dump_expr(d, s->cond.cond);
		dump_stmt(d, s->cond.then);
		dump_labelled_stmt(d, "else", s->cond.otherwise);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		dump_labelled(d, "init", s->loop.init);
		dump_labelled(d, "cond", s->loop.cond);
		dump_labelled(d, "step", s->loop.step);
		dump_stmt(d, s->loop.body);
		break;
	case AST_S_FOREACH:
		dump_foreach(d, s);
		break;
	case AST_S_TRY:
		dump_stmt(d, s->try_.body);
		begin_line(d, "catch");
		if (s->try_.message)
			sp_buf_printf(d->out, " %s", s->try_.message);
		end_line(d, SPAN_NONE);
		dump_stmt(d, s->try_.handler);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
}

static void dump_stmt(struct dumper *d, const struct ast_stmt *s)
{
	begin_line(d, stmt_kind_name(s->kind));
	end_line(d, s->span);
	d->depth++;
	dump_stmt_parts(d, s);
	d->depth--;
}

// ---- units ----

static void dump_points(struct dumper *d, const char *word, const struct ast_points *points)
{
	for (unsigned i = 0; i < points->n; i++) {
		const struct ast_point *point = points->v[i];

		begin_line(d, word);
		sp_buf_putc(d->out, ' ');
		ast_print_point(d->out, point);
		end_line(d, point->span);
	}
}

static void dump_global(struct dumper *d, const struct ast_global *global)
{
	begin_line(d, global->is_private ? "private global " : "global ");
	sp_buf_puts(d->out, global->name);
	if (global->size)
		sp_buf_printf(d->out, "[%" PRId64 "]", global->size);
	sp_buf_puts(d->out, global->wraps ? "%" : "");
	end_line(d, global->span);
	d->depth++;
	if (global->init)
		dump_expr(d, global->init);
	d->depth--;
}

static void dump_function(struct dumper *d, const struct ast_function *function)
{
	begin_line(d, function->is_private ? "private function " : "function ");
	sp_buf_printf(d->out, "%s:%s (", function->name, ast_type_name(function->return_type));
	for (unsigned i = 0; i < function->n_params; i++)
		sp_buf_printf(d->out, "%s%s:%s", i ? ", " : "", function->params[i].name,
			      ast_type_name(function->params[i].type));
	sp_buf_putc(d->out, ')');
	if (function->priority >= 0)
		sp_buf_printf(d->out, ":%" PRId64, function->priority);
	end_line(d, function->span);
	d->depth++;
	if (function->embedded) {
		begin_line(d, "code ");
		put_quoted(d->out, function->embedded, strlen(function->embedded));
		end_line(d, SPAN_NONE);
	}
	if (function->body)
		dump_stmt(d, function->body);
	d->depth--;
}

static void dump_alias(struct dumper *d, const struct ast_alias *alias)
{
	begin_line(d, alias->is_private ? "private alias" : "alias");
	sp_buf_puts(d->out, alias->is_epilogue ? " +=" : " =");
	end_line(d, alias->span);
	d->depth++;
	dump_points(d, "name", &alias->names);
	dump_points(d, "point", &alias->points);
	dump_stmt(d, alias->body);
	dump_labelled_stmt(d, "epilogue", alias->epilogue);
	d->depth--;
}

void ast_dump(struct sp_buf *out, const struct unit *unit, struct source_map *places)
{
	struct dumper d = { .out = out, .places = places };

	for (unsigned i = 0; i < unit->n_embeds; i++) {
		begin_line(&d, "code ");
		put_quoted(out, unit->embeds[i]->code, strlen(unit->embeds[i]->code));
		end_line(&d, unit->embeds[i]->span);
	}
	for (unsigned i = 0; i < unit->n_globals; i++)
		dump_global(&d, unit->globals[i]);
	for (unsigned i = 0; i < unit->n_functions; i++)
		dump_function(&d, unit->functions[i]);
	for (unsigned i = 0; i < unit->n_aliases; i++)
		dump_alias(&d, unit->aliases[i]);
	for (unsigned i = 0; i < unit->n_probes; i++) {
		begin_line(&d, "probe");
		end_line(&d, unit->probes[i]->span);
		d.depth++;
		dump_points(&d, "point", &unit->probes[i]->points);
		dump_stmt(&d, unit->probes[i]->body);
		d.depth--;
	}
}
