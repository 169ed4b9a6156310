// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions.
#include "testsuite/meta/gen.h"

static void add_pattern(struct gen *g, struct sp_buf *out, unsigned depth)
{
	static const char *const atoms[] = { "a", "b", ".", "[a-c]", "[^a]", "[0-9]", ",", "x", " ", "\\\\." };
	static const char *const repeats[] = { "", "", "", "*", "+", "?", "{2}", "{1,3}" };
	unsigned n = 1 + below(g->rng, 3);

	for (unsigned i = 0; i < n; i++) {
		if (depth && below(g->rng, 3) == 0) {
			sp_buf_putc(out, '(');
			add_pattern(g, out, depth - 1);
			sp_buf_putc(out, ')');
		} else {
			sp_buf_puts(out, *pick(g->rng, atoms));
		}
		sp_buf_puts(out, *pick(g->rng, repeats));
	}
	if (depth && below(g->rng, 4) == 0) {
		sp_buf_putc(out, '|');
		add_pattern(g, out, depth - 1);
	}
}

static const char *random_pattern(struct gen *g)
{
	struct sp_buf out = { 0 };
	const char *pattern;

	sp_buf_puts(&out, below(g->rng, 4) ? "" : "^");
	add_pattern(g, &out, 2);
	sp_buf_puts(&out, below(g->rng, 4) ? "" : "$");
	pattern = sp_arena_strdup(g->tree->arena, sp_buf_str(&out));
	sp_buf_deinit(&out);
	return pattern;
}

const char *gen_pattern(struct gen *g)
{
	static const char *const patterns[] = {
		"a", "^a", "b$", "^$", "(a|b)+", "([a-z]+)=([a-z]+)", "[0-9]+", "^([^,]*),(.*)$", "t(.)o", "x*", "(ab|a)(c|bd)?",
		"[[:alpha:]]+ [[:alpha:]]+", "^.{3,5}$", "a.c|.y", "e$|^s", "(..)$",
		"[[:upper:][:digit:]_]+", "^[^[:space:]]*$", "(^a|b$)", "a{2,}|b{0,2}$", "[]a]+", "[^]a]", "[a-]$", "[\\x80-\\xff]", "^[[:print:]]*$",
		"((a)|(b))*c?$", "^(.*)(.)(.?)$", "[[:punct:]]",
	};

	return below(g->rng, 3) ? *pick(g->rng, patterns) : random_pattern(g);
}
