// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_local.h"

#include "runtime/base/util.h"

#include <stdlib.h>

// ---- counting -------------------------------------------------------------------------------------------------------

struct locals {
	const struct ir_unit *unit;
	uint32_t *sets, *reads; // by local; either may be NULL
};

static void count(uint32_t *n, uint32_t local)
{
	if (n && local != IR_NO_LOCAL)
		n[local]++;
}

// Embedded C has texts by address, and may change them.
static void count_reads(void *ctx, const struct ir_expr *e)
{
	const struct locals *l = ctx;

	if (e->op == IR_LOCAL)
		count(l->reads, e->local);
	for (unsigned i = 0; e->op == IR_EMBED && i < e->n_args; i++)
		if (e->args[i]->op == IR_LOCAL)
			count(l->sets, e->args[i]->local);
}

static void count_sets(void *ctx, const struct ir_stmt *s)
{
	const struct locals *l = ctx;

	if (s->op == IR_S_SET)
		count(l->sets, s->local);
	if (s->op == IR_S_TRY)
		count(l->sets, s->message);
	if (s->op != IR_S_FOREACH)
		return;
	count(l->sets, s->foreach.value);
	for (unsigned i = 0; i < l->unit->maps.v[s->map].n_keys; i++)
		count(l->sets, s->foreach.keys[i]);
}

void lower_local_count(const struct ir_unit *unit, const struct ir_stmt *list, uint32_t *sets, uint32_t *reads)
{
	struct locals l = { unit, sets, reads };
	const struct ir_visitor visitor = { .ctx = &l, .expr = count_reads, .stmt = count_sets };

	ir_walk_stmts(list, &visitor);
}

// ---- literals -------------------------------------------------------------------------------------------------------

struct literal {
	uint32_t local;
	const struct ir_expr *value;
};

static void put_literal(void *ctx, struct ir_expr *e)
{
	const struct literal *known = ctx;

	if (e->op == IR_LOCAL && e->local == known->local)
		*e = *known->value;
}

// A variable that one statement of the body's own sets, in no branch or loop: what stands behind it reads that.
static void put_literals(struct ir_unit *unit, struct ir_stmt **body, struct ir_local *locals, size_t n, size_t n_params)
{
	uint32_t *counts = sp_calloc(2 * n + 1, sizeof(*counts)), *sets = counts, *reads = counts + n;

	lower_local_count(unit, *body, sets, reads);
	for (struct ir_stmt **at = body; *at;) {
		struct ir_stmt *s = *at;
		bool is_literal = s->op == IR_S_SET && s->local >= n_params && locals[s->local].type == IR_STR &&
				  sets[s->local] == 1 && s->a->op == IR_LITERAL && s->a->len < locals[s->local].cap;
		struct literal known = { s->local, s->a };
		const struct ir_editor editor = { .ctx = &known, .expr = put_literal };
		uint32_t *behind = is_literal ? sp_calloc(n, sizeof(*behind)) : NULL;

		if (is_literal)
			lower_local_count(unit, s->next, NULL, behind);
		is_literal &= behind && behind[s->local] == reads[s->local];
		free(behind);
		if (!is_literal) {
			at = &s->next;
			continue;
		}
		ir_edit_stmts(s->next, &editor);
		locals[s->local].name = ""; // it needs no place
		*at = s->next;
	}
	free(counts);
}

void lower_local_literals(struct ir_unit *unit)
{
	sp_vec_each(func, &unit->funcs)
		put_literals(unit, &func->body, func->locals.v, func->locals.n, func->n_params);
	sp_vec_each(prog, &unit->progs)
		put_literals(unit, &prog->body, prog->locals.v, prog->locals.n, 0);
}
