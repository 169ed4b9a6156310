// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/embed.h"

#include "compiler/sema/tree.h"

#include <ctype.h>

// ---- pragmas ------------------------------------------------------------------------------------

static struct span span_in(const struct embed *e, const char *at, size_t len)
{
	return (struct span){ e->span.file, e->span.off + (uint32_t)(at - e->code), (uint32_t)len };
}

static void add_global(struct sp_arena *arena, struct embed *e, const char *name, size_t len, bool writes)
{
	struct embed_global *found = NULL;

	sp_vec_each(g, &e->globals)
		if (sp_is_word(name, len, g->name))
			found = g;
	if (!found) {
		sp_vec_push(&e->globals, (struct embed_global){ .name = sp_arena_strndup(arena, name, len),
								 .span = span_in(e, name, len) });
		found = &sp_vec_last(&e->globals);
	}
	found->writes |= writes;
	found->reads |= !writes;
}

static void read_comment(struct sp_arena *arena, struct embed *e, const char *text, size_t len)
{
	static const char reads[] = "pragma:read:", writes[] = "pragma:write:";

	while (len && isspace((unsigned char)*text))
		text++, len--;
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (len > strlen(reads) && memcmp(text, reads, strlen(reads)) == 0)
		add_global(arena, e, text + strlen(reads), len - strlen(reads), false);
	else if (len > strlen(writes) && memcmp(text, writes, strlen(writes)) == 0)
		add_global(arena, e, text + strlen(writes), len - strlen(writes), true);
	e->is_pure |= sp_is_word(text, len, "pure");
	e->is_stable |= sp_is_word(text, len, "stable");
	e->needs_guru |= sp_is_word(text, len, "guru");
	e->is_unmangled |= sp_is_word(text, len, "unmangled");
	e->is_string |= sp_is_word(text, len, "string");
	e->is_assembly |= sp_is_word(text, len, "bpf");
}

// ---- macros -------------------------------------------------------------------------------------

// Does the macro have an argument? `STAP_RETURN()` has none and returns no value.
static bool has_operand(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	if (*s++ != '(')
		return false;
	while (isspace((unsigned char)*s))
		s++;
	return *s != ')';
}

static void read_word(struct embed *e, const char *word, size_t len)
{
	// Besides STAP_ERROR, what sets CONTEXT in embed_prelude.txt.
	static const char *const can_fail[] = { "CONTEXT", "kread", "uread", "kderef", "uderef", "kderef_buffer", "uderef_buffer" };

	if (sp_is_word(word, len, "STAP_RETURN"))
		e->has_result |= has_operand(word + len);
	else if (sp_is_word(word, len, "STAP_RETVALUE") || sp_is_word(word, len, "__retvalue"))
		e->has_result = true;
	else if (sp_is_word(word, len, "STAP_PRINTF") || sp_is_word(word, len, "_stp_printf") || sp_is_word(word, len, "_stp_print"))
		e->prints = true;
	else if (sp_is_word(word, len, "STAP_NEXT"))
		e->has_next = true;
	else if (sp_is_word(word, len, "STAP_ERROR"))
		sp_vec_push(&e->errors, span_in(e, word, len));
	for (size_t i = 0; i < SP_ARRAY_SIZE(can_fail); i++)
		e->has_context |= sp_is_word(word, len, can_fail[i]);
}

// The place behind the closing quote; without one, the end of the line.
static const char *skip_quoted(const char *s)
{
	char quote = *s++;

	for (; *s && *s != '\n'; s++) {
		if (*s == quote)
			return s + 1;
		if (*s == '\\' && s[1])
			s++;
	}
	return s;
}

static void read_code(struct sp_arena *arena, struct embed *e)
{
	const char *s = e->code, *start, *end;

	while (*s) {
		start = s;
		if (s[0] == '/' && s[1] == '*') {
			end = strstr(s + 2, "*/");
			if (!end)
				return;
			read_comment(arena, e, s + 2, (size_t)(end - s - 2));
			s = end + 2;
		} else if (s[0] == '/' && s[1] == '/') {
			s += strcspn(s, "\n");
		} else if (*s == '"' || *s == '\'') {
			s = skip_quoted(s);
		} else if (isalnum((unsigned char)*s) || *s == '_') {
			while (isalnum((unsigned char)*s) || *s == '_')
				s++;
			read_word(e, start, (size_t)(s - start));
		} else {
			s++;
		}
	}
}

struct embed *embed_add(struct program *program, enum embed_kind kind, const char *code, struct span span)
{
	struct embed *e = sp_arena_new(&program->arena, struct embed);

	e->kind = kind;
	e->code = sp_arena_strdup(&program->arena, code);
	e->span = span;
	e->index = (unsigned)program->embeds.n;
	read_code(&program->arena, e);
	sp_vec_push(&program->embeds, e);
	return e;
}

bool embed_asks(const char *code, const char *param)
{
	static const char prefix[] = "STAP_ARG_";

	for (const char *s = code; (s = strstr(s, prefix));) {
		size_t len = 0;

		s += strlen(prefix);
		while (isalnum((unsigned char)s[len]) || s[len] == '_')
			len++;
		if (sp_is_word(s, len, param))
			return true;
	}
	return false;
}

void embed_destroy(struct embed *e)
{
	sp_vec_deinit(&e->globals);
	sp_vec_deinit(&e->errors);
}

// ---- bodies -------------------------------------------------------------------------------------

static struct ast_expr *part(struct sp_arena *arena, struct embed *e, enum ast_embed_part which)
{
	struct ast_expr like = { .span = e->span, .op_span = e->span };
	struct ast_expr *node = tree_number(arena, &like, 0);

	node->kind = AST_EMBEDDED;
	node->type = TYPE_UNKNOWN;
	node->embedded.code = e->code;
	node->embedded.embed = e;
	node->embedded.part = which;
	return node;
}

static struct ast_stmt *run_alone(struct sp_arena *arena, struct embed *e)
{
	struct ast_expr *run = part(arena, e, AST_EMBED_RUN);

	if (e->has_next)
		return tree_if(arena, run, tree_stmt(arena, AST_S_NEXT, e->span), NULL);
	return tree_expr_stmt(arena, run);
}

struct ast_stmt *embed_body(struct sp_arena *arena, struct embed *e, enum ast_type declared)
{
	struct ast_stmt *both[2];
	bool gives = e->has_result || declared == TYPE_LONG || declared == TYPE_STRING;

	if (!gives)
		return run_alone(arena, e);
	both[1] = tree_stmt(arena, AST_S_RETURN, e->span);
	both[1]->expr = part(arena, e, e->has_next ? AST_EMBED_RESULT : AST_EMBED_WHOLE);
	if (!e->has_next)
		return both[1];
	both[0] = run_alone(arena, e);
	return tree_block(arena, e->span, both, 2);
}
