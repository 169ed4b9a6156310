// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE 1 // strverscmp
#include "compiler/front/macro_cond.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct cond {
	const struct parse_env *env;
	const struct token *v, *end;
	struct span end_span;
	struct diag_ctx *dc;
	bool failed;
	bool decides; // the result depends on the comparison that is read: behind "true ||" and "false &&" nothing has to be known
};

// The left side of a comparison: how it is compared depends on its kind.
struct operand {
	enum { OPERAND_VERSION, OPERAND_GLOB, OPERAND_CONFIG, OPERAND_TEXT, OPERAND_NUMBER, OPERAND_FLAG } kind;
	const char *text;
	int64_t number;
};

static bool has_more(const struct cond *c)
{
	return c->v < c->end;
}

static struct diag *fail(struct cond *c, enum diag_id id, const char *text)
{
	struct span span = has_more(c) ? c->v->span : c->end_span;

	// Only the first error of a condition is kept.
	if (c->failed)
		return sp_arena_new(&c->dc->arena, struct diag);
	c->failed = true;
	return diag(c->dc, span, id, "%s", text);
}

static const char *version_of(const char *release, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)strcspn(release, "-"), release);
	return buf;
}

static const char *token_text(const struct token *token, char *buf, size_t size)
{
	if (token->kind == TOK_NUMBER)
		snprintf(buf, size, "%" PRId64, (int64_t)token->number);
	else
		snprintf(buf, size, "%.*s", (int)SP_MIN((size_t)token->len, size - 1), token->text);
	return buf;
}

void macro_warn_no_config(struct diag_ctx *dc, struct span span, const char *name)
{
	struct diag *d;

	for (size_t i = 0; i < dc->diags.n; i++) {
		d = dc->diags.v[i];

		if (d->id == DIAG_COND_NO_CONFIG && d->span.file == span.file)
			return;
	}
	d = diag(dc, span, DIAG_COND_NO_CONFIG, "the kernel's configuration is not known: %s reads as unset", name);
	diag_hint(dc, d, "it is looked for in /boot/config-RELEASE, /lib/modules/RELEASE and, when that kernel runs, /proc/config.gz");
}

static const char *config_value(struct cond *c, const char *name)
{
	const char *value = c->env->config ? c->env->config(c->env->config_ctx, name) : NULL;

	if (!value && c->decides)
		macro_warn_no_config(c->dc, c->v->span, name);
	return value ? value : "";
}

static void fail_unknown(struct cond *c, const char *name)
{
	static const char *const known[] = { "kernel_v", "kernel_vr", "arch", "systemtap_v",
					     "systemtap_privilege", "guru_mode", "runtime" };
	struct diag *d = fail(c, DIAG_COND_OPERAND, "a condition cannot ask for this");

	for (size_t i = 0; i < SP_ARRAY_SIZE(known); i++)
		if (sp_edit_distance(name, known[i], 3) <= 2)
			diag_hint(c->dc, d, "did you mean %s?", known[i]);
	if (!d->hint)
		diag_hint(c->dc, d, "conditions ask for kernel_v, kernel_vr, arch, systemtap_v, runtime, guru_mode, "
			  "systemtap_privilege, CONFIG_..., literals and script arguments");
}

static void named_operand(struct cond *c, char *buf, size_t size, struct operand *ret)
{
	const struct parse_env *env = c->env;
	const char *name = token_text(c->v, buf, size);

	ret->kind = OPERAND_GLOB;
	if (sp_streq(name, "kernel_v") || sp_streq(name, "kernel_vr")) {
		ret->kind = OPERAND_VERSION;
		ret->text = env->kernel_release;
		if (ret->text && sp_streq(name, "kernel_v"))
			ret->text = version_of(env->kernel_release, buf, size);
	} else if (sp_streq(name, "systemtap_v")) {
		ret->kind = OPERAND_VERSION;
		ret->text = env->compat;
	} else if (sp_streq(name, "arch")) {
		ret->text = env->arch;
	} else if (sp_streq(name, "runtime")) {
		ret->text = "bpf";
	} else if (sp_streq(name, "systemtap_privilege")) {
		ret->text = "stapdev";
	} else if (sp_streq(name, "guru_mode")) {
		ret->kind = OPERAND_FLAG;
		ret->number = env->guru;
		ret->text = "";
	} else if (sp_starts_with(name, "CONFIG_")) {
		ret->kind = OPERAND_CONFIG;
		ret->text = config_value(c, name);
	} else {
		fail_unknown(c, name);
	}
	if (!ret->text && !c->failed && !c->decides)
		ret->text = "";
	if (!ret->text && !c->failed) {
		struct diag *d = fail(c, DIAG_COND_NO_KERNEL, "the target's kernel is not known here");

		diag_hint(c->dc, d, "name it with -r RELEASE");
	}
}

