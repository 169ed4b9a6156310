// SPDX-License-Identifier: GPL-2.0-or-later
// One body prints the same in a probe begin, in the user engine, in the kernel, in a cut handler, optimised or not, with its functions where
// they are called, with other callers of them, in halves, with declarations in another order, and said in other words.
#define _GNU_SOURCE
#include "testsuite/meta/relate.h"

#include <stdio.h>
#include <sys/syscall.h>

enum { MAX_VARIANTS = 10 };

// Two probes: one for the first and third event, one for the second.
struct place {
	struct point *points[3];
	struct head heads[2];
};

static void make_heads(struct place *p, struct sp_arena *arena, const char *const texts[3], const char *const firsts[2])
{
	bool is_shared = !texts[2]; // one point is hit by both events

	for (unsigned i = 0; i < 3 && texts[i]; i++) {
		p->points[i] = sp_arena_new(arena, struct point);
		p->points[i]->text = texts[i];
	}
	p->heads[0] = (struct head){ .points = p->points, .n_points = is_shared ? 1 : 2, .first = firsts[0] };
	p->heads[1] = (struct head){ .points = p->points + (is_shared ? 1 : 2), .n_points = 1, .first = firsts[1], .body = 1 };
}

static struct variant variant(const char *label, const struct place *p, unsigned compare)
{
	struct variant v = { .label = label, .compare = compare };

	v.layout.heads = p->heads;
	v.layout.n_heads = 2;
	return v;
}

// What handlers of returns begin with: a text that the entry keeps.
static void kept_texts(const char *const functions[2], const char *firsts[2])
{
	for (unsigned i = 0; i < 2; i++)
		firsts[i] = strstr(functions[i], ").return") ? " if (@entry(sprintf(\"%d kept\", pid() & 0)) != \"0 kept\") next;" : NULL;
}

static unsigned add_kernel(struct seed *seed, struct variant *v, struct place *uprobe, struct place *trace, const char *const functions[3])
{
	const char *texts[3] = { "kernel.trace(\"sys_enter\")", "kernel.trace(\"sys_enter\") ", NULL }, *firsts[2];
	static const long numbers[2] = { SYS_getppid, SYS_getpgrp };

	kept_texts(functions, firsts);
	make_heads(uprobe, &seed->arena, functions, firsts);
	v[0] = variant("a uprobe", uprobe, COMPARE_PLACES | COMPARE_CUTS);
	for (unsigned i = 0; i < 2; i++)
		firsts[i] = sp_arena_printf(&seed->arena, " if (pid() != target() || $id != %ld) next;", numbers[i]);
	make_heads(trace, &seed->arena, texts, firsts);
	v[1] = variant("a tracepoint", trace, COMPARE_PLACES | COMPARE_CUTS);
	if (seed->number % 3 == 0) { // in which the body stands twice
		v[seed->number % 2].layout.conditional = true;
		v[seed->number % 2].compare = COMPARE_CUTS;
	}
	for (unsigned i = 0; i < 2; i++) {
		v[i].engine = ENGINE_KERNEL;
		v[i].command = seed->ticks;
	}
	return 2;
}

// The same in handlers whose first statement only the runtime can do: all of the body is the rest of a handler in the kernel. What a function
// gives for a key is computed there, needed or not, and so texts may be cut that are not elsewhere.
static unsigned add_deferred(struct seed *seed, struct variant *v, struct place *uprobe, struct place *trace, const char *const functions[3])
{
#define DEFERS " if (usymname(uaddr()) == \"there is none\") next;"
	const char *texts[3] = { "kernel.trace(\"sys_enter\")", "kernel.trace(\"sys_enter\") ", NULL }, *firsts[2];
	static const long numbers[2] = { SYS_getppid, SYS_getpgrp };

	make_heads(uprobe, &seed->arena, functions, (const char *[2]){ DEFERS, DEFERS });
	v[0] = variant("a uprobe whose handler is cut", uprobe, COMPARE_PLACES);
	for (unsigned i = 0; i < 2; i++)
		firsts[i] = sp_arena_printf(&seed->arena, " if (pid() != target() || $id != %ld) next;" DEFERS, numbers[i]);
	make_heads(trace, &seed->arena, texts, firsts);
	v[1] = variant("a tracepoint whose handler is cut", trace, COMPARE_PLACES);
	for (unsigned i = 0; i < 2; i++) {
		v[i].engine = ENGINE_KERNEL;
		v[i].command = seed->ticks;
	}
	return 2;
}

