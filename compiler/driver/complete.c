// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/complete.h"

#include "compiler/driver/library.h"
#include "compiler/driver/list.h"
#include "compiler/front/ast.h"
#include "compiler/front/lex.h"
#include "compiler/front/tapset.h"
#include "compiler/model/builtin.h"
#include "runtime/base/cleanup.h"

#include <ctype.h>

// ---- declarations ---------------------------------------------------------------------------------------------------

// The tokens of a text that may be incomplete. `is_open`: it ends within a comment or embedded code.
struct lexed {
	struct source_map sources;
	struct diag_ctx dc;
	struct sp_arena texts;
	struct token_list tokens;
	bool is_open;
};

static void lexed_init(struct lexed *lexed, const char *text, size_t len)
{
	*lexed = (struct lexed){ 0 };
	source_map_init(&lexed->sources);
	diag_ctx_init(&lexed->dc, &lexed->sources);
	lex_file(&lexed->sources, source_add(&lexed->sources, "", text, len, SOURCE_USER), &lexed->texts, &lexed->dc,
		 &lexed->tokens);
	// In a probe point, keywords are names.
	for (size_t i = 1; i < lexed->tokens.n; i++)
		if (lexed->tokens.v[i - 1].kind == TOK_DOT && token_is_keyword(lexed->tokens.v[i].kind))
			lexed->tokens.v[i].kind = TOK_NAME;
	sp_vec_each(d, &lexed->dc.diags)
		lexed->is_open |= (*d)->id == DIAG_COMMENT_OPEN || (*d)->id == DIAG_EMBEDDED_OPEN;
}

static void lexed_deinit(struct lexed *lexed)
{
	token_list_deinit(&lexed->tokens);
	sp_arena_deinit(&lexed->texts);
	diag_ctx_deinit(&lexed->dc);
	source_map_deinit(&lexed->sources);
}

static int nesting(enum tok_kind kind)
{
	switch ((int)kind) {
	case TOK_LPAREN: case TOK_LBRACKET: case TOK_LBRACE: case TOK_COND_BEGIN:
		return 1;
	case TOK_RPAREN: case TOK_RBRACKET: case TOK_RBRACE: case TOK_COND_END:
		return -1;
	}
	return 0;
}

// Is that the end of "if (...)" and the like, behind which a statement stands?
static bool ends_header(const struct token *v, size_t i)
{
	int depth = 0;

	if (v[i].kind != TOK_RPAREN)
		return false;
	do
		depth -= nesting(v[i].kind);
	while (depth > 0 && i-- > 0);
	return !depth && i > 0 && (v[i - 1].kind == TOK_IF || v[i - 1].kind == TOK_WHILE || v[i - 1].kind == TOK_FOR ||
				   v[i - 1].kind == TOK_FOREACH || v[i - 1].kind == TOK_CATCH);
}

// Does something have to follow the token: "n +", "global a,"?
static bool wants_more(const struct token *v, size_t i)
{
	switch ((int)v[i].kind) {
	case TOK_ELSE: case TOK_TRY: case TOK_CATCH:
	case TOK_COMMA: case TOK_DOT: case TOK_ARROW: case TOK_QUESTION: case TOK_COLON: case TOK_NOT: case TOK_BITNOT:
	case TOK_ADD: case TOK_SUB: case TOK_STAR: case TOK_DIV: case TOK_MOD: case TOK_AND: case TOK_OR: case TOK_XOR:
	case TOK_SHL: case TOK_SHR: case TOK_USHR: case TOK_LAND: case TOK_LOR: case TOK_STAT_ADD:
	case TOK_LT: case TOK_GT: case TOK_LE: case TOK_GE: case TOK_EQ: case TOK_NE: case TOK_MATCH: case TOK_NOT_MATCH:
	case TOK_SET: case TOK_ADD_SET: case TOK_SUB_SET: case TOK_MUL_SET: case TOK_DIV_SET: case TOK_MOD_SET: case TOK_AND_SET:
	case TOK_OR_SET: case TOK_XOR_SET: case TOK_SHL_SET: case TOK_SHR_SET: case TOK_USHR_SET: case TOK_CONCAT_SET:
		return true;
	}
	return ends_header(v, i);
}

static bool starts_declaration(const struct token *token)
{
	return token->kind == TOK_PROBE || token->kind == TOK_GLOBAL || token->kind == TOK_FUNCTION ||
	       token->kind == TOK_PRIVATE || token->kind == TOK_EMBEDDED ||
	       (token->kind == TOK_AT && token_is(token, "@define"));
}

static bool takes_body(const struct token *token)
{
	return token->kind == TOK_PROBE || token->kind == TOK_FUNCTION || (token->kind == TOK_AT && token_is(token, "@define"));
}

