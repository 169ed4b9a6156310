// SPDX-License-Identifier: GPL-2.0-or-later
// Probe points of a program whose variables of one name live in other places:
//  - @defined($x) ? $x : -1 compiles at each of them, and where @defined says yes, $x alone compiles and is the same;
//  - one probe statement of all points prints what a probe statement for each prints, in each engine.
#define _GNU_SOURCE
#include "testsuite/meta/relate.h"

#include <stdio.h>
#include <stdlib.h>

enum place { ENTRY = 1, MIDDLE = 2, RETURN = 4, HERE = ENTRY | MIDDLE };

static const struct candidate {
	const char *text;
	enum type type;
	unsigned places;
} candidates[] = {
	{ "$n", T_LONG, HERE | RETURN },
	{ "$m", T_LONG, HERE | RETURN },
	{ "$zz", T_LONG, HERE | RETURN },
	{ "$d0", T_LONG, HERE },
	{ "$l", T_LONG, MIDDLE },
	{ "$k", T_LONG, MIDDLE },
	{ "$s->x", T_LONG, HERE | RETURN },
	{ "$s->y", T_LONG, HERE | RETURN },
	{ "$s->z", T_LONG, HERE },
	{ "$s->a[1]", T_LONG, HERE },
	{ "$s->a[$m & 3]", T_LONG, HERE },
	{ "$s->in->u", T_LONG, HERE },
	{ "$s->in->w", T_LONG, HERE },
	{ "$s->next->x", T_LONG, HERE | RETURN },
	{ "$s->next->a[2]", T_LONG, HERE },
	{ "$s->pin->v", T_LONG, HERE },
	{ "$s->i", T_LONG, HERE },
	{ "$s->bytes[2]", T_LONG, HERE },
	{ "$s->e", T_LONG, HERE },
	{ "$s->t[1]", T_LONG, HERE },
	{ "$s[0]->x", T_LONG, HERE },
	{ "$v->b", T_LONG, HERE | RETURN },
	{ "$v->a[1]", T_LONG, HERE | RETURN },
	{ "$v->w", T_LONG, HERE },
	{ "$v->c", T_LONG, HERE },
	{ "$v->a[$m & 1]", T_LONG, HERE },
	{ "$q[1]", T_LONG, HERE },
	{ "$q[$n & 1]", T_LONG, HERE },
	{ "$p[0]", T_LONG, HERE },
	{ "($s->next == $s)", T_LONG, HERE },
	{ "$s->many[1]->w", T_LONG, HERE | RETURN },
	{ "$s->many[$m & 1]->u", T_LONG, HERE },
	{ "$s->pins[1]->v", T_LONG, HERE },
	{ "$s->pins[$n & 1]->w", T_LONG, HERE },
	{ "$s->grid[1][2]", T_LONG, HERE },
	{ "$s->grid[$m & 1][$n & 1]", T_LONG, HERE },
	{ "$s->yes", T_LONG, HERE },
	{ "$s->shade", T_LONG, HERE },
	{ "($s->left - $s->deep)", T_LONG, HERE },
	{ "$s->next->deep", T_LONG, HERE | RETURN },
	{ "$v->one->w", T_LONG, HERE },
	{ "$of_thread", T_LONG, HERE | RETURN },
	{ "@var(\"of_thread\")", T_LONG, HERE | RETURN },
	{ "@var(\"of_thread@two.c\")", T_LONG, HERE },
	{ "@var(\"ins@one.c\", @3)[1]->w", T_LONG, HERE },
	{ "@cast(@cast($s, \"struct s\")->pins[1], \"struct in\")->w", T_LONG, HERE },
	{ "@cast(&@cast($s->next, \"struct s\")->many[2], \"struct in\")->w", T_LONG, HERE },
	{ "@entry($s->many[1]->w + $s->deep)", T_LONG, RETURN },
	{ "@entry($s->many$)", T_STR, RETURN },
	{ "$s->many$", T_STR, HERE },
	{ "$s->many$$", T_STR, HERE },
	{ "$s->many[1]$", T_STR, HERE },
	{ "$s->pins$", T_STR, HERE },
	{ "$s->grid$", T_STR, HERE | RETURN },
	{ "$s->shade$", T_STR, HERE },
	{ "$v$$", T_STR, HERE | RETURN },
	{ "$$parms$$", T_STR, HERE },
	{ "$$vars$$", T_STR, MIDDLE },
	{ "$s->next->in$$", T_STR, HERE },
	{ "@var(\"ins\")$", T_STR, HERE },
	{ "(&$s->x != 0)", T_LONG, HERE },
	{ "$dup", T_LONG, HERE },
	{ "$dup", T_LONG, RETURN },
	{ "$only_one", T_LONG, HERE },
	{ "@var(\"dup\")", T_LONG, HERE },
	{ "@var(\"dup\")", T_LONG, RETURN },
	{ "@var(\"only_two\")", T_LONG, HERE },
	{ "@var(\"dup@one.c\")", T_LONG, HERE },
	{ "@var(\"dup@one.c\")", T_LONG, RETURN },
	{ "@var(\"dup@two.c\")", T_LONG, HERE },
	{ "$things[1]->x", T_LONG, HERE },
	{ "@var(\"things@two.c\")[1]->a[3]", T_LONG, HERE },
	{ "@cast($s, \"struct s\")->x", T_LONG, HERE },
	{ "@cast($q, \"int\")[1]", T_LONG, HERE },
	{ "@cast(&$s->in, \"struct in\")->v", T_LONG, HERE },
	{ "@cast($s->next, \"struct s\")->pin->v", T_LONG, HERE },
	{ "@cast(@cast($s, \"struct s\")->next, \"struct s\")->x", T_LONG, HERE | RETURN },
	{ "@cast(@cast($s->next, \"s\")->pin, \"in\")->u", T_LONG, HERE },
	{ "@cast(&@cast($s, \"struct s\")->in, \"struct in\")->w", T_LONG, HERE },
	{ "@cast($s, \"struct s\")->a[@cast($s, \"struct s\")->x & 3]", T_LONG, HERE },
	{ "@cast($s->nosuch, \"struct s\")->x", T_LONG, HERE },
	{ "@cast(@cast($s, \"struct s\")->next, \"struct s\", @3)->e", T_LONG, HERE },
	{ "$s->next->next->pin->w", T_LONG, HERE },
	{ "@var(\"dup@one.c\", @3)", T_LONG, HERE | RETURN },
	{ "@var(\"things@one.c\", @3)[2]->in->u", T_LONG, HERE },
	{ "@cast(&@var(\"things\", @3)[1], \"struct s\")->z", T_LONG, HERE },
	{ "@entry(@cast($s->next, \"struct s\")->x)", T_LONG, RETURN },
	{ "user_string(@cast($s->next, \"struct s\")->p)", T_STR, HERE | RETURN },
	{ "@cast($s, \"struct s\")->in$", T_STR, HERE },
	{ "@cast($s, \"struct s\")->next->t$", T_STR, HERE },
	{ "sprintf(\"%4m|\", $s->t)", T_STR, HERE },
	{ "sprintf(\"%4M|\", &$s->bytes)", T_STR, HERE | RETURN },
	{ "user_char($p)", T_LONG, HERE | RETURN },
	{ "user_int(&$s->bytes)", T_LONG, HERE },
	{ "$nosuch", T_LONG, HERE | RETURN },
	{ "$s->nosuch", T_LONG, HERE },
	{ "$return", T_LONG, RETURN },
	{ "@entry($n)", T_LONG, RETURN },
	{ "@entry($s->x)", T_LONG, RETURN },
	{ "@entry($s->a[$m & 3])", T_LONG, RETURN },
	{ "($s->x - @entry($s->x))", T_LONG, RETURN },
	{ "@entry($v->b)", T_LONG, RETURN },
	{ "@entry(strlen(user_string($p)))", T_LONG, RETURN },
	{ "@entry(user_string($p))", T_STR, RETURN },
	{ "@entry($s$)", T_STR, RETURN },
	{ "@entry($$parms)", T_STR, RETURN },
	{ "$return$", T_STR, RETURN },
	{ "$$return", T_STR, RETURN },
	{ "user_string($p)", T_STR, HERE | RETURN },
	{ "user_string($s->p)", T_STR, HERE | RETURN },
	{ "user_string($s->t)", T_STR, HERE },
	{ "user_string_n($p, 3)", T_STR, HERE },
	{ "user_string($s->next->p, \"none\")", T_STR, HERE },
	{ "$s$", T_STR, HERE | RETURN },
	{ "$s$$", T_STR, HERE },
	{ "$v$", T_STR, HERE },
	{ "$s->in$", T_STR, HERE | RETURN },
	{ "$s->a$", T_STR, HERE },
	{ "$s->e$", T_STR, HERE },
	{ "$s->t$", T_STR, HERE },
	{ "$v->a$", T_STR, HERE },
	{ "$n$", T_STR, HERE | RETURN },
	{ "$$parms", T_STR, HERE | RETURN },
	{ "$$parms$", T_STR, HERE },
	{ "$$vars", T_STR, MIDDLE },
	{ "$$locals$", T_STR, MIDDLE },
	{ "@enumname(\"color\", $s->e)", T_STR, HERE },
	{ "ppfunc()", T_STR, HERE | RETURN },
};

