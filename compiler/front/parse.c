// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/parse.h"

#include "compiler/front/habit.h"
#include "compiler/front/macro.h"
#include "compiler/front/parse_expr.h"
#include "compiler/front/parse_op.h"
#include "compiler/front/parse_point.h"
#include "compiler/front/parse_stmt.h"
#include "compiler/front/parse_value.h"
#include "runtime/base/cleanup.h"

#define MAX_PARAMS 1000 // of one function

// The declarations of a file, before finish_unit() moves them to its unit.
struct parsed {
	SP_VEC(struct ast_probe *) probes;
	SP_VEC(struct ast_alias *) aliases;
	SP_VEC(struct ast_global *) globals;
	SP_VEC(struct ast_function *) functions;
	SP_VEC(struct ast_embedded *) embeds;
	struct sp_hash global_names; // values: the struct ast_global
};

// ---- probes and aliases ----

// A block that begins anew: it is in no loop, and in a function only when that is said.
static struct ast_stmt *parse_body(struct parser *p, bool in_function)
{
	p->in_function = in_function;
	p->loops = 0;
	return parse_block(p);
}

static void check_alias_name(struct parser *p, const struct ast_points *names, struct span span)
{
	const struct ast_point *name = names->v[0];
	const char *what = NULL;

	if (names->n > 1)
		what = "an alias has one name";
	else if (name->optional || name->sufficient)
		what = "an alias's name takes no ? or !";
	else if (name->condition)
		what = "an alias's name takes no condition";
	for (unsigned i = 0; !what && i < name->n_parts; i++)
		if (strchr(name->parts[i].name, '*'))
			what = "an alias's name has no wildcards";
	if (what) {
		parser_error(p, span, DIAG_ALIAS_NAME, "%s", what);
		p->panic = false;
	}
}

// "probe NAME = POINTS {", or with several names: "probe NAME = NAME = POINTS {".
static void parse_alias(struct parser *p, struct parsed *parsed, struct ast_points names, struct span span)
{
	struct ast_alias *alias = sp_arena_new(p->arena, struct ast_alias);
	SP_VEC(struct ast_point *) all = { 0 };

	alias->span = span;
	while (!p->panic && (parser_is(p, TOK_SET) || parser_is(p, TOK_ADD_SET))) {
		const struct token *first;

		check_alias_name(p, &names, span);
		sp_vec_push(&all, names.v[0]);
		alias->is_epilogue |= parser_next(p)->kind == TOK_ADD_SET;
		first = parser_peek(p);
		names = parse_points(p);
		span = parser_span_from(p, first);
	}
	alias->names.v = sp_arena_memdup(p->arena, all.v, all.n * sizeof(*all.v));
	alias->names.n = (unsigned)all.n;
	alias->points = names;
	sp_vec_deinit(&all);
	if (p->panic)
		return;
	alias->body = parse_body(p, false);
	if (!alias->is_epilogue && parser_is(p, TOK_COMMA) && parser_ahead(p, 1)->kind == TOK_LBRACE) {
		parser_next(p);
		alias->epilogue = parse_body(p, false);
	}
	sp_vec_push(&parsed->aliases, alias);
}

// The text from there up to the next blank, `{` or line, as a probe point of bpftrace in our words; NULL: it is none.
static const char *meant_point(struct parser *p, const struct token *first)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	for (const struct token *token = first; token->kind != TOK_END && token->kind != TOK_LBRACE && (token == first || token->is_glued); token++)
		sp_buf_add(&text, token->text, token->len);
	return text.len ? habit_point(p->arena, sp_buf_str(&text)) : NULL;
}

static void hint_at_point(struct parser *p, struct diag *d, const char *point)
{
	diag_hint(p->dc, d, "in this language that is: probe %s { ... }", point);
}

// `begin`: of what the body belongs to.
static void expected_body(struct parser *p, const struct token *begin, const char *what)
{
	const char *point = parser_peek(p)->kind == TOK_COLON ? meant_point(p, begin) : NULL;
	struct diag *d = parser_expected(p, DIAG_EXPECTED, what);

	if (point)
		hint_at_point(p, d, point);
	else if (parser_peek(p)->kind == TOK_ARROW)
		diag_hint(p->dc, d, "the type of a result stands behind the name: function NAME:long (...)");
	else if (parser_peek(p)->kind == TOK_EMBEDDED)
		diag_hint(p->dc, d, "only functions can be written as embedded code");
	else if (parser_peek(p)->kind == TOK_DIV)
		diag_hint(p->dc, d, "a filter is a statement of the handler: { if (pid() == 1) ... }");
}

