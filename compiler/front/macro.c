// SPDX-License-Identifier: GPL-2.0-or-later
// Expansion is one recursive walk over ranges of tokens: the file, a macro's body, a branch of a condition, a script argument. A
// condition is decided before its branches are read, so the branch that is not taken may hold any tokens. The walk calls itself for
// all of these, so it is one file of more than 600 lines.
#include "compiler/front/macro.h"

#include "compiler/front/habit.h"
#include "compiler/front/macro_cond.h"
#include "compiler/front/unported.h"
#include "compiler/model/similar.h"

#include <inttypes.h>

#define MAX_ERRORS 20
#define MAX_DEPTH 200 // of macros in macros and conditions in conditions
#define MAX_GROWTH 1000000 // tokens and expansions beyond the file's own

// Why a range is expanded that is not the file's own text: the use of a macro or a script argument.
struct frame {
	const struct frame *up;
	const struct macro *macro; // NULL: a script argument
	const struct token_list *args; // by parameter, already expanded
	struct span call; // in the file: what the user sees
};

struct expander {
	struct source_map *sources;
	const struct parse_env *env;
	struct sp_arena *arena;
	struct diag_ctx *dc;
	struct sp_hash *macros; // of this file
	uint32_t *arg_files; // by script argument: the file id of its text, 0: not made yet
	unsigned depth, n_errors;
	size_t budget;
	bool keeps_args; // within a condition: missing arguments are kept, and macro_cond() reports those that matter
	bool stopped;
};

static const char *const operators[] = {
#define OPERATOR(kind, text) text,
#include "operator.def"
#undef OPERATOR
};

// Is "@name" an operator of the language?
static bool is_operator(const struct token *token)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++)
		if (token_is(token, operators[i]))
			return true;
	return false;
}

static void count_error(struct expander *x)
{
	if (++x->n_errors >= MAX_ERRORS)
		x->stopped = true;
}

#define report(x, ...) (count_error(x), diag((x)->dc, __VA_ARGS__))

static void push_broken(struct token_list *out, const struct token *at)
{
	struct token token = *at;

	token.kind = TOK_BROKEN;
	token_push(out, token);
}

static const struct macro *find_macro(const struct expander *x, const char *name, size_t len)
{
	void **slot = sp_hash_find(x->macros, name, len);
	struct macro_library *library = x->env->macros;

	if (slot || !library)
		return slot ? *slot : NULL;
	if (!sp_hash_find(&library->macros, name, len))
		library->read(library->ctx, sp_arena_strndup(x->arena, name, len));
	return *sp_hash_find(&library->macros, name, len);
}

// Does the token follow a variable: @x[...], @x = 1, @x++?
static bool follows_variable(enum tok_kind kind)
{
	switch ((int)kind) {
	case TOK_LBRACKET: case TOK_SET: case TOK_ADD_SET: case TOK_INC: case TOK_DEC:
		return true;
	}
	return false;
}

static void suggest(struct expander *x, struct diag *d, const char *name, enum tok_kind next)
{
	struct macro_library *library = x->env->macros;
	const struct sp_hash *tables[] = { x->macros, library ? &library->macros : NULL };
	const char *want = sp_arena_printf(x->arena, "@%s", name), *near;
	const char *why = unported_macro(name), *instead = habit_operator(name);
	struct similar similar;

	if (why) {
		diag_note(x->dc, d, SPAN_NONE, "%s", why);
		return;
	}
	if (instead) {
		diag_hint(x->dc, d, "here that is %s", instead);
		return;
	}
	if (library)
		library->read(library->ctx, NULL);
	similar_init(&similar, want);
	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++)
		similar_try(&similar, operators[i]);
	for (size_t i = 0; i < SP_ARRAY_SIZE(tables); i++)
		if (tables[i])
			sp_hash_each(entry, tables[i])
				if (entry->value)
					similar_try(&similar, sp_arena_printf(x->arena, "@%s", (const char *)entry->key));
	near = strlen(name) > 1 ? similar_text(&similar, x->arena) : NULL;
	if (near)
		diag_hint(x->dc, d, "did you mean %s?", near);
	else if (follows_variable(next))
		diag_hint(x->dc, d, "a variable that all handlers see is declared: global %s", name);
	else
		diag_hint(x->dc, d, "define it before its use: @define %s %%( ... %%)", name);
}