enum { MAX_POINTS = 4, MAX_CHOSEN = 8, SENTINEL = -7654321 };

// What a seed asks of a program: some points, and some of what can be read there.
struct question {
	struct point points[MAX_POINTS];
	unsigned n_points;
	const struct candidate *chosen[MAX_CHOSEN];
	unsigned n_chosen;
	bool in_both_units; // of the program
	bool is_defined[MAX_POINTS][MAX_CHOSEN];
	bool may_be_several[MAX_POINTS]; // code: inlined copies, of which one may have a variable and another not
};

// ---- choosing -------------------------------------------------------------------------------------------------------

static const char *point_text(struct seed *seed, const struct target_function *f, enum place place, unsigned how)
{
	struct sp_arena *a = &seed->arena;
	const char *path = seed->prog;

	switch (place) {
	case MIDDLE:
		return sp_arena_printf(a, "process(\"%s\").statement(\"%s@%s:%u\")", path, f->name, f->file, f->line);
	case RETURN:
		return sp_arena_printf(a, "process(\"%s\").function(\"%s\").return", path, f->name);
	case ENTRY:
	case HERE:
		break;
	}
	if (how == 0 && !f->is_inline)
		return sp_arena_printf(a, "process(\"%s\").function(\"%s\").call", path, f->name);
	if (how == 1)
		return sp_arena_printf(a, "process(\"%s\").function(\"%s@%s\")", path, f->name, f->file);
	return sp_arena_printf(a, "process(\"%s\").function(\"%s\")", path, f->name);
}