// After an error in a probe point: parses the handler nevertheless, to report its errors in the same run.
static void parse_body_for_errors(struct parser *p)
{
	while (!parser_peek(p)->starts_line && parser_peek(p)->kind != TOK_END &&
	       (parser_peek(p)->kind != TOK_LBRACE || p->parens))
		parser_next(p);
	if (parser_peek(p)->kind != TOK_LBRACE)
		return;
	p->panic = false;
	p->parens = 0;
	parse_body(p, false);
}

static void parse_probe(struct parser *p, struct parsed *parsed)
{
	const struct token *keyword = parser_next(p), *first = parser_peek(p);
	struct ast_points points = parse_points(p);
	struct ast_probe *probe;
	struct span span;

	if (p->panic) {
		parse_body_for_errors(p);
		return;
	}
	span = parser_span_from(p, first);
	if (parser_is(p, TOK_SET) || parser_is(p, TOK_ADD_SET)) {
		parse_alias(p, parsed, points, span);
		return;
	}
	if (!parser_is(p, TOK_LBRACE)) {
		expected_body(p, first, "'{', ',' or '.' behind the probe point");
		return;
	}
	probe = sp_arena_new(p->arena, struct ast_probe);
	probe->span = span_join(keyword->span, span);
	probe->points = points;
	probe->body = parse_body(p, false);
	sp_vec_push(&parsed->probes, probe);
}

// ---- globals ----

static void parse_global_size(struct parser *p, struct ast_global *global)
{
	const struct token *open = parser_peek(p);
	int64_t size = 0;

	if (!parser_accept(p, TOK_LBRACKET))
		return;
	open = parser_prev(p);
	if (!parse_number(p, &size))
		parser_expected(p, DIAG_EXPECTED, "the largest number of elements, a number");
	parser_close(p, TOK_RBRACKET, open);
	if (!p->panic && (size < 1 || size > AST_MAX_ELEMENTS)) {
		parser_error(p, parser_span_from(p, open), DIAG_NUMBER_BAD, "an array has room for 1 to %d elements",
			     AST_MAX_ELEMENTS);
		p->panic = false;
	}
	global->size = size;
}

static void parse_global_init(struct parser *p, struct ast_global *global)
{
	const struct token *first = parser_next(p), *value = parser_peek(p);
	int64_t number;
	struct diag *d;

	if (global->size || global->wraps) {
		d = parser_error(p, first->span, DIAG_GLOBAL_INIT, "an array cannot have an initial value");
		diag_hint(p->dc, d, "fill it in probe begin");
		return;
	}
	if (parser_is(p, TOK_STRING)) {
		global->init = parse_string(p);
	} else if (parse_number(p, &number)) {
		global->init = parser_expr(p, AST_NUMBER, parser_span_from(p, value), value->span);
		global->init->number = number;
	} else {
		d = parser_expected(p, DIAG_GLOBAL_INIT, "a number or string literal");
		diag_hint(p->dc, d, "compute other values in probe begin");
	}
}

// A file has one global of a name, private or not.
static void check_global_twice(struct parser *p, struct parsed *parsed, struct ast_global *global)
{
	void **first = sp_hash_insert(&parsed->global_names, global->name, strlen(global->name));
	struct diag *d;

	if (!*first) {
		*first = global;
		return;
	}
	d = parser_complain(p, global->span, DIAG_NAME_TWICE, "global '%s' is declared twice", global->name);
	diag_note(p->dc, d, ((const struct ast_global *)*first)->span, "first declared here");
}

static void parse_global(struct parser *p, struct parsed *parsed, bool is_private)
{
	do {
		const struct token *name = parser_peek(p);
		struct ast_global *global = sp_arena_new(p->arena, struct ast_global);

		global->is_private = is_private;
		global->span = name->span;
		global->name = parser_name(p, "the name of a variable");
		if (!global->name)
			return;
		check_global_twice(p, parsed, global);
		global->wraps = parser_accept(p, TOK_MOD);
		parse_global_size(p, global);
		global->wraps |= parser_accept(p, TOK_MOD);
		if (parser_is(p, TOK_SET))
			parse_global_init(p, global);
		sp_vec_push(&parsed->globals, global);
	} while (parser_accept(p, TOK_COMMA));
	parser_accept(p, TOK_SEMICOLON);
}

// ---- functions ----

// ":long" or ":string", when there is a colon.
static enum ast_type parse_type(struct parser *p)
{
	if (!parser_accept(p, TOK_COLON))
		return TYPE_UNKNOWN;
	if (parser_accept(p, TOK_LONG_TYPE))
		return TYPE_LONG;
	if (parser_accept(p, TOK_STRING_TYPE))
		return TYPE_STRING;
	parser_expected(p, DIAG_TYPE_NAME, "the type long or string");
	return TYPE_UNKNOWN;
}