// The index just behind the %) that closes the %( at `i`; `n` when there is none.
static size_t find_end(const struct token *v, size_t n, size_t i)
{
	unsigned depth = 0;

	for (; i < n; i++) {
		if (v[i].kind == TOK_COND_BEGIN)
			depth++;
		else if (v[i].kind == TOK_COND_END && --depth == 0)
			return i + 1;
	}
	return n;
}

static bool is_closed(const struct token *v, size_t begin, size_t end)
{
	return end > begin + 1 && v[end - 1].kind == TOK_COND_END && find_end(v, end - 1, begin) == end - 1;
}

static void report_open(struct expander *x, const struct token *begin)
{
	struct diag *d = report(x, begin->span, DIAG_COND_OPEN, "'%%(' has no matching '%%)'");

	diag_hint(x->dc, d, "for the remainder of a division write a blank: a %% (b)");
}

// ---- @define ----

// Parses "(a, b)" at `i`; returns the index behind it, or 0 after a report.
static size_t define_params(struct expander *x, const struct token *v, size_t n, size_t i,
			    struct macro *macro)
{
	SP_VEC(const char *) names = { 0 };

	macro->takes_params = true;
	for (i++; i < n && v[i].kind == TOK_NAME; i++) {
		const char *name = sp_arena_strndup(x->arena, v[i].text, v[i].len);

		for (size_t k = 0; k < names.n; k++)
			if (sp_streq(names.v[k], name))
				report(x, v[i].span, DIAG_MACRO_SYNTAX, "this macro parameter is named twice");
		sp_vec_push(&names, name);
		if (i + 1 < n && v[i + 1].kind == TOK_COMMA)
			i++;
		else if (i + 1 < n && v[i + 1].kind != TOK_RPAREN)
			break;
	}
	macro->n_params = names.n;
	macro->params = sp_arena_memdup(x->arena, names.v, names.n * sizeof(*names.v));
	sp_vec_deinit(&names);
	if (i < n && v[i].kind == TOK_RPAREN)
		return i + 1;
	i = SP_MIN(i, n - 1);
	if (v[i].kind == TOK_NAME && i + 1 < n)
		i++;
	report(x, v[i].span, DIAG_MACRO_SYNTAX, "a macro's parameters are names with commas between them");
	return 0;
}

// Where to go on after a malformed @define: behind its body when that can be told.
static size_t define_recover(const struct token *v, size_t n, size_t i)
{
	for (size_t k = i; k < n; k++) {
		if (v[k].kind == TOK_COND_BEGIN)
			return find_end(v, n, k);
		if (v[k].starts_line && k > i)
			return k;
	}
	return n;
}

static void warn_of_operator(struct expander *x, const struct macro *macro)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++)
		if (sp_streq(operators[i] + 1, macro->name))
			diag(x->dc, macro->span, DIAG_MACRO_HIDES, "this macro takes the place of the operator %s", operators[i]);
}

static size_t define(struct expander *x, const struct token *v, size_t n, size_t i, struct token_list *out)
{
	const struct token *at = &v[i++], *name = i < n ? &v[i] : at;
	struct macro *macro = sp_arena_new(x->arena, struct macro);
	size_t next = i, end;
	void **slot;

	if (name == at || name->kind != TOK_NAME) {
		report(x, name->span, DIAG_MACRO_SYNTAX, "@define needs a name");
		push_broken(out, at);
		return define_recover(v, n, i);
	}
	macro->name = sp_arena_strndup(x->arena, name->text, name->len);
	macro->span = name->span;
	warn_of_operator(x, macro);
	next = i + 1;
	if (next < n && v[next].kind == TOK_LPAREN)
		next = define_params(x, v, n, next, macro);
	if (next && (next >= n || v[next].kind != TOK_COND_BEGIN)) {
		struct diag *d = report(x, v[SP_MIN(next, n - 1)].span, DIAG_MACRO_SYNTAX,
					"the body of a macro is missing");

		diag_hint(x->dc, d, "@define %s %%( BODY %%)", macro->name);
		next = 0;
	}
	if (!next) {
		push_broken(out, at);
		return define_recover(v, n, i + 1);
	}
	end = find_end(v, n, next);
	if (!is_closed(v, next, end)) {
		report_open(x, &v[next]);
		push_broken(out, at);
		return n;
	}
	// A copy, as the macro outlives the tokens of the library file or script argument that defines it.
	macro->n_body = end - next - 2;
	macro->body = sp_arena_memdup(x->arena, v + next + 1, macro->n_body * sizeof(*v));
	slot = sp_hash_insert(x->macros, macro->name, strlen(macro->name));
	if (*slot && ((struct macro *)*slot)->span.file == macro->span.file) {
		struct macro *old = *slot;
		struct diag *d = report(x, name->span, DIAG_MACRO_REDEFINED, "this macro is defined twice");

		diag_note(x->dc, d, old->span, "the first definition of @%s", macro->name);
	}
	*slot = macro;
	return end;
}