static void choose_points(struct seed *seed, struct rng *rng, struct question *q, unsigned places)
{
	const struct target *t = seed->target;
	unsigned left[MAX_FUNCTIONS], n = 0, wanted = 2 + below(rng, 1 + below(rng, MAX_POINTS - 1));
	const char *file = NULL;

	for (unsigned i = 0; i < t->n_functions; i++)
		if (places != RETURN || !t->functions[i].is_inline)
			left[n++] = i;
	while (n && q->n_points < SP_MIN(wanted, (unsigned)MAX_POINTS)) {
		unsigned k = below(rng, n), how = below(rng, 5);
		enum place place = places != HERE ? (enum place)places : below(rng, 2) ? ENTRY : MIDDLE;

		q->in_both_units |= file && !sp_streq(file, t->functions[left[k]].file);
		file = t->functions[left[k]].file;
		q->points[q->n_points].text = point_text(seed, &t->functions[left[k]], place, how);
		q->may_be_several[q->n_points] = !strstr(q->points[q->n_points].text, ").call");
		q->n_points++;
		left[k] = left[--n];
	}
}

static void choose_candidates(struct rng *rng, struct question *q, unsigned places)
{
	const struct candidate *fit[SP_ARRAY_SIZE(candidates)];
	unsigned n = 0, k;

	for (size_t i = 0; i < SP_ARRAY_SIZE(candidates); i++) {
		const struct candidate *c = &candidates[i];

		if ((c->places & places) && (places == RETURN || c->places != RETURN))
			fit[n++] = c;
	}
	while (n && q->n_chosen < MAX_CHOSEN) {
		k = below(rng, n);
		q->chosen[q->n_chosen++] = fit[k];
		fit[k] = fit[--n];
	}
}