// Two of the ways to write a body in user space, and all in the kernel.
static unsigned add_ways(struct seed *seed, struct rng *rng, struct variant *v, const struct place *begin, const struct place *ptrace)
{
	struct variant ways[] = {
		variant("begin, -u", begin, COMPARE_PLACES), // optimised, nobody cuts what nobody reads
		variant("begin, other callers and another order", begin, COMPARE_CUTS),
		variant("begin, in other words", begin, 0),
		variant("the user engine", ptrace, COMPARE_PLACES | COMPARE_CUTS),
		variant("begin, in two halves", begin, COMPARE_CUTS),
		variant("begin, in aliases of aliases", begin, COMPARE_CUTS),
		variant("begin, with conditions", begin, COMPARE_CUTS),
		variant("the user engine, with conditions", ptrace, COMPARE_CUTS),
	};
	unsigned n = SP_ARRAY_SIZE(ways), k;

	ways[0].no_optimization = true;
	ways[1].layout.shared = true;
	ways[1].layout.order = seed->number + 1;
	ways[2].layout.style = (struct style){ .parens = below(rng, 2), .alt = seed->number + 1, .inlined = seed->number % 2 };
	ways[2].layout.order = seed->number + 2;
	ways[3].engine = ENGINE_PTRACE;
	ways[3].command = seed->ticks;
	ways[4].layout.halves = below(rng, 2) ? HALVES_PROLOGUE : HALVES_EPILOGUE;
	ways[5].layout.halves = HALVES_LEVELS;
	ways[5].layout.level_ends = seed->number + 3;
	ways[6].layout.conditional = ways[7].layout.conditional = true;
	ways[7].engine = ENGINE_PTRACE;
	ways[7].command = seed->ticks;
	for (unsigned i = 0; i < 2; i++) {
		k = below(rng, n);
		v[i] = ways[k];
		ways[k] = ways[--n];
	}
	return 2;
}

// begin has the first event, and a handler in the kernel the others: they share what is global.
static unsigned add_mixed(struct seed *seed, struct variant *v, struct place *mixed, const char *const functions[3])
{
	const char *texts[3] = { "begin(1)", functions[1], functions[0] }, *firsts[2] = { NULL, " if (turn++) next;" };

	make_heads(mixed, &seed->arena, texts, firsts);
	v[0] = variant("a probe begin and uprobes", mixed, COMPARE_PLACES | COMPARE_CUTS);
	v[0].engine = ENGINE_KERNEL;
	v[0].command = seed->ticks;
	v[0].layout.preamble = "global turn\n";
	return 1;
}

// Its variables cut what is not cut without them.
static struct variant in_steps(const struct place *begin)
{
	struct variant v = variant("begin, in steps", begin, COMPARE_UNCUT);

	v.layout.style.steps = true;
	return v;
}

static struct variant timers(struct place *place, struct sp_arena *arena, unsigned n_bodies)
{
	const char *texts[3] = { "timer.ms(1)", "timer.ms(1) ", NULL }, *firsts[2] = { " if (turn == 1 || turn > 2) next; turn++;", " if (turn != 1) next; turn++;" };
	struct variant v;

	if (n_bodies == 1)
		firsts[0] = " if (turn > 1) next; turn++;";
	make_heads(place, arena, texts, firsts);
	v = variant("timers", place, COMPARE_CUTS);
	v.layout.preamble = n_bodies == 1 ? "global turn\nprobe timer.ms(1) { if (turn > 1) exit() }\n" : "global turn\nprobe timer.ms(1) { if (turn > 2) exit() }\n";
	return v;
}

