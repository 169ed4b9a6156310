// SPDX-License-Identifier: GPL-2.0-or-later
// Formats of any directives: what printf() prints, formatted behind the handler, is what print(sprintf()) does, formatted in it.
#include "testsuite/meta/gen.h"

#define ARENA (g->tree->arena)

enum { MAX_VALUES = 3 }; // each may have a width and a precision, which are kids, too

struct format {
	struct sp_buf text, args;
	struct node *kids[MAX_KIDS];
	unsigned n_kids;
};

static void add_kid(struct format *f, struct node *n)
{
	f->kids[f->n_kids++] = n;
	sp_buf_printf(&f->args, ", %c", (char)f->n_kids);
}

static struct node *star(struct gen *g)
{
	static const char *const stars[] = { "0", "1", "5", "-6", "17", "-1", "24" };
	struct node *n;

	if (below(g->rng, 3))
		return node_leaf(g->tree, T_LONG, *pick(g->rng, stars));
	n = gen_expr(g, T_LONG, 1);
	return gen_form(g, T_LONG, 1, &n, "((\1) %% 25)");
}

static void add_flags(struct gen *g, struct format *f, const char *flags)
{
	for (const char *s = flags; *s; s++)
		if (chance(g->rng, 25))
			sp_buf_putc(&f->text, *s);
}

// Of a width or precision. Stars are kids, of which there have to be enough for the values behind.
static void add_size(struct gen *g, struct format *f, unsigned n_values)
{
	static const char *const sizes[] = { "1", "2", "5", "9", "16", "23", "31" };

	if (below(g->rng, 3) == 0 && f->n_kids + n_values < MAX_KIDS) {
		sp_buf_putc(&f->text, '*');
		add_kid(f, star(g));
	} else {
		sp_buf_puts(&f->text, *pick(g->rng, sizes));
	}
}

static void add_precision(struct gen *g, struct format *f, unsigned n_values)
{
	sp_buf_putc(&f->text, '.');
	if (below(g->rng, 8))
		add_size(g, f, n_values);
}

static void add_number(struct gen *g, struct format *f, unsigned n_values)
{
	static const char *const conversions[] = { "d", "d", "i", "u", "x", "X", "o", "ld", "lx", "p" };
	const char *conversion = *pick(g->rng, conversions);

	add_flags(g, f, *conversion == 'p' ? "-" : "-0+ #");
	if (below(g->rng, 2))
		add_size(g, f, n_values);
	if (*conversion != 'p' && below(g->rng, 3) == 0)
		add_precision(g, f, n_values);
	sp_buf_puts(&f->text, conversion);
	add_kid(f, gen_expr(g, T_LONG, 2));
}

// A precision keeps it short.
static void add_text(struct gen *g, struct format *f, unsigned n_values)
{
	add_flags(g, f, "-");
	if (below(g->rng, 2))
		add_size(g, f, n_values);
	sp_buf_puts(&f->text, ".20s");
	add_kid(f, gen_expr(g, T_STR, 2));
}

static void add_byte(struct gen *g, struct format *f, unsigned n_values)
{
	struct node *n = gen_expr(g, T_LONG, 1);

	add_flags(g, f, "-");
	if (below(g->rng, 2))
		add_size(g, f, n_values);
	sp_buf_putc(&f->text, 'c');
	add_kid(f, gen_form(g, T_LONG, 1, &n, "((\1) | 1)"));
}

static void make(struct gen *g, struct format *f)
{
	static const char *const between[] = { "|", " ", "%%", "a\\tb", ",", "", "\\n", "\\\"" };
	unsigned n = 1 + below(g->rng, MAX_VALUES);

	for (unsigned i = 0; i < n; i++) {
		sp_buf_printf(&f->text, "%s%%", *pick(g->rng, between));
		if (below(g->rng, 10) < 6)
			add_number(g, f, n - i);
		else if (below(g->rng, 4))
			add_text(g, f, n - i);
		else
			add_byte(g, f, n - i);
	}
	sp_buf_puts(&f->text, *pick(g->rng, between));
}

// The call: `head`, the format, its arguments, `tail`.
static const char *form(struct gen *g, struct format *f, const char *head, const char *tail)
{
	struct sp_buf out = { 0 };
	const char *text;

	sp_buf_printf(&out, "%s\"", head);
	sp_buf_add(&out, f->text.data, f->text.len);
	sp_buf_printf(&out, "\"%s%s", sp_buf_str(&f->args), tail);
	text = sp_arena_strdup(ARENA, sp_buf_str(&out));
	sp_buf_deinit(&out);
	return text;
}

struct node *gen_format(struct gen *g, enum type type)
{
	struct format f = { 0 };
	struct node *n;

	make(g, &f);
	if (type == T_STR) {
		n = node_form(g->tree, type, form(g, &f, "sprintf(", ")"), f.n_kids, f.kids);
	} else {
		n = node_form(g->tree, type, form(g, &f, "printf(", "); println();"), f.n_kids, f.kids);
		n->order = ORDER_KIDS;
		if (!g->script->max_string || g->script->max_string >= 200) // nothing is cut: there are 127 bytes at most
			n->alt = form(g, &f, "print(sprintf(", ")); println();");
	}
	sp_buf_deinit(&f.text);
	sp_buf_deinit(&f.args);
	return n;
}