// ---- @defined -------------------------------------------------------------------------------------------------------

enum reading { ASKS, READS, ASKS_OF_SEVERAL /* where there may be several places, else reads */ };

static void print_candidate(struct sp_buf *out, const struct question *q, unsigned p, unsigned c, enum reading how)
{
	const struct candidate *x = q->chosen[c];
	char none[16];

	snprintf(none, sizeof(none), x->type == T_LONG ? "%d" : "\"%d\"", SENTINEL);
	sp_buf_printf(out, "\tprintln(\"@%u %u \", ", p, c);
	if (how == ASKS || (how == ASKS_OF_SEVERAL && q->may_be_several[p]))
		sp_buf_printf(out, "@defined(%s) ? %s : %s", x->text, x->text, none);
	else
		sp_buf_puts(out, q->is_defined[p][c] ? x->text : none);
	sp_buf_puts(out, ")\n");
}

static void print_question(struct sp_buf *out, const struct question *q, enum reading how)
{
	for (unsigned p = 0; p < q->n_points; p++) {
		sp_buf_printf(out, "probe %s {\n", q->points[p].text);
		for (unsigned c = 0; c < q->n_chosen; c++)
			print_candidate(out, q, p, c, how);
		sp_buf_puts(out, "}\n");
	}
}

// Lines "@POINT CANDIDATE VALUE".
static void read_answers(struct question *q, const char *text)
{
	char *end;

	for (const char *s = text; s && *s; s = strchr(s, '\n'), s += s != NULL) {
		unsigned long p, c;

		if (*s != '@')
			continue;
		p = strtoul(s + 1, &end, 10);
		c = strtoul(end, &end, 10);
		if (p < q->n_points && c < q->n_chosen && *end == ' ')
			q->is_defined[p][c] = strtol(end + 1, NULL, 10) != SENTINEL;
	}
}

// What @defined denies does not compile: one of those, since each is a script.
static bool relate_undefined(struct seed *seed, struct rng *rng, const struct question *q, const char *answers)
{
	struct trial t = { .label = "what @defined denies", .engine = ENGINE_PTRACE, .command = seed->prog };
	unsigned p = below(rng, q->n_points), c = below(rng, q->n_chosen);
	struct outcome o = { 0 };
	struct sp_buf text = { 0 };
	char line[48];
	bool good = true;

	snprintf(line, sizeof(line), "@%u %u %d\n", p, c, SENTINEL);
	if (strstr(answers, line)) {
		sp_buf_printf(&text, "probe %s { println(%s) }\n", q->points[p].text, q->chosen[c]->text);
		t.script = sp_buf_str(&text);
		trial_run(&seed->lab, &t, &o);
		seed->n_comparisons++;
		good = o.kind == OUTCOME_REFUSED;
		if (!good)
			sp_buf_printf(&seed->report, "seed %llu: @defined denies it, but it compiles\n%s%s%s",
				      (unsigned long long)seed->number, t.script, sp_buf_str(&o.out), sp_buf_str(&o.err));
	}
	outcome_deinit(&o);
	sp_buf_deinit(&text);
	return good;
}

// Is `script` refused because a variable has no value at a place?
static bool lacks_value(struct seed *seed, const struct trial *t)
{
	struct outcome o = { 0 };
	bool lacks;

	trial_run(&seed->lab, t, &o);
	lacks = o.kind == OUTCOME_REFUSED && sp_streq(o.tag, "E502");
	outcome_deinit(&o);
	return lacks;
}