// ---- uses ----

static void expand_range(struct expander *x, const struct token *v, size_t n, const struct frame *frame,
			 struct token_list *out);

// Appends a token. One of a macro's body or an argument gets the place where the macro or argument is used.
static void push_framed(struct expander *x, const struct token *token, const struct frame *frame,
			struct token_list *out)
{
	struct token copy = *token;

	if (frame) {
		if (!copy.body.file)
			copy.body = copy.span;
		copy.span = frame->call;
		copy.starts_line = false;
	}
	if (x->budget-- == 0) {
		report(x, copy.span, DIAG_MACRO_TOO_BIG, "macros expand to more than a million tokens here");
		x->stopped = true;
		return;
	}
	token_push(out, copy);
}

// The first token of what replaces `use` stands where `use` stood.
static void inherit_layout(struct token_list *out, size_t first, const struct token *use)
{
	if (first < out->n) {
		out->v[first].starts_line = use->starts_line;
		out->v[first].is_glued = use->is_glued;
	}
}

// Splits "(a, b)" at `i` into expanded arguments; returns the index behind it, or 0 when it is not closed.
static size_t collect_args(struct expander *x, const struct token *v, size_t n, size_t i,
			   const struct frame *frame, struct token_list **args, unsigned *n_args)
{
	SP_VEC(struct token_list) list = { 0 };
	size_t start = ++i, depth = 0;
	bool done = false;

	for (; i < n && !done; i++) {
		enum tok_kind kind = v[i].kind;
		bool is_end = depth == 0 && kind == TOK_RPAREN;

		if (is_end || (depth == 0 && kind == TOK_COMMA)) {
			if (!is_end || i > start || list.n) {
				sp_vec_push(&list, (struct token_list){ 0 });
				expand_range(x, v + start, i - start, frame, &sp_vec_last(&list));
			}
			start = i + 1;
			done = is_end;
		} else if (kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE) {
			depth++;
		} else if (depth && (kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE)) {
			depth--;
		} else if (kind == TOK_COND_BEGIN) {
			i = find_end(v, n, i) - 1;
		}
	}
	*args = list.v;
	*n_args = list.n;
	return done ? i : 0;
}

static void free_args(struct token_list *args, unsigned n_args)
{
	for (unsigned i = 0; i < n_args; i++)
		token_list_deinit(&args[i]);
	free(args);
}

static void expand_body(struct expander *x, const struct macro *macro, const struct token *use,
			const struct token_list *args, const struct frame *frame, struct token_list *out)
{
	struct frame inner = {
		.up = frame, .macro = macro, .args = args, .call = frame ? frame->call : use->span,
	};
	size_t first = out->n;

	for (const struct frame *f = frame; f; f = f->up) {
		if (f->macro == macro) {
			struct diag *d = report(x, inner.call, DIAG_MACRO_RECURSION, "a macro uses itself");

			diag_note(x->dc, d, use->span, "@%s is used inside of itself", macro->name);
			push_broken(out, use);
			return;
		}
	}
	if (!frame)
		sp_vec_push(&x->sources->expansions, (struct source_expansion){ use->span, macro->span });
	expand_range(x, macro->body, macro->n_body, &inner, out);
	inherit_layout(out, first, use);
}