static void parse_params(struct parser *p, struct ast_function *function)
{
	const struct token *open = parser_peek(p);
	SP_VEC(struct ast_param) params = { 0 };

	if (!parser_expect(p, TOK_LPAREN))
		return;
	while (!p->panic && !parser_is(p, TOK_RPAREN)) {
		struct ast_param param = { .span = parser_peek(p)->span };

		param.name = parser_name(p, "the name of a parameter");
		if (!param.name)
			break;
		if (params.n == MAX_PARAMS) {
			parser_error(p, param.span, DIAG_PARAM_COUNT, "a function has at most %d parameters", MAX_PARAMS);
			break;
		}
		param.type = parse_type(p);
		for (size_t i = 0; i < params.n; i++) {
			if (sp_streq(params.v[i].name, param.name)) {
				struct diag *d = parser_error(p, param.span, DIAG_DUPLICATE,
							      "two parameters are named '%s'", param.name);

				diag_note(p->dc, d, params.v[i].span, "the first");
				p->panic = false;
			}
		}
		sp_vec_push(&params, param);
		if (!parser_accept(p, TOK_COMMA))
			break;
	}
	parser_close_list(p, TOK_RPAREN, open);
	function->params = sp_arena_memdup(p->arena, params.v, params.n * sizeof(*params.v));
	function->n_params = params.n;
	sp_vec_deinit(&params);
}

static void parse_priority(struct parser *p, struct ast_function *function)
{
	const struct token *token;
	int64_t number;

	function->priority = -1;
	if (!parser_accept(p, TOK_COLON))
		return;
	token = parser_peek(p);
	if (!parse_number(p, &number)) {
		struct diag *d = parser_expected(p, DIAG_PRIORITY, "a priority, a number");

		if (token->kind == TOK_LONG_TYPE || token->kind == TOK_STRING_TYPE)
			diag_hint(p->dc, d, "the type of the result stands behind the function's name: "
				  "function %s:%s (...)", function->name,
				  token->kind == TOK_LONG_TYPE ? "long" : "string");
	} else if (number < 0 || number > INT32_MAX) {
		parser_error(p, parser_span_from(p, token), DIAG_PRIORITY, "a priority is 0 to %d", INT32_MAX);
		p->panic = false;
	} else {
		function->priority = number;
	}
}

static void parse_function(struct parser *p, struct parsed *parsed, bool is_private)
{
	struct ast_function *function = sp_arena_new(p->arena, struct ast_function);

	parser_next(p);
	function->is_private = is_private;
	function->span = parser_peek(p)->span;
	function->name = parser_name(p, "the name of a function");
	function->return_type = parse_type(p);
	if (parser_is(p, TOK_COLON))
		diag_hint(p->dc, parser_expected(p, DIAG_EXPECTED, "'('"), "a priority stands behind the parameters: %s(...):1", function->name);
	parse_params(p, function);
	parse_priority(p, function);
	if (p->panic)
		return;
	if (parser_is(p, TOK_EMBEDDED)) {
		const struct token *code = parser_next(p);

		function->embedded = parser_text(p, code);
		function->embedded_span = parser_code_span(code);
		parse_op_check_embedded(p, code->span, "embedded code");
	} else if (parser_is(p, TOK_LBRACE)) {
		function->body = parse_body(p, true);
	} else {
		expected_body(p, parser_prev(p), "'{' and the function's body");
		return;
	}
	sp_vec_push(&parsed->functions, function);
}

static void parse_private(struct parser *p, struct parsed *parsed)
{
	const struct token *keyword = parser_next(p);

	if (parser_is(p, TOK_FUNCTION)) {
		parse_function(p, parsed, true);
	} else if (parser_accept(p, TOK_GLOBAL) || parser_is(p, TOK_NAME)) {
		parse_global(p, parsed, true);
	} else if (parser_is(p, TOK_PROBE)) {
		parser_error(p, keyword->span, DIAG_PRIVATE, "a probe or alias cannot be private");
		p->panic = false;
	} else {
		parser_expected(p, DIAG_PRIVATE, "'function', 'global' or a variable's name behind 'private'");
	}
}

// ---- the file ----

static void parse_embedded(struct parser *p, struct parsed *parsed)
{
	const struct token *token = parser_next(p);
	struct ast_embedded *embedded = sp_arena_new(p->arena, struct ast_embedded);

	embedded->code = parser_text(p, token);
	embedded->span = parser_code_span(token);
	parse_op_check_embedded(p, token->span, "embedded code");
	sp_vec_push(&parsed->embeds, embedded);
}

// The keyword that the user probably meant: "prob begin { ... }" gives "probe". NULL: none is similar.
static const char *meant_word(struct parser *p, const struct token *token)
{
	static const char *const words[] = { "probe", "global", "function", "private" };

	if (token->kind != TOK_NAME)
		return NULL;
	for (size_t i = 0; i < SP_ARRAY_SIZE(words); i++)
		if (sp_edit_distance(parser_text(p, token), words[i], 2) <= 2)
			return words[i];
	return NULL;
}