static void fail_missing_arg(struct cond *c)
{
	struct diag *d = fail(c, DIAG_ARG_MISSING, "this script argument was not given");

	diag_hint(c->dc, d, "ask for the number of arguments first: %%( $# > 0 && ...");
}

// A number with an optional minus.
static bool read_number(struct cond *c, int64_t *ret)
{
	bool minus = has_more(c) && c->v->kind == TOK_SUB;
	const struct token *token = minus ? c->v + 1 : c->v; // NULL without tokens

	if (token >= c->end || token->kind != TOK_NUMBER)
		return false;
	*ret = minus ? -token->number : token->number;
	c->v = token + 1;
	return true;
}

// Passes over a script argument that is missing (given ones have been replaced). It is an error only when the result depends
// on it: with one argument, "$# > 1 && $2 == 3" is false without an error.
static bool is_missing_arg(struct cond *c)
{
	if (!has_more(c) || (c->v->kind != TOK_ARG_TOKENS && c->v->kind != TOK_ARG_STRING))
		return false;
	if (c->decides)
		fail_missing_arg(c);
	c->v++;
	return true;
}

static bool read_operand(struct cond *c, char *buf, size_t size, struct operand *ret)
{
	if (is_missing_arg(c))
		return false;
	if (read_number(c, &ret->number)) {
		ret->kind = OPERAND_NUMBER;
	} else if (has_more(c) && c->v->kind == TOK_STRING) {
		ret->kind = OPERAND_TEXT;
		ret->text = token_text(c->v++, buf, size);
	} else if (has_more(c) && c->v->kind == TOK_NAME) {
		named_operand(c, buf, size, ret);
		c->v++;
	} else {
		fail(c, DIAG_COND_SYNTAX, "a condition begins with a name, string, number or script argument");
	}
	return !c->failed;
}

