// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/kept.h"

#include "compiler/sema/format.h"
#include "compiler/sema/tree.h"

// A walk that tells what is only printed from what is a value. lower/lower_print.c hands on to the runtime what is printed here.
struct walk {
	void (*found)(struct walk *w, const struct ast_expr *value); // each expression that is a value
	const char *text; // kept_in: of the variable that is looked for
	bool yes;
	struct diag_ctx *dc; // kept_check
};

static void value(void *ctx, struct ast_expr **place);

// Is it decided at compile time, so that one branch is left? Only @defined and constants are known to be.
static bool is_decided(const struct ast_expr *e)
{
	return e->kind == AST_DEFINED || e->kind == AST_NUMBER || (e->kind == AST_UNARY && is_decided(e->unary.a)) ||
	       (e->kind == AST_BINARY && is_decided(e->binary.a) && is_decided(e->binary.b));
}

static void print(struct walk *w, struct ast_expr *e);

// An expression that a print function shows as it is, by %s or in a list.
static void printed(struct walk *w, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	bool is_text = e->kind == AST_PRINT && e->print.to_string && e->print.kind != PRINT_CHAR;

	if (e->kind == AST_BINARY && e->binary.op == BIN_CONCAT) {
		printed(w, &e->binary.a);
		printed(w, &e->binary.b);
	} else if (e->kind == AST_TERNARY && is_decided(e->ternary.cond)) {
		printed(w, &e->ternary.a);
		printed(w, &e->ternary.b);
	} else if (is_text && !(e->print.kind == PRINT_F && format_may_have_nul(e->print.format))) {
		print(w, e);
	} else if (e->kind == AST_TARGET || e->kind == AST_CAST || e->kind == AST_ATVAR || e->kind == AST_RESOLVED) {
		tree_expr_children(e, value, w);
	} else {
		value(w, place);
	}
}

static void print_format(struct walk *w, struct ast_expr *e)
{
	const struct ast_expr *format = e->print.format;
	struct format_part part;
	unsigned arg = 0;

	for (uint32_t at = 0; format_next(format->string.text, format->string.len, &at, &part) == FORMAT_PART;) {
		unsigned n = !part.conversion || part.conversion == '%' ? 0 : 1u + part.star_width + part.star_precision;
		bool is_plain = part.conversion == 's' && !part.star_width && !part.star_precision && part.spec_len == 1;

		for (; n && arg < e->print.args.n; n--, arg++) { // bind has not counted the arguments
			if (is_plain)
				printed(w, &e->print.args.v[arg]);
			else
				value(w, &e->print.args.v[arg]);
		}
	}
}

static void print(struct walk *w, struct ast_expr *e)
{
	if (e->print.kind == PRINT_F) {
		print_format(w, e);
		return;
	}
	for (unsigned i = 0; i < e->print.args.n; i++)
		printed(w, &e->print.args.v[i]);
}

// Of log("text"), warn() and system(): the runtime makes the text.
static bool prints_argument(const struct ast_expr *e)
{
	return e->kind == AST_CALL && e->call.args.n == 1 && !e->call.function &&
	       (e->call.builtin == BUILTIN_LOG || e->call.builtin == BUILTIN_WARN || e->call.builtin == BUILTIN_SYSTEM);
}

static void value(void *ctx, struct ast_expr **place)
{
	struct ast_expr *e = *place;
	struct walk *w = ctx;

	if (e->kind == AST_DEFINED)
		return;
	if (e->kind == AST_PRINT && !e->print.to_string) {
		print(w, e);
		return;
	}
	if (prints_argument(e)) {
		printed(w, &e->call.args.v[0]);
		return;
	}
	w->found(w, e);
	tree_expr_children(e, value, w);
}

static void in_stmt(void *ctx, struct ast_stmt **place)
{
	ast_stmt_children(*place, value, in_stmt, ctx);
}

// ---- questions ------------------------------------------------------------------------------------------------------

static void compare(struct walk *w, const struct ast_expr *e)
{
	struct sp_buf text = { 0 };

	if (e->kind == AST_RESOLVED) {
		w->yes |= e->resolved->text && sp_streq(e->resolved->text, w->text);
	} else if (e->kind == AST_TARGET || e->kind == AST_CAST || e->kind == AST_ATVAR) {
		ast_print_expr(&text, e);
		w->yes |= sp_streq(sp_buf_str(&text), w->text);
		sp_buf_deinit(&text);
	}
}

bool kept_in(struct ast_stmt **body, const struct ast_expr *target)
{
	struct walk w = { .found = compare };
	struct sp_buf text = { 0 };

	ast_print_expr(&text, target);
	w.text = sp_buf_str(&text);
	in_stmt(&w, body);
	sp_buf_deinit(&text);
	return w.yes;
}

static void refuse(struct walk *w, const struct ast_expr *e)
{
	const struct site_value *v = e->kind == AST_RESOLVED ? e->resolved : NULL;
	struct diag *d;

	if (!v || !v->why_late)
		return;
	d = diag(w->dc, e->span, DIAG_LATE_TEXT, "the text of %s has %s, and is kept in a string", v->text, v->why_late);
	diag_hint(w->dc, d, "print it where it is read: printf(\"%%s\", %s)", v->text);
}

void kept_check(const struct sema_opts *opts, struct program *program)
{
	struct walk w = { .found = refuse, .dc = opts->dc };

	sp_vec_each(f, &program->functions)
		if ((*f)->is_used)
			in_stmt(&w, &(*f)->body);
	sp_vec_each(h, &program->handlers)
		in_stmt(&w, &(*h)->body);
}