static size_t use_macro(struct expander *x, const struct macro *macro, const struct token *v, size_t n,
			size_t i, const struct frame *frame, struct token_list *out)
{
	const struct token *use = &v[i++];
	struct token_list *args = NULL, nothing = { 0 };
	unsigned n_args = 0;
	struct diag *d;

	if (!macro->takes_params) {
		expand_body(x, macro, use, NULL, frame, out);
		return i;
	}
	if (i >= n || v[i].kind != TOK_LPAREN) {
		d = report(x, use->span, DIAG_MACRO_ARITY, "this macro needs arguments in parentheses");
		diag_note(x->dc, d, macro->span, "@%s takes %u", macro->name, macro->n_params);
		push_broken(out, use);
		return i;
	}
	i = collect_args(x, v, n, i, frame, &args, &n_args);
	if (!i) {
		d = report(x, use->span, DIAG_PAREN_OPEN, "the arguments of this macro have no ')'");
		push_broken(out, use);
		i = n;
	} else if (n_args != macro->n_params && !(n_args == 0 && macro->n_params == 1)) {
		d = report(x, use->span, DIAG_MACRO_ARITY, "this macro takes %u argument%s, not %u",
			   macro->n_params, macro->n_params == 1 ? "" : "s", n_args);
		diag_note(x->dc, d, macro->span, "@%s is defined here", macro->name);
		push_broken(out, use);
	} else {
		// @name() gives a single parameter no tokens, as @name(,) does two.
		expand_body(x, macro, use, n_args ? args : &nothing, frame, out);
	}
	free_args(args, n_args);
	return i;
}

static const struct token_list *find_param(const struct frame *frame, const struct token *token)
{
	if (!frame || !frame->macro)
		return NULL;
	for (unsigned i = 0; i < frame->macro->n_params; i++) {
		const char *name = frame->macro->params[i];

		if (sp_is_word(token->text + 1, token->len - 1, name))
			return &frame->args[i];
	}
	return NULL;
}

static size_t expand_at(struct expander *x, const struct token *v, size_t n, size_t i,
			const struct frame *frame, struct token_list *out)
{
	const struct token *token = &v[i];
	const struct token_list *param = find_param(frame, token);
	const struct macro *macro = find_macro(x, token->text + 1, token->len - 1);
	struct token_list *args = NULL;
	unsigned n_args = 0;
	size_t first = out->n, next;
	struct diag *d;
	char *name;

	if (token_is(token, "@define"))
		return define(x, v, n, i, out);
	if (param) {
		for (size_t k = 0; k < param->n && !x->stopped; k++)
			push_framed(x, &param->v[k], NULL, out);
		inherit_layout(out, first, token);
		return i + 1;
	}
	if (macro)
		return use_macro(x, macro, v, n, i, frame, out);
	if (is_operator(token)) {
		push_framed(x, token, frame, out);
		return i + 1;
	}
	name = sp_arena_strndup(x->arena, token->text + 1, token->len - 1);
	d = report(x, frame ? frame->call : token->span, DIAG_MACRO_UNKNOWN,
		   "there is no macro or operator @%s", name);
	if (frame)
		diag_note(x->dc, d, token->span, "it is used here");
	suggest(x, d, name, i + 1 < n ? v[i + 1].kind : TOK_END);
	push_broken(out, token);
	// The arguments are dropped, too: they would only give more errors.
	next = i + 1 < n && v[i + 1].kind == TOK_LPAREN && v[i + 1].is_glued ?
		       collect_args(x, v, n, i + 1, frame, &args, &n_args) : 0;
	free_args(args, n_args);
	return next ? next : i + 1;
}

// ---- script arguments ----

static void expand_arg_tokens(struct expander *x, const struct token *use, const struct frame *frame,
			      struct token_list *out)
{
	struct frame inner = { .up = frame, .call = frame ? frame->call : use->span };
	struct token_list tokens = { 0 };
	uint32_t *file = &x->arg_files[use->number - 1];
	size_t first = out->n;

