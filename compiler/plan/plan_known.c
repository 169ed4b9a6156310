// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_known.h"

#include "runtime/base/util.h"

#include <stdlib.h>

#define MOST_TEXTS 4096

// What is found about an array.
struct found {
	bool is_used_in_kernel, is_unknown;
	bool is_cleared; // by kernel code
	struct texts { SP_VEC(const char *) list; } *parts; // of the key
};

struct search {
	const struct ir_unit *unit;
	const struct ir_prog *prog; // that is looked at; NULL: a function
	bool in_kernel;
	struct found *found; // by array
	unsigned part;
};

static bool add_text(struct search *s, struct found *found, const struct ir_key *key, const char *text, size_t len)
{
	if (strlen(text) != len || len >= key->size)
		return false;
	sp_vec_push(&found->parts[s->part].list, text);
	return true;
}

static bool add_sites(struct search *s, struct found *found, const struct ir_key *key, const struct ir_expr *e)
{
	bool has_sites = s->prog && s->prog->n_sites;
	size_t first = has_sites ? s->prog->first_site : 0;
	size_t n = has_sites ? s->prog->n_sites : s->unit->sites.n;
	bool fits = true;

	for (size_t i = first; i < first + n; i++) {
		const char *text = ir_site_text(s->unit, &s->unit->sites.v[i], (enum sp_site_text)e->what);

		fits &= add_text(s, found, key, text, strlen(text));
	}
	return fits;
}

// Whether the text is one of a few; these are added to the array's.
static bool add_known(struct search *s, struct found *found, const struct ir_key *key, const struct ir_expr *e)
{
	switch ((int)e->op) {
	case IR_LITERAL:
		return add_text(s, found, key, e->text, e->len);
	case IR_SITE:
		return add_sites(s, found, key, e);
	case IR_COND:
		return add_known(s, found, key, e->b) && add_known(s, found, key, e->c);
	}
	return false;
}

static void note(struct search *s, uint32_t map, struct ir_expr **args, bool stores)
{
	struct found *found = &s->found[map];
	const struct ir_map *m = &s->unit->maps.v[map];

	found->is_used_in_kernel |= s->in_kernel;
	for (s->part = 0; args && s->part < m->n_keys; s->part++)
		if (m->keys[s->part].type == IR_STR && !add_known(s, found, &m->keys[s->part], args[s->part]))
			found->is_unknown |= s->in_kernel || stores;
}

static void note_expr(void *ctx, const struct ir_expr *e)
{
	if (ir_expr_op_has(e->op) & IR_HAS_MAP)
		note(ctx, e->map, e->args, e->op == IR_MAP_ADD);
}

// A walk in the kernel gives the parts of the key to the script.
static void note_stmt(void *ctx, const struct ir_stmt *st)
{
	struct search *s = ctx;

	if (!(ir_stmt_op_has(st->op) & IR_HAS_MAP))
		return;
	if (st->op == IR_S_FOREACH)
		s->found[st->map].is_unknown |= s->in_kernel;
	s->found[st->map].is_cleared |= s->in_kernel && st->op == IR_S_MAP_CLEAR;
	note(s, st->map, st->args, st->op == IR_S_MAP_SET || st->op == IR_S_STAT_ADD);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct plan_known sorted(struct plan *plan, const char **texts, size_t n)
{
	struct plan_known known = { .texts = sp_arena_array(&plan->arena, const char *, n) };

	qsort(texts, n, sizeof(*texts), by_text);
	for (size_t i = 0; i < n; i++)
		if (!known.n || !sp_streq(known.texts[known.n - 1], texts[i]))
			known.texts[known.n++] = texts[i];
	return known;
}

static void decide(struct plan *plan, uint32_t index, const struct found *found)
{
	const struct ir_map *map = &plan->unit->maps.v[index];
	struct plan_map *p = &plan->maps[index];
	struct plan_known *known;
	bool has_texts = false;

	p->kernel_key_size = map->key_size;
	if (found->is_unknown || !found->is_used_in_kernel || map->wraps)
		return;
	for (unsigned i = 0; i < map->n_keys; i++) {
		if (map->keys[i].type == IR_STR && (!found->parts[i].list.n || found->parts[i].list.n > MOST_TEXTS))
			return;
		has_texts |= map->keys[i].type == IR_STR;
	}
	if (!has_texts)
		return;
	known = sp_arena_array(&plan->arena, struct plan_known, map->n_keys);
	for (unsigned i = 0; i < map->n_keys; i++)
		if (map->keys[i].type == IR_STR)
			known[i] = sorted(plan, found->parts[i].list.v, found->parts[i].list.n);
	p->known = known;
	p->is_split = false;
	p->kernel_key_size = map->n_keys * 8;
	p->is_direct = map->kind == SP_MAP_HASH && map->value_type == IR_LONG && map->n_keys == 1 && !found->is_cleared &&
		       known->n <= map->max_entries;
	for (p->n_places = p->is_direct; p->n_places && p->n_places < known->n;)
		p->n_places *= 2;
}

void plan_known(struct plan *plan)
{
	const struct ir_unit *unit = plan->unit;
	struct search s = { .unit = unit, .found = sp_calloc(unit->maps.n + 1, sizeof(*s.found)) };
	struct ir_visitor visitor = { .ctx = &s, .expr = note_expr, .stmt = note_stmt };

	for (uint32_t i = 0; i < unit->maps.n; i++)
		s.found[i].parts = sp_calloc(unit->maps.v[i].n_keys + 1, sizeof(*s.found[i].parts));
	for (size_t i = 0; i < unit->funcs.n; i++) {
		s.in_kernel = plan->funcs[i].in_kernel;
		ir_walk_stmts(unit->funcs.v[i].body, &visitor);
	}
	sp_vec_each (prog, &unit->progs) {
		s.prog = prog;
		s.in_kernel = plan->progs[prog - unit->progs.v].in_kernel;
		ir_walk_stmts(prog->body, &visitor);
	}
	for (uint32_t i = 0; i < unit->maps.n; i++) {
		decide(plan, i, &s.found[i]);
		for (unsigned k = 0; k < unit->maps.v[i].n_keys; k++)
			sp_vec_deinit(&s.found[i].parts[k].list);
		free(s.found[i].parts);
	}
	free(s.found);
}