static bool relate_defined(struct seed *seed, struct rng *rng, struct question *q)
{
	struct sp_buf asking = { 0 }, reading = { 0 };
	struct trial a = { .label = "@defined(x) ? x : none", .engine = ENGINE_PTRACE, .command = seed->prog }, b = a;
	struct outcome o = { 0 };
	bool good;

	print_question(&asking, q, ASKS);
	a.script = sp_buf_str(&asking);
	good = relate_compiles(seed, &a, &o);
	if (good && o.kind == OUTCOME_RAN) {
		read_answers(q, sp_buf_str(&o.out));
		print_question(&reading, q, READS);
		b.label = "x where it is defined";
		b.script = sp_buf_str(&reading);
		if (lacks_value(seed, &b)) { // at a copy of the code that has not run
			sp_buf_clear(&reading);
			print_question(&reading, q, ASKS_OF_SEVERAL);
			b.script = sp_buf_str(&reading);
		}
		good = relate_text(seed, &a, &o, &b, COMPARE_CUTS) && relate_undefined(seed, rng, q, sp_buf_str(&o.out));
	}
	outcome_deinit(&o);
	sp_buf_deinit(&asking);
	sp_buf_deinit(&reading);
	return good;
}

// ---- one statement, many statements ---------------------------------------------------------------------------------

static unsigned make_leaves(struct seed *seed, const struct question *q, struct leaf *leaves)
{
	unsigned n = 0;

	for (unsigned c = 0; c < q->n_chosen; c++) {
		const struct candidate *x = q->chosen[c];
		unsigned defined = 0;

		for (unsigned p = 0; p < q->n_points; p++)
			defined += q->is_defined[p][c];
		leaves[n].type = x->type;
		leaves[n].weight = defined ? 3 : 1;
		leaves[n].names_site = sp_streq(x->text, "ppfunc()");
		leaves[n].text = defined == q->n_points ? x->text :
							  sp_arena_printf(&seed->arena, x->type == T_LONG ? "(@defined(%s) ? %s : -1)" :
													    "(@defined(%s) ? %s : \"none\")",
									  x->text, x->text);
		n++;
	}
	return n;
}

static struct variant variant(const struct seed *seed, const char *label, const struct head *heads, unsigned n_heads, enum engine engine)
{
	struct variant v = { .label = label, .engine = engine, .command = seed->prog, .compare = COMPARE_CUTS | COMPARE_HERE };

	v.layout.heads = heads;
	v.layout.n_heads = n_heads;
	return v;
}

static bool relate_bodies(struct seed *seed, struct rng *rng, struct question *q)
{
	struct leaf leaves[MAX_CHOSEN];
	struct script_wants wants = { .n_bodies = 1, .n_statements = 7, .leaves = leaves };
	struct point *points[MAX_POINTS];
	struct head one = { .points = points, .n_points = q->n_points }, alias = one, each[MAX_POINTS] = { 0 };
	struct variant v[6];
	struct script s;
	unsigned n = 0;

	wants.n_leaves = make_leaves(seed, q, leaves);
	script_make(&s, &seed->arena, rng_of(seed->number, "points body"), &wants);
	for (unsigned i = 0; i < q->n_points; i++) {
		points[i] = &q->points[i];
		each[i] = (struct head){ .points = &points[i], .n_points = 1 };
	}
	alias.alias = "these";
	v[n++] = variant(seed, "one statement of all points", &one, 1, ENGINE_PTRACE);
	v[n++] = variant(seed, "a statement for each point", each, q->n_points, ENGINE_PTRACE);
	if (below(rng, 4) == 0)
		v[n++] = variant(seed, "an alias of all points", &alias, 1, ENGINE_PTRACE);
	if (seed->kernel) {
		v[n++] = variant(seed, "one statement of all points, in the kernel", &one, 1, ENGINE_KERNEL);
		v[n++] = variant(seed, "a statement for each point, in the kernel", each, q->n_points, ENGINE_KERNEL);
	}
	return relate(seed, &s, v, n, q->points, q->n_points);
}

bool relate_points(struct seed *seed)
{
	static const unsigned places[] = { ENTRY, ENTRY, HERE, MIDDLE, RETURN };
	struct rng rng = rng_of(seed->number, "points");
	struct question q = { 0 };
	unsigned place = *pick(&rng, places);

	choose_points(seed, &rng, &q, place);
	choose_candidates(&rng, &q, place);
	if (!q.n_points)
		return true;
	return relate_defined(seed, &rng, &q) && relate_bodies(seed, &rng, &q);
}