	for (const struct frame *f = frame; f; f = f->up) {
		if (!f->macro) {
			report(x, frame->call, DIAG_ARG_MISSING, "a script argument cannot refer to arguments");
			push_broken(out, use);
			return;
		}
	}
	if (!*file) {
		const char *text = x->env->args[use->number - 1];
		const char *name = sp_arena_printf(x->arena, "<argument %" PRIu64 ">", use->number);

		*file = source_add(x->sources, name, text, strlen(text), SOURCE_USER);
	}
	lex_file(x->sources, *file, x->arena, x->dc, &tokens);
	expand_range(x, tokens.v, tokens.n - 1, &inner, out);
	inherit_layout(out, first, use);
	token_list_deinit(&tokens);
}

static void report_missing_arg(struct expander *x, const struct token *use)
{
	const char *written = source_file(x->sources, use->span.file)->text + use->span.off;
	struct diag *d = report(x, use->span, DIAG_ARG_MISSING, "script argument %.*s is missing",
				(int)use->span.len - 1, written + 1);

	if (x->env->n_args)
		diag_hint(x->dc, d, "%d given; add it behind the script's name", x->env->n_args);
	else
		diag_hint(x->dc, d, "none was given; arguments stand behind the script's name");
}

static void expand_arg(struct expander *x, const struct token *use, const struct frame *frame,
		       struct token_list *out)
{
	struct token token = *use;

	if (use->kind == TOK_ARG_COUNT) {
		token.kind = TOK_NUMBER;
		token.number = x->env->n_args;
	} else if (use->kind == TOK_ARG_COUNT_STRING) {
		token.kind = TOK_STRING;
		token.text = sp_arena_printf(x->arena, "%d", x->env->n_args);
		token.len = strlen(token.text);
	} else if (use->number < 1 || use->number > (uint64_t)x->env->n_args) {
		if (!x->keeps_args) {
			report_missing_arg(x, use);
			push_broken(out, use);
			return;
		}
	} else {
		if (x->env->args_used)
			x->env->args_used[use->number - 1] = true;
		if (use->kind == TOK_ARG_TOKENS) {
			expand_arg_tokens(x, use, frame, out);
			return;
		}
		token.kind = TOK_STRING;
		token.text = x->env->args[use->number - 1];
		token.len = strlen(token.text);
	}
	push_framed(x, &token, frame, out);
}

// ---- conditions ----

static size_t expand_cond(struct expander *x, const struct token *v, size_t n, size_t i,
			  const struct frame *frame, struct token_list *out)
{
	size_t begin = i, end = find_end(v, n, begin), then = end, otherwise = end, first = out->n;
	struct token_list condition = { 0 };
	bool kept = x->keeps_args;
	unsigned depth = 0;
	int truth;

	if (!is_closed(v, begin, end)) {
		report_open(x, &v[begin]);
		push_broken(out, &v[begin]);
		return n;
	}
	for (i = begin; i < end; i++) {
		depth += v[i].kind == TOK_COND_BEGIN;
		depth -= v[i].kind == TOK_COND_END;
		if (depth == 1 && v[i].kind == TOK_COND_THEN && then == end)
			then = i;
		else if (depth == 1 && v[i].kind == TOK_COND_ELSE && then != end && otherwise == end)
			otherwise = i;
	}
	if (then == end) {
		struct diag *d = report(x, v[begin].span, DIAG_COND_SYNTAX, "this condition has no '%%?'");

		diag_hint(x->dc, d, "for the remainder of a division write a blank: a %% (b)");
		push_broken(out, &v[begin]);
		return end;
	}
	x->keeps_args = true;
	expand_range(x, v + begin + 1, then - begin - 1, frame, &condition);
	x->keeps_args = kept;
	truth = x->stopped ? 0 : macro_cond(x->env, &condition, v[then].span, x->dc);
	token_list_deinit(&condition);
	if (truth < 0) {
		count_error(x);
		push_broken(out, &v[begin]);
	} else if (truth) {
		expand_range(x, v + then + 1, SP_MIN(otherwise, end - 1) - then - 1, frame, out);
	} else if (otherwise < end) {
		expand_range(x, v + otherwise + 1, end - otherwise - 2, frame, out);
	}
	inherit_layout(out, first, &v[begin]);
	return end;
}

