// SPDX-License-Identifier: GPL-2.0-or-later
#include "testsuite/meta/relate.h"

#include <stdio.h>
#include <time.h>

// Compiled here, for a kernel that another machine has.
static bool is_elsewhere(const struct seed *seed, const struct variant *v)
{
	return seed->release && (v->engine == ENGINE_KERNEL || v->engine == ENGINE_LOAD);
}

static struct trial trial_of(const struct seed *seed, const struct script *s, const struct variant *v)
{
	return (struct trial){ .label = v->label, .command = v->command, .engine = v->engine, .no_optimization = v->no_optimization,
			       .max_string = s->max_string, .max_errors = s->max_errors,
			       .max_action = s->max_action, .release = is_elsewhere(seed, v) ? seed->release : NULL, .object = v->object };
}

static void run_variant(struct seed *seed, const struct script *s, const struct variant *v, struct sp_buf *text, struct outcome *ret)
{
	struct trial t = trial_of(seed, s, v);
	struct script_layout layout = v->layout;

	layout.style.cuts = s->max_string;
	sp_buf_clear(text);
	script_print(text, s, &layout);
	t.script = sp_buf_str(text);
	trial_run(&seed->lab, &t, ret);
	if (seed->shows)
		printf("=== %s%s, MAXSTRINGLEN %u\n%s=== prints\n%s=== says\n%s", t.label, t.no_optimization ? ", -u" : "", t.max_string, t.script,
		       sp_buf_str(&ret->out), sp_buf_str(&ret->err));
}

// ---- making two scripts that disagree smaller --------------------------------------------------------------------

struct shrink {
	struct seed *seed;
	struct script *s;
	const struct variant *a, *b; // b NULL: `a` alone is broken
	enum outcome_kind kinds[2];
	char tags[2][8];
	unsigned tries; // of two scripts; more than one when one of them prints now this, now that
	time_t end;
};

// Still the same kind of disagreement?
static bool disagree_once(struct shrink *sh)
{
	const struct variant *variants[] = { sh->a, sh->b };
	struct outcome o[2] = { 0 };
	struct sp_buf text = { 0 };
	bool same_kind = true, disagrees;

	if (time(NULL) > sh->end)
		return false;
	for (unsigned i = 0; i < 2 && same_kind && variants[i]; i++) {
		run_variant(sh->seed, sh->s, variants[i], &text, &o[i]);
		same_kind = o[i].kind == sh->kinds[i] && sp_streq(o[i].tag, sh->tags[i]);
	}
	disagrees = same_kind && (!sh->b || !outcomes_agree(&o[0], &o[1], sh->b->compare));
	outcome_deinit(&o[0]);
	outcome_deinit(&o[1]);
	sp_buf_deinit(&text);
	return disagrees;
}

static bool disagree(struct shrink *sh)
{
	for (unsigned i = 0; i < sh->tries; i++)
		if (disagree_once(sh))
			return true;
	return false;
}

static unsigned try_flag(struct shrink *sh, bool *flag)
{
	if (*flag)
		return 0;
	*flag = true;
	if (disagree(sh))
		return 1;
	*flag = false;
	return 0;
}

static unsigned shrink_expr(struct shrink *sh, struct node *n);

static unsigned try_instead(struct shrink *sh, struct node *n, struct node *by)
{
	n->instead = by;
	if (disagree(sh))
		return 1 + shrink_expr(sh, by);
	n->instead = NULL;
	return 0;
}

static unsigned shrink_expr(struct shrink *sh, struct node *n)
{
	struct node *simple;
	unsigned done = 0;

	while (n->instead)
		n = n->instead;
	if (n->kind == NODE_BLOCK || (n->kind == NODE_FORM && !n->kid[0]))
		return 0;
	if (n->type != T_NONE) {
		simple = node_leaf(&sh->s->tree, n->type, n->type == T_LONG ? "1" : "\"a\"");
		done = try_instead(sh, n, simple);
		for (unsigned i = 0; i < MAX_KIDS && !done && n->kid[i]; i++)
			if (n->kid[i]->type == n->type)
				done = try_instead(sh, n, n->kid[i]);
		if (done)
			return done;
	}
	for (unsigned i = 0; i < MAX_KIDS; i++)
		if (n->kid[i])
			done += shrink_expr(sh, n->kid[i]);
	return done;
}

