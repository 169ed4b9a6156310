// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/ast.h"

struct verifier {
	const struct unit *unit;
	const struct source_map *sources;
	const char *broken; // the first break
};

static void verify_expr(struct verifier *v, const struct ast_expr *e);
static void verify_stmt(struct verifier *v, const struct ast_stmt *s);

static void check(struct verifier *v, bool holds, const char *what)
{
	if (!holds && !v->broken)
		v->broken = what;
}

static void check_span(struct verifier *v, struct span span)
{
	const struct source_file *file = source_file(v->sources, span.file);

	check(v, file != NULL, "a node has no place");
	check(v, span.file == v->unit->file, "a node's place is in another file");
	if (file)
		check(v, span.off <= file->len && span.len <= file->len - span.off, "a place reaches beyond its file");
}

static void check_name(struct verifier *v, const char *name)
{
	check(v, name && *name, "a name is missing");
}

static void verify_needed(struct verifier *v, const struct ast_expr *e)
{
	check(v, e != NULL, "an expression is missing");
	if (e)
		verify_expr(v, e);
}

static void verify_optional(struct verifier *v, const struct ast_expr *e)
{
	if (e)
		verify_expr(v, e);
}

static void verify_list(struct verifier *v, struct ast_list list, bool stars)
{
	for (unsigned i = 0; i < list.n; i++) {
		check(v, stars || list.v[i], "a list outside of slices has a *");
		verify_optional(v, list.v[i]);
	}
}

static void verify_steps(struct verifier *v, struct ast_steps steps)
{
	for (unsigned i = 0; i < steps.n; i++) {
		const struct ast_step *step = &steps.v[i];
		bool is_pretty = step->kind == STEP_PRETTY || step->kind == STEP_PRETTY_DEEP;

		check(v, !is_pretty || i + 1 == steps.n, "a pretty-printing tail is not last");
		check(v, (step->kind == STEP_INDEX) == (step->index != NULL), "an index step without its index");
		if (step->kind == STEP_MEMBER)
			check_name(v, step->name);
		verify_optional(v, step->index);
	}
}

static bool is_kind(const struct ast_expr *e, enum ast_expr_kind kind)
{
	return e && (e->kind == kind || e->kind == AST_ERROR);
}

static bool is_variable(const struct ast_expr *e)
{
	return is_kind(e, AST_NAME) || is_kind(e, AST_INDEX);
}

static void verify_print(struct verifier *v, const struct ast_expr *e)
{
	bool has_format = e->print.kind == PRINT_F || e->print.kind == PRINT_D || e->print.kind == PRINT_DLN;

	check(v, has_format ? is_kind(e->print.format, AST_STRING) : !e->print.format, "a print has a wrong format");
	check(v, e->print.args.n || e->print.kind == PRINT_F || e->print.kind == PRINT_LN, "a print has no values");
}

// Checks the text that a node must have; a name must not be empty, either.
static void verify_text(struct verifier *v, const struct ast_expr *e)
{
	switch ((int)e->kind) {
	case AST_STRING:
		check(v, e->string.text && e->string.text[e->string.len] == '\0', "a string has no end");
		break;
	case AST_NAME:
		check_name(v, e->name.name);
		break;
	case AST_INDEX:
		check_name(v, e->index.name);
		break;
	case AST_CALL:
		check_name(v, e->call.name);
		break;
	case AST_IN:
		check_name(v, e->in.name);
		break;
	case AST_PROBEWRITE:
		check_name(v, e->probewrite.name);
		break;
	case AST_CAST:
		check(v, e->cast.type_name != NULL, "a cast has no type");
		break;
	case AST_ATVAR:
		check(v, e->atvar.name != NULL, "@var has no name");
		break;
	case AST_PERF:
		check(v, e->perf.name != NULL, "@perf has no name");
		break;
	case AST_EMBEDDED:
		check(v, e->embedded.code != NULL, "embedded code is missing");
		break;
	}
}

// Checks what is true of the fields of nodes of one kind alone.
static void verify_node(struct verifier *v, const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_RESOLVED:
		check(v, false, "the parser made a resolved node");
		break;
	case AST_INDEX:
		check(v, e->index.keys.n > 0, "an index has no key");
		break;
	case AST_PRINT:
		verify_print(v, e);
		break;
	case AST_ASSIGN:
		check(v, e->assign.kind == ASSIGN_STAT ? is_variable(e->assign.target) : ast_is_lvalue(e->assign.target),
		      "an assignment to what is no variable");
		break;
	case AST_INCDEC:
		check(v, ast_is_lvalue(e->incdec.target), "++ of what is no variable");
		break;
	case AST_IN:
		check(v, e->in.keys.n > 0, "`in` has no key");
		break;
	case AST_REGEX:
		check(v, is_kind(e->regex.pattern, AST_STRING), "a pattern is no literal");
		break;
	case AST_TARGET:
		check(v, !e->target.name != !e->target.base, "a target has a name or a base, not both");
		check(v, !e->target.base || e->target.steps.n, "an autocast has no steps");
		break;
	case AST_STAT:
		check(v, is_variable(e->stat.stat), "a statistic of what is no variable");
		break;
	case AST_HIST:
		check(v, is_variable(e->hist.stat), "a histogram of what is no variable");
		break;
	case AST_NUMBER: case AST_STRING: case AST_NAME: case AST_CALL: case AST_UNARY: case AST_BINARY: case AST_TERNARY:
	case AST_CAST: case AST_ATVAR: case AST_DEFINED: case AST_ENTRY: case AST_PERF: case AST_PROBEWRITE: case AST_EMBEDDED:
	case AST_ERROR:
		break;
	}
}