size_t complete_declaration(const char *text, size_t len)
{
	struct lexed lexed;
	const struct token *v;
	bool wants_body = false, is_done = false;
	int depth = 0;
	size_t i, ret = 0;

	lexed_init(&lexed, text, len);
	v = lexed.tokens.v;
	for (i = 0; i < lexed.tokens.n && v[i].kind != TOK_END; i++) {
		if (i && depth <= 0 && (is_done || !wants_body) && starts_declaration(&v[i]) &&
		    v[i - 1].kind != TOK_PRIVATE)
			break;
		wants_body |= takes_body(&v[i]);
		depth += nesting(v[i].kind);
		is_done = depth <= 0 && (v[i].kind == TOK_RBRACE || v[i].kind == TOK_COND_END || v[i].kind == TOK_EMBEDDED);
	}
	if (i < lexed.tokens.n && v[i].kind != TOK_END)
		ret = v[i].span.off;
	else if (depth <= 0 && !lexed.is_open && (is_done || !wants_body) && !(i && wants_more(v, i - 1)))
		ret = len;
	lexed_deinit(&lexed);
	return ret;
}

// ---- candidates -----------------------------------------------------------------------------------------------------

struct candidates {
	SP_VEC(char *) v;
	const char *head; // the beginning of the word, which each candidate repeats: "kernel." of "kernel.fu"
	int head_len;
	const char *stem; // the rest of the word, with which each name begins: "fu"
};

static void add(struct candidates *c, const char *name, const char *tail)
{
	struct sp_buf text = { 0 };

	if (!sp_starts_with(name, c->stem))
		return;
	sp_buf_printf(&text, "%.*s%s%s", c->head_len, c->head, name, tail);
	sp_vec_push(&c->v, sp_buf_take(&text));
}

static void add_function(void *ctx, const char *name)
{
	if (name[0] != '_' && name[0] != '@')
		add(ctx, name, "(");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_sorted(struct candidates *c, struct sp_buf *out)
{
	if (c->v.n)
		qsort(c->v.v, c->v.n, sizeof(*c->v.v), by_text);
	for (size_t i = 0; i < c->v.n; i++) {
		if (!i || strcmp(c->v.v[i], c->v.v[i - 1]))
			sp_buf_printf(out, "%s\n", c->v.v[i]);
	}
	sp_vec_each(text, &c->v)
		free(*text);
	sp_vec_deinit(&c->v);
}

// ---- probe points ---------------------------------------------------------------------------------------------------

// The last '.' of the word that is outside of strings; NULL: none.
static const char *last_dot(const char *word)
{
	const char *ret = NULL;
	bool in_string = false;

	for (; *word; word++) {
		in_string ^= *word == '"';
		if (*word == '.' && !in_string)
			ret = word;
	}
	return ret;
}

static bool ends_in_string(const char *word)
{
	bool in_string = false;

	for (; *word; word++)
		in_string ^= *word == '"';
	return in_string;
}

// Does the pattern of a probe point begin with the word up to `head_len`, whatever the arguments are? Then *next_ret is the next
// component of the pattern, as far as a user would want it typed: `function("`. (`kernel.function(string).call` has `kernel.`
// before that.)
static bool next_component(const char *pattern, const char *word, int head_len, struct sp_buf *next_ret)
{
	const char *end = word + head_len;
	size_t n;

	while (word < end) {
		n = strcspn(pattern, ".(\n");
		if (strncmp(pattern, word, n) || isalnum((unsigned char)word[n]))
			return false;
		word += n;
		pattern += n;
		if ((*pattern == '(') != (*word == '('))
			return false;
		if (*word == '(') { // arguments are anything
			bool in_string = false;

			for (; word < end && (in_string || *word != ')'); word++)
				in_string ^= *word == '"';
			word += word < end;
			pattern += strcspn(pattern, ")") + 1;
		}
		if (*pattern != '.' || *word != '.')
			return false;
		word++;
		pattern++;
	}
	n = strcspn(pattern, ".(\n");
	if (!n)
		return false;
	sp_buf_add(next_ret, pattern, n);
	if (pattern[n] == '(')
		sp_buf_puts(next_ret, pattern[n + 1] == 's' ? "(\"" : "(");
	return true;
}

static void add_components(struct candidates *c, const char *word)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf types = { 0 };

	point_dump_types(&types);
	for (const char *line = sp_buf_str(&types); *line; line += strcspn(line, "\n") + 1) {
		sp_cleanup(sp_buf_deinit) struct sp_buf next = { 0 };

		if (next_component(line, word, c->head_len, &next))
			add(c, sp_buf_str(&next), "");
	}
}

// Adds the points that -l finds for a word that ends within a string, such as kernel.function("vfs_.
static void add_listed(struct spile *spile, struct candidates *c, const char *word)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf pattern = { 0 }, found = { 0 };

	sp_buf_printf(&pattern, "%s*\")", word);
	list_print(spile, sp_buf_str(&pattern), false, &found);
	for (char *line = found.len ? found.data : (char *)""; *line;) {
		char *end = line + strcspn(line, "\n"), *at;

		*end = '\0';
		at = strchr(line + c->head_len, '@');
		if (at)
			strcpy(at, "\")");
		if (!strncmp(line, c->head, (size_t)c->head_len))
			add(c, line + c->head_len, "");
		line = end + 1;
	}
}