static unsigned shrink_statements(struct shrink *sh, struct node *block, bool exprs)
{
	unsigned done = 0;

	for (struct node *n = block ? block->first : NULL; n; n = n->next) {
		if (!n->is_off && !exprs)
			done += try_flag(sh, &n->is_off);
		if (n->is_off)
			continue;
		if (exprs)
			done += shrink_expr(sh, n);
		for (unsigned i = 0; i < MAX_KIDS; i++)
			if (n->kid[i] && n->kid[i]->kind == NODE_BLOCK)
				done += shrink_statements(sh, n->kid[i], exprs);
	}
	return done;
}

static unsigned shrink_all(struct shrink *sh, bool exprs)
{
	unsigned done = 0;

	for (unsigned i = 0; i < sh->s->n_bodies; i++)
		done += shrink_statements(sh, sh->s->bodies[i], exprs);
	for (unsigned i = 0; i < sh->s->n_funcs; i++) {
		done += shrink_statements(sh, sh->s->funcs[i]->body, exprs);
		if (exprs && sh->s->funcs[i]->value)
			done += shrink_expr(sh, sh->s->funcs[i]->value);
	}
	return done;
}

// What fills and what shows a global goes together: else it is one that nothing reads, which is shown in any order.
static void set_global(struct script *s, unsigned global, bool is_off)
{
	struct node *blocks[] = { s->setup, s->end };

	for (unsigned i = 0; i < SP_ARRAY_SIZE(blocks); i++)
		for (struct node *n = blocks[i]->first; n; n = n->next)
			if (n->global == global)
				n->is_off = is_off;
}

static void shrink_globals(struct shrink *sh)
{
	for (unsigned i = 1; i <= sh->s->n_globals; i++) {
		set_global(sh->s, i, true);
		if (!disagree(sh))
			set_global(sh->s, i, false);
	}
}

static void shrink(struct shrink *sh, struct point *points, unsigned n_points)
{
	unsigned done, agreed = 0;

	sh->end = time(NULL) + sh->seed->shrink_seconds;
	for (unsigned i = 0; i < 4; i++)
		agreed += !disagree_once(sh);
	sh->tries = agreed ? 4 : 1;
	do {
		done = 0;
		for (unsigned i = 0; i < n_points; i++)
			done += try_flag(sh, &points[i].is_off);
		done += shrink_all(sh, false);
		done += shrink_all(sh, true);
	} while (done && time(NULL) <= sh->end);
	shrink_globals(sh);
}

// ---- reporting ------------------------------------------------------------------------------------------------------

// `was`: what the two printed before. What does not disagree again is shown as it was.
static void report(struct seed *seed, const struct script *s, const struct variant *a, const struct variant *b, const struct outcome *const was[2])
{
	const struct variant *variants[] = { a, b };
	struct outcome o[2] = { 0 };
	struct sp_buf text = { 0 };

	sp_buf_printf(&seed->report, "seed %llu: \"%s\" and \"%s\" disagree", (unsigned long long)seed->number, a->label, b->label);
	if (s->max_string)
		sp_buf_printf(&seed->report, " (-D MAXSTRINGLEN=%u)", s->max_string);
	if (s->max_errors)
		sp_buf_printf(&seed->report, " (-D MAXERRORS=%u)", s->max_errors);
	if (s->max_action)
		sp_buf_printf(&seed->report, " (-D MAXACTION=%u)", s->max_action);
	sp_buf_putc(&seed->report, '\n');
	for (unsigned i = 0; i < 2; i++) {
		run_variant(seed, s, variants[i], &text, &o[i]);
		sp_buf_printf(&seed->report, "--- %s%s%s\n%s", variants[i]->label, variants[i]->command ? ", -c " : "",
			      variants[i]->command ? variants[i]->command : "", sp_buf_str(&text));
	}
	if (outcomes_agree(&o[0], &o[1], b->compare)) {
		sp_buf_puts(&seed->report, "--- not this time, but before\n");
		outcomes_differ(&seed->report, was[0], was[1], b->compare);
	} else {
		outcomes_differ(&seed->report, &o[0], &o[1], b->compare);
	}
	outcome_deinit(&o[0]);
	outcome_deinit(&o[1]);
	sp_buf_deinit(&text);
}

static void tell_refused(const struct seed *seed, const struct variant *v, const struct outcome *o)
{
	printf("seed %llu: %s: %.*s\n", (unsigned long long)seed->number, v->label, (int)strcspn(sp_buf_str(&o->err), "\n"), sp_buf_str(&o->err));
}