static void verify_field(struct verifier *v, const struct ast_field *field, const void *at)
{
	const struct ast_expr *const *e = at;

	switch (field->form) {
	case FIELD_NEEDED:
		verify_needed(v, *e);
		break;
	case FIELD_OPTIONAL:
	case FIELD_LITERAL:
		verify_optional(v, *e);
		break;
	case FIELD_LIST:
	case FIELD_SLICE:
		verify_list(v, *(const struct ast_list *)at, field->form == FIELD_SLICE);
		break;
	case FIELD_STEPS:
		verify_steps(v, *(const struct ast_steps *)at);
		break;
	case FIELD_TEXT:
	case FIELD_END:
		break;
	}
}

static void verify_expr(struct verifier *v, const struct ast_expr *e)
{
	check_span(v, e->span);
	check_span(v, e->op_span);
	verify_text(v, e);
	verify_node(v, e);
	for (const struct ast_field *field = ast_fields(e->kind); field->form != FIELD_END; field++)
		verify_field(v, field, (const char *)e + field->offset);
}

static void verify_foreach(struct verifier *v, const struct ast_stmt *s)
{
	int n_keys = s->foreach.keys.n;

	check(v, n_keys > 0, "a foreach has no key");
	for (int i = 0; i < n_keys; i++)
		check(v, is_kind(s->foreach.keys.v[i], AST_NAME), "a foreach key is no name");
	verify_list(v, s->foreach.keys, false);
	check(v, !s->foreach.value || is_kind(s->foreach.value, AST_NAME), "a foreach value is no name");
	check(v, !s->foreach.array != !s->foreach.hist, "a foreach has an array or a histogram, not both");
	check(v, s->foreach.sort_key >= -1 && s->foreach.sort_key <= n_keys, "a foreach sorts by no key of its own");
	check(v, s->foreach.sort_key < 0 || s->foreach.sort_dir == 1 || s->foreach.sort_dir == -1,
	      "a foreach sorts in no direction");
	verify_list(v, s->foreach.slice, true);
	verify_optional(v, s->foreach.hist);
	verify_optional(v, s->foreach.limit);
	verify_stmt(v, s->foreach.body);
}

static void verify_stmt(struct verifier *v, const struct ast_stmt *s)
{
	check(v, s != NULL, "a statement is missing");
	if (!s)
		return;
	check_span(v, s->span);
	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			verify_stmt(v, s->block.v[i]);
		break;
	case AST_S_EXPR:
		verify_needed(v, s->expr);
		break;
	case AST_S_RETURN:
		verify_optional(v, s->expr);
		break;
	case AST_S_DELETE:
		check(v, is_variable(s->expr), "a delete of what is no variable");
		verify_needed(v, s->expr);
		break;
	case AST_S_IF:
		verify_needed(v, s->cond.cond);
		verify_stmt(v, s->cond.then);
		if (s->cond.otherwise)
			verify_stmt(v, s->cond.otherwise);
		break;
	case AST_S_WHILE:
		verify_needed(v, s->loop.cond);
		verify_stmt(v, s->loop.body);
		break;
	case AST_S_FOR:
		verify_optional(v, s->loop.init);
		verify_optional(v, s->loop.cond);
		verify_optional(v, s->loop.step);
		verify_stmt(v, s->loop.body);
		break;
	case AST_S_FOREACH:
		verify_foreach(v, s);
		break;
	case AST_S_TRY:
		verify_stmt(v, s->try_.body);
		verify_stmt(v, s->try_.handler);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
}

static void verify_points(struct verifier *v, const struct ast_points *points)
{
	check(v, points->n > 0, "a probe has no point");
	for (unsigned i = 0; i < points->n; i++) {
		const struct ast_point *point = points->v[i];

		check_span(v, point->span);
		check(v, point->n_parts > 0, "a probe point has no component");
		for (unsigned k = 0; k < point->n_parts; k++) {
			const struct ast_expr *arg = point->parts[k].arg;

			check_name(v, point->parts[k].name);
			check_span(v, point->parts[k].span);
			check(v, !arg || is_kind(arg, AST_NUMBER) || is_kind(arg, AST_STRING),
			      "a probe point's argument is no literal");
		}
		verify_optional(v, point->condition);
	}
}

static void verify_function(struct verifier *v, const struct ast_function *function)
{
	check_name(v, function->name);
	check_span(v, function->span);
	for (unsigned i = 0; i < function->n_params; i++) {
		check_name(v, function->params[i].name);
		check_span(v, function->params[i].span);
	}
	check(v, !function->body != !function->embedded, "a function has a body or code, not both");
	if (function->body)
		verify_stmt(v, function->body);
}

const char *ast_verify(const struct unit *unit, const struct source_map *sources)
{
	struct verifier v = { .unit = unit, .sources = sources };

	for (unsigned i = 0; i < unit->n_globals; i++) {
		check_name(&v, unit->globals[i]->name);
		check_span(&v, unit->globals[i]->span);
		verify_optional(&v, unit->globals[i]->init);
	}
	for (unsigned i = 0; i < unit->n_functions; i++)
		verify_function(&v, unit->functions[i]);
	for (unsigned i = 0; i < unit->n_aliases; i++) {
		const struct ast_alias *alias = unit->aliases[i];

		verify_points(&v, &alias->names);
		verify_points(&v, &alias->points);
		verify_stmt(&v, alias->body);
		if (alias->epilogue)
			verify_stmt(&v, alias->epilogue);
	}
	for (unsigned i = 0; i < unit->n_probes; i++) {
		verify_points(&v, &unit->probes[i]->points);
		verify_stmt(&v, unit->probes[i]->body);
	}
	for (unsigned i = 0; i < unit->n_embeds; i++)
		check(&v, unit->embeds[i]->code != NULL, "embedded code is missing");
	return v.broken;
}