static void add_alias(void *ctx, const char *name)
{
	add(ctx, name, "");
}

static void complete_point(struct spile *spile, struct tapset *tapset, struct candidates *c, const char *word)
{
	const char *dot = last_dot(word);

	c->head = word;
	if (ends_in_string(word)) {
		c->head_len = (int)(strrchr(word, '"') + 1 - word);
		c->stem = word + c->head_len;
		add_listed(spile, c, word);
		return;
	}
	c->head_len = dot ? (int)(dot + 1 - word) : 0;
	c->stem = word + c->head_len;
	add_components(c, word);
	if (!dot && tapset)
		tapset_each_alias(tapset, add_alias, c);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

// Adds the $variables of the probe point before the body.
static void add_variables(struct spile *spile, struct candidates *c, const char *text, const struct token *probe,
			  const struct token *body)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf point = { 0 }, found = { 0 };
	const char *from = text + probe->span.off + probe->span.len;

	sp_buf_add(&point, from, (size_t)(text + body->span.off - from));
	list_print(spile, sp_buf_str(&point), true, &found);
	for (const char *at = sp_buf_str(&found); (at = strstr(at, " $"));) {
		sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

		at++;
		sp_buf_add(&name, at, strcspn(at, ":"));
		add(c, sp_buf_str(&name), "");
	}
}

static void add_names(struct candidates *c, const struct token_list *tokens)
{
	for (size_t i = 0; i + 2 < tokens->n; i++) { // without the last one, which is to be completed
		const struct token *token = &tokens->v[i];
		sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };

		if (token->kind != TOK_NAME)
			continue;
		sp_buf_add(&name, token->text, token->len);
		add(c, sp_buf_str(&name), tokens->v[i + 1].kind == TOK_LPAREN ? "(" : "");
	}
}

static void complete_name(struct tapset *tapset, struct candidates *c, const struct token_list *tokens)
{
	static const char *const statements[] = {
		"break", "catch", "continue", "delete ", "else", "for (", "foreach (", "function ", "global ", "if (", "limit ",
		"next", "private ", "probe ", "return", "try {", "while (",
	};
	static const char *const operators[] = {
#define OPERATOR(kind, text) text,
#include "compiler/front/operator.def"
#undef OPERATOR
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(statements); i++)
		add(c, statements[i], "");
	for (size_t i = 0; i < SP_ARRAY_SIZE(operators); i++)
		add(c, operators[i], "(");
	for (int i = 0; i < 2 * AST_PRINT_KINDS; i++)
		add(c, ast_print_name((enum ast_print_kind)(i / 2), i % 2), "(");
	add_names(c, tokens);
	for (int id = 0; id < BUILTIN_COUNT; id++)
		add_function(c, builtin_info((enum builtin_id)id)->name);
	if (tapset)
		tapset_each_function(tapset, add_function, c);
}

// The last word of the text: what stands behind the last separator.
static const char *last_word(const char *text, size_t len, const char *separators)
{
	const char *p = text + len;

	while (p > text && !strchr(separators, p[-1]))
		p--;
	return p;
}

void complete_word(struct spile *spile, const char *text, size_t len, struct sp_buf *out)
{
	static const char breaks[] = " \t\n,;{}!"; // the same as in repl_term.c: brackets and strings are part of a probe point
	const struct token *probe = NULL, *body = NULL;
	struct candidates c = { 0 };
	struct tapset *tapset = NULL;
	struct parse_env env;
	struct lexed lexed;
	const char *word;

	if (session_describe_features(spile))
		return;
	env = session_parse_env(spile);
	if (library_open(spile, &env, &tapset))
		return;
	lexed_init(&lexed, text, len);
	sp_vec_each(token, &lexed.tokens) {
		if (token->kind == TOK_PROBE) {
			probe = token;
			body = NULL;
		} else if (token->kind == TOK_FUNCTION) {
			probe = NULL;
		} else if (token->kind == TOK_LBRACE && !body) {
			body = token;
		}
	}
	if (probe && !body) {
		word = last_word(text, len, breaks);
		complete_point(spile, tapset, &c, word);
	} else {
		word = last_word(text, len, breaks);
		c.head = word;
		c.head_len = (int)(last_word(word, strlen(word), "()[]<>=+-*/%&|^~.:?\"") - word);
		c.stem = word + c.head_len;
		if (c.stem[0] == '$' && probe)
			add_variables(spile, &c, text, probe, body);
		else
			complete_name(tapset, &c, &lexed.tokens);
	}
	put_sorted(&c, out);
	lexed_deinit(&lexed);
	tapset_close(tapset);
}