bool relate(struct seed *seed, struct script *s, const struct variant *variants, unsigned n, struct point *points,
	    unsigned n_points)
{
	struct outcome first = { 0 }, other = { 0 };
	struct sp_buf text = { 0 };
	bool agree = true;

	run_variant(seed, s, &variants[0], &text, &first);
	if (first.kind == OUTCOME_REFUSED) // and nothing is compared
		tell_refused(seed, &variants[0], &first);
	for (unsigned i = 1; i < n && agree; i++) {
		struct variant v = variants[i];
		struct shrink sh = { .seed = seed, .s = s, .a = &variants[0], .b = &v };

		if (is_elsewhere(seed, &v))
			v.object = sp_arena_printf(&seed->arena, "%s/%llu.%u.spo", seed->objects, (unsigned long long)seed->number, seed->lab.n_scripts);
		run_variant(seed, s, &v, &text, &other);
		if (is_elsewhere(seed, &v) && other.kind == OUTCOME_RAN) {
			trial_keep(&(struct trial){ .object = v.object, .command = v.command }, &first, v.compare);
			outcome_deinit(&other);
			continue;
		}
		seed->n_comparisons++;
		seed->n_refused += other.kind != OUTCOME_RAN;
		// The kernel has limits that others do not have.
		agree = (other.kind == OUTCOME_REFUSED && v.engine == ENGINE_KERNEL) || outcomes_agree(&first, &other, v.compare);
		if (!agree) {
			sh.kinds[0] = first.kind, sh.kinds[1] = other.kind;
			memcpy(sh.tags[0], first.tag, sizeof(first.tag));
			memcpy(sh.tags[1], other.tag, sizeof(other.tag));
			if (seed->shrink_seconds)
				shrink(&sh, points, n_points);
			report(seed, s, &variants[0], &v, (const struct outcome *[2]){ &first, &other });
		}
		outcome_deinit(&other);
	}
	outcome_deinit(&first);
	sp_buf_deinit(&text);
	return agree;
}

bool relate_loads(struct seed *seed, struct script *s, const struct variant *v)
{
	struct outcome o = { 0 };
	struct sp_buf text = { 0 };
	struct shrink sh = { .seed = seed, .s = s, .a = v, .kinds = { OUTCOME_BROKEN } };
	bool good;

	run_variant(seed, s, v, &text, &o);
	seed->n_comparisons++;
	if (o.kind == OUTCOME_REFUSED) { // the kernel has limits that others do not have
		seed->n_refused++;
		tell_refused(seed, v, &o);
	}
	good = o.kind != OUTCOME_BROKEN;
	if (!good) {
		memcpy(sh.tags[0], o.tag, sizeof(o.tag));
		if (seed->shrink_seconds)
			shrink(&sh, NULL, 0);
		outcome_deinit(&o);
		run_variant(seed, s, v, &text, &o);
		sp_buf_printf(&seed->report, "seed %llu: a handler of the kind \"%s\" is refused%s", (unsigned long long)seed->number, v->label,
			      v->no_optimization ? " (-u)" : "");
		if (s->max_string)
			sp_buf_printf(&seed->report, " (-D MAXSTRINGLEN=%u)", s->max_string);
		sp_buf_printf(&seed->report, "\n%s", sp_buf_str(&text));
		sp_buf_printf(&seed->report, "--- it says\n%s\n", sp_buf_str(&o.err));
	}
	outcome_deinit(&o);
	sp_buf_deinit(&text);
	return good;
}

bool relate_text(struct seed *seed, const struct trial *a, const struct outcome *first, const struct trial *b, unsigned compare)
{
	struct outcome second = { 0 };
	bool agree;

	trial_run(&seed->lab, b, &second);
	seed->n_comparisons++;
	agree = outcomes_agree(first, &second, compare);
	if (!agree) {
		sp_buf_printf(&seed->report, "seed %llu: \"%s\" and \"%s\" disagree\n--- %s, -c %s\n%s--- %s\n%s",
			      (unsigned long long)seed->number, a->label, b->label, a->label, a->command, a->script, b->label,
			      b->script);
		outcomes_differ(&seed->report, first, &second, compare);
	}
	outcome_deinit(&second);
	return agree;
}

bool relate_compiles(struct seed *seed, const struct trial *t, struct outcome *ret)
{
	trial_run(&seed->lab, t, ret);
	seed->n_comparisons++;
	if (ret->kind == OUTCOME_RAN)
		return true;
	sp_buf_printf(&seed->report, "seed %llu: \"%s\" has to compile, and run\n%s--- it says\n%s", (unsigned long long)seed->number,
		      t->label, t->script, sp_buf_str(&ret->err));
	return false;
}