static int sign(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static bool holds(enum tok_kind op, int order)
{
	return op == TOK_EQ ? order == 0 : op == TOK_NE ? order != 0 : op == TOK_LT ? order < 0 :
	       op == TOK_LE ? order <= 0 : op == TOK_GT ? order > 0 : order >= 0;
}

static bool is_comparison(enum tok_kind kind)
{
	return kind == TOK_EQ || kind == TOK_NE || kind == TOK_LT || kind == TOK_LE || kind == TOK_GT ||
	       kind == TOK_GE;
}

// Compares CONFIG_A with a string, a number or CONFIG_B: == and != as texts with wildcards, < and the like as numbers.
static bool compare_config(struct cond *c, const char *left, enum tok_kind op)
{
	bool is_equality = op == TOK_EQ || op == TOK_NE;
	char buf[512];
	const char *right = token_text(c->v, buf, sizeof(buf));

	if (c->v->kind == TOK_NAME)
		right = config_value(c, right);
	c->v++;
	if (is_equality)
		return sp_glob_match(right, left) == (op == TOK_EQ);
	return holds(op, sign(strtoll(left, NULL, 0), strtoll(right, NULL, 0)));
}

static bool is_config(const struct cond *c)
{
	return has_more(c) && c->v->kind == TOK_NAME && c->v->len > 7 && !memcmp(c->v->text, "CONFIG_", 7);
}

static bool compare_text(struct cond *c, const struct operand *left, enum tok_kind op)
{
	bool is_equality = op == TOK_EQ || op == TOK_NE;
	char buf[512];
	const char *right = token_text(c->v++, buf, sizeof(buf));

	if (left->kind == OPERAND_TEXT)
		return holds(op, strcmp(left->text, right));
	if (left->kind == OPERAND_VERSION && !(is_equality && sp_has_glob(right)))
		return holds(op, strverscmp(left->text, right));
	return sp_glob_match(right, left->text) == (op == TOK_EQ);
}

// The operator behind the left side; TOK_BROKEN after a report.
static enum tok_kind read_comparison(struct cond *c, const struct operand *left)
{
	bool takes_order = left->kind != OPERAND_GLOB && left->kind != OPERAND_FLAG;

	if (!has_more(c) || !is_comparison(c->v->kind))
		fail(c, DIAG_COND_SYNTAX, "a comparison is expected: == != < <= > or >=");
	else if (!takes_order && c->v->kind != TOK_EQ && c->v->kind != TOK_NE)
		fail(c, DIAG_COND_SYNTAX, "this can only be compared with == and !=");
	else
		return c->v++->kind;
	return TOK_BROKEN;
}

// guru_mode is 0 or 1.
static bool compare_number(struct cond *c, const struct operand *left, enum tok_kind op)
{
	bool is_flag = left->kind == OPERAND_FLAG;
	const struct token *right = c->v;
	int64_t number;

	if (read_number(c, &number) && (!is_flag || (number & ~1) == 0))
		return holds(op, sign(left->number, number));
	c->v = right;
	fail(c, DIAG_COND_SYNTAX, is_flag ? "0 or 1 is expected here" : "a number is expected here");
	return false;
}

static bool compare(struct cond *c, const struct operand *left, enum tok_kind op)
{
	bool is_string = has_more(c) && c->v->kind == TOK_STRING;

	if (left->kind == OPERAND_NUMBER || left->kind == OPERAND_FLAG)
		return compare_number(c, left, op);
	if (left->kind == OPERAND_CONFIG && (is_string || is_config(c) || (has_more(c) && c->v->kind == TOK_NUMBER)))
		return compare_config(c, left->text, op);
	if (is_string)
		return compare_text(c, left, op);
	fail(c, DIAG_COND_SYNTAX, "a string is expected here");
	return false;
}

// A missing argument on either side makes the comparison false; its tokens are passed over.
static bool comparison(struct cond *c, bool decides)
{
	struct operand left = { .kind = OPERAND_TEXT, .text = "" };
	char buf[512];
	bool known;
	enum tok_kind op;
	int64_t number;

	c->decides = decides;
	known = read_operand(c, buf, sizeof(buf), &left);
	op = c->failed ? TOK_BROKEN : read_comparison(c, &left);
	if (c->failed || is_missing_arg(c))
		return false;
	if (known)
		return compare(c, &left, op);
	if (has_more(c) && !read_number(c, &number))
		c->v++;
	return false;
}

static bool take(struct cond *c, enum tok_kind kind)
{
	if (!has_more(c) || c->v->kind != kind)
		return false;
	c->v++;
	return true;
}

static bool conjunction(struct cond *c, bool decides)
{
	bool truth = comparison(c, decides);

	while (!c->failed && take(c, TOK_LAND))
		truth &= comparison(c, decides && truth);
	return truth;
}

int macro_cond(const struct parse_env *env, const struct token_list *tokens, struct span end, struct diag_ctx *dc)
{
	struct cond c = {
		.env = env, .v = tokens->v, .end = tokens->n ? tokens->v + tokens->n : NULL, .end_span = end, .dc = dc,
	};
	bool truth;

	for (size_t i = 0; i < tokens->n; i++)
		if (tokens->v[i].kind == TOK_BROKEN)
			return -1;
	truth = conjunction(&c, true);
	while (!c.failed && take(&c, TOK_LOR))
		truth |= conjunction(&c, !truth);
	if (!c.failed && has_more(&c)) {
		struct diag *d = fail(&c, DIAG_COND_SYNTAX, "'%?', && or || is expected here");

		diag_hint(dc, d, "conditions have no parentheses; && binds before ||");
	}
	return c.failed ? -1 : truth;
}