// The limit of rounds ends a handler of events at the same round in each engine.
static unsigned limited(struct seed *seed, struct variant *v, const struct place *ptrace, struct place *uprobe, struct place *trace,
			const char *const functions[3])
{
	v[0] = variant("the user engine", ptrace, 0);
	v[0].engine = ENGINE_PTRACE;
	v[0].command = seed->ticks;
	v[1] = v[0];
	v[1].label = "the user engine, -u";
	v[1].compare = COMPARE_PLACES;
	v[1].no_optimization = true;
	return 2 + add_kernel(seed, v + 2, uprobe, trace, functions);
}

// One function, by one of the ways to say so.
static const char *point_of(struct seed *seed, struct rng *rng, const char *name)
{
	static const char *const forms[] = {
		"process(\"%s\").function(\"%s\")",
		"process(\"%s\").function(\"%s\").call",
		"process(\"%s\").function(\"%s\") !",
		"process(\"%s\").function(\"%s\") ?",
		"process(\"%s\").function(\"%s@ticks.c\")",
		"process(\"%s\").function(\"%.3s[a-k]\")",
		"process(\"%s\").function(\"%s\").return",
		"process(\"%s\").function(\"%s\").return",
		"process(\"%s\").function(\"%s\").exported",
		"process(\"%s\").function(\"%s\").label(\"called\")",
		"process(\"%s\").function(\"main\").callee(\"%s\")",
		"process(\"%s\").statement(\"%s@ticks.c+2\")",
		"process(\"%s\").statement(\"%s@ticks.c+3\").nearest",
		"process(\"%s\").function(\"%s+0\")",
	};

	return sp_arena_printf(&seed->arena, *pick(rng, forms), seed->ticks, name);
}

static bool has_own(const struct script *s)
{
	for (unsigned i = 0; i < s->n_globals; i++)
		if (s->globals[i].is_own)
			return true;
	return false;
}

bool relate_language(struct seed *seed)
{
	static const char *const begins[3] = { "begin(1)", "begin(3)", "begin(2)" };
	static const char *const none[2];
	static const unsigned rounds[] = { 1, 3, 7, 15, 40, 120 };
	struct rng rng = rng_of(seed->number, "language"), points_rng = rng_of(seed->number, "language points");
	const char *tick = point_of(seed, &points_rng, "tick"), *functions[3] = { tick, point_of(seed, &points_rng, "tock"), NULL }, *firsts[2];
	struct script_wants wants = { .n_statements = 12, .may_be_user_only = true };
	struct place begin = { 0 }, ptrace = { 0 }, uprobe = { 0 }, trace = { 0 }, cut_uprobe = { 0 }, cut_trace = { 0 }, mixed = { 0 }, timer = { 0 };
	struct variant v[MAX_VARIANTS];
	struct script s;
	unsigned n;

	wants.n_bodies = chance(&rng, 30) ? 2 : 1;
	wants.has_big_function = chance(&rng, 10);
	script_make(&s, &seed->arena, rng_of(seed->number, "language body"), &wants);
	make_heads(&begin, &seed->arena, begins, none);
	kept_texts(functions, firsts);
	make_heads(&ptrace, &seed->arena, functions, firsts);
	if (seed->kernel && !s.user_only && chance(&rng, 20)) {
		s.max_action = *pick(&rng, rounds);
		n = limited(seed, v, &ptrace, &uprobe, &trace, functions);
	} else {
		v[0] = variant("begin", &begin, 0);
		n = 1 + add_ways(seed, &rng, v + 1, &begin, &ptrace);
		v[n++] = in_steps(&begin);
		if (chance(&rng, 20))
			v[n++] = timers(&timer, &seed->arena, wants.n_bodies);
		if (seed->kernel && !s.user_only)
			n += add_kernel(seed, v + n, &uprobe, &trace, functions);
		if (seed->kernel)
			n += add_deferred(seed, v + n, &cut_uprobe, &cut_trace, functions);
		if (seed->kernel && !s.user_only && !has_own(&s))
			n += add_mixed(seed, v + n, &mixed, functions);
	}
	for (unsigned i = 0; i < n; i++) {
		if (!v[i].layout.preamble)
			v[i].layout.preamble = v[i].engine == ENGINE_NONE ? "probe begin(100) { exit() }\n" : "\n";
		v[i].layout.n_heads = wants.n_bodies;
	}
	return relate(seed, &s, v, n, NULL, 0);
}