static void expand_range(struct expander *x, const struct token *v, size_t n, const struct frame *frame,
			 struct token_list *out)
{
	if (!n)
		return;
	if (x->budget == 0 || --x->budget == 0) {
		report(x, frame ? frame->call : v->span, DIAG_MACRO_TOO_BIG,
		       "macros expand to more than a million tokens here");
		x->stopped = true;
	}
	if (++x->depth > MAX_DEPTH) {
		report(x, frame ? frame->call : v->span, DIAG_TOO_DEEP,
		       "macros or conditions are nested too deeply");
		x->stopped = true;
	}
	for (size_t i = 0; i < n && !x->stopped;) {
		enum tok_kind kind = v[i].kind;

		if (kind == TOK_AT) {
			i = expand_at(x, v, n, i, frame, out);
		} else if (kind == TOK_COND_BEGIN) {
			i = expand_cond(x, v, n, i, frame, out);
		} else if (kind == TOK_COND_THEN || kind == TOK_COND_ELSE || kind == TOK_COND_END) {
			report(x, v[i].span, DIAG_COND_STRAY, "%s without a '%%(' before it",
			       token_kind_text(kind));
			push_broken(out, &v[i++]);
		} else if (kind == TOK_ARG_TOKENS || kind == TOK_ARG_STRING || kind == TOK_ARG_COUNT ||
			   kind == TOK_ARG_COUNT_STRING) {
			expand_arg(x, &v[i++], frame, out);
		} else {
			push_framed(x, &v[i++], frame, out);
		}
	}
	x->depth--;
}

static void expand(struct expander *x, const struct token_list *in, struct token_list *out)
{
	x->budget = in->n + MAX_GROWTH;
	x->arg_files = sp_arena_array(x->arena, uint32_t, x->env->n_args + 1);
	expand_range(x, in->v, in->n - 1, NULL, out);
	// After a stop the tokens break off somewhere; to parse them would only give nonsense errors.
	if (x->stopped)
		out->n = 0;
	if (x->n_errors)
		push_broken(out, &sp_vec_last(in));
	token_push(out, sp_vec_last(in));
}

// Is there nothing in the file for the preprocessor? Operators with @ are not, unless a macro of the library has the name.
static bool is_plain(const struct expander *x, const struct token_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct token *token = &list->v[i];

		switch ((int)token->kind) {
		case TOK_COND_BEGIN: case TOK_COND_THEN: case TOK_COND_ELSE: case TOK_COND_END:
		case TOK_ARG_TOKENS: case TOK_ARG_STRING: case TOK_ARG_COUNT: case TOK_ARG_COUNT_STRING:
			return false;
		case TOK_AT:
			if (!is_operator(token) || find_macro(x, token->text + 1, token->len - 1))
				return false;
		}
	}
	return true;
}

void macro_expand(struct source_map *sources, struct token_list *in, const struct parse_env *env, struct sp_arena *arena,
		  struct diag_ctx *dc, struct token_list *ret)
{
	struct sp_hash macros = { 0 };
	struct expander x = {
		.sources = sources, .env = env, .arena = arena, .dc = dc, .macros = &macros,
	};

	if (is_plain(&x, in)) {
		*ret = *in;
		*in = (struct token_list){ 0 };
	} else {
		expand(&x, in, ret);
	}
	sp_hash_deinit(&macros);
}

void macro_load(struct source_map *sources, uint32_t file, const struct parse_env *env, struct sp_arena *arena,
		struct diag_ctx *dc, struct sp_hash *macros)
{
	struct expander x = {
		.sources = sources, .env = env, .arena = arena, .dc = dc, .macros = macros,
	};
	struct token_list in = { 0 }, out = { 0 };

	lex_file(sources, file, arena, dc, &in);
	expand(&x, &in, &out);
	if (out.v[0].kind != TOK_END && out.v[0].kind != TOK_BROKEN) {
		struct diag *d = diag(dc, out.v[0].span, DIAG_MACRO_FILE,
				      "a macro file can only hold @define constructs");

		diag_hint(dc, d, "put probes and functions into a file named *.stp");
	}
	token_list_deinit(&in);
	token_list_deinit(&out);
}