static void no_declaration(struct parser *p)
{
	const struct token *token = parser_peek(p);
	const char *point = meant_point(p, token), *meant = point ? NULL : meant_word(p, token);
	struct sp_buf found = { 0 };
	struct diag *d;

	if (p->forgiven) {
		p->forgiven -= token->kind == TOK_RBRACE;
		parser_next(p);
		return;
	}
	token_describe(token, &found);
	d = parser_error(p, token->span, DIAG_TOP_LEVEL, "expected a declaration but found %s", sp_buf_str(&found));
	sp_buf_deinit(&found);
	if (point)
		hint_at_point(p, d, point);
	else if (meant)
		diag_hint(p->dc, d, "did you mean '%s'?", meant);
	else if (token->kind == TOK_NAME && (parser_ahead(p, 1)->kind == TOK_LBRACE || parser_ahead(p, 1)->kind == TOK_DOT))
		diag_hint(p->dc, d, "a probe begins with the word probe");
	else if (token->kind == TOK_NAME && parser_ahead(p, 1)->kind == TOK_SET)
		diag_hint(p->dc, d, "a variable that all handlers see is declared: global %.*s = VALUE", (int)token->len, token->text);
	else if (token->kind == TOK_RBRACE)
		diag_hint(p->dc, d, "there are more } than {");
	else if (!d->hint)
		diag_hint(p->dc, d, "statements stand in a block: probe begin { ... }");
	parser_next(p);
	parser_sync_top(p);
}

static void parse_declaration(struct parser *p, struct parsed *parsed)
{
	const struct token *token = parser_peek(p);

	if (token->kind == TOK_PROBE)
		parse_probe(p, parsed);
	else if (token->kind == TOK_FUNCTION)
		parse_function(p, parsed, false);
	else if (token->kind == TOK_PRIVATE)
		parse_private(p, parsed);
	else if (token->kind == TOK_EMBEDDED)
		parse_embedded(p, parsed);
	else if (parser_accept(p, TOK_GLOBAL))
		parse_global(p, parsed, false);
	else if (token->kind == TOK_SEMICOLON || token->kind == TOK_BROKEN)
		parser_next(p);
	else
		no_declaration(p);
	p->unwinding = false;
	p->hint = NULL;
	if (p->panic)
		parser_sync_top(p);
}

#define MOVE_LIST(unit, parsed, name)                                                              \
	((unit)->name = sp_arena_memdup(&(unit)->arena, (parsed)->name.v,                          \
					(parsed)->name.n * sizeof(*(parsed)->name.v)),             \
	 (unit)->n_##name = (parsed)->name.n, free((parsed)->name.v))

static void finish_unit(struct unit *unit, struct parsed *parsed)
{
	MOVE_LIST(unit, parsed, probes);
	MOVE_LIST(unit, parsed, aliases);
	MOVE_LIST(unit, parsed, globals);
	MOVE_LIST(unit, parsed, functions);
	MOVE_LIST(unit, parsed, embeds);
}

static bool has_broken(const struct token_list *tokens)
{
	for (size_t i = 0; i < tokens->n; i++)
		if (tokens->v[i].kind == TOK_BROKEN)
			return true;
	return false;
}

struct unit *parse_file(struct source_map *sources, uint32_t file, const struct parse_env *env, struct diag_ctx *dc)
{
	const struct source_file *source = source_file(sources, file);
	struct unit *unit = unit_create(file);
	struct token_list raw = { 0 }, tokens = { 0 };
	struct sp_arena texts = { 0 };
	struct parsed parsed = { 0 };
	bool is_empty;
	struct parser p = {
		.dc = dc, .env = env, .unit = unit, .arena = &unit->arena,
		.allows_embedded = env->guru || source->kind != SOURCE_USER,
	};

	lex_file(sources, file, &texts, dc, &raw);
	is_empty = raw.n == 1;
	macro_expand(sources, &raw, env, &texts, dc, &tokens);
	p.v = tokens.v;
	p.has_broken = has_broken(&tokens);
	if (tokens.n == 1 && source->kind == SOURCE_USER) {
		struct diag *d = diag(dc, (struct span){ file, 0, 0 }, DIAG_FILE_EMPTY,
				      is_empty ? "the script is empty" : "nothing is left of the script after preprocessing");

		diag_hint(dc, d, "a script needs a probe, for example: probe begin { println(\"hello\") }");
	}
	while (!p.given_up && parser_peek(&p)->kind != TOK_END)
		parse_declaration(&p, &parsed);
	finish_unit(unit, &parsed);
	sp_hash_deinit(&parsed.global_names);
	token_list_deinit(&raw);
	token_list_deinit(&tokens);
	sp_arena_deinit(&texts);
	return unit;
}
