// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/plan/plan_kernel.h"

#include "runtime/abi/event.h"
#include "runtime/base/directive.h"

#define MAX_SEARCHED 4096 // bytes of a text that is searched by a plain loop, of which the verifier follows each round

// A kernel program, or a function that one calls.
struct body {
	const struct plan_env *env;
	const struct ir_prog *prog; // NULL: a function
	const struct ir_func *func;
	const struct plan_func *func_plan;
	bool fails; // a program
	uint32_t stmt_place; // of the statement that is looked at
	bool needs_ring, recurses;
};

// ---- reports ------------------------------------------------------------------------------------

static const char *handler_text(const struct body *b)
{
	return b->prog ? "a handler that runs in the kernel" : "a function that kernel handlers call";
}

// Adds a note that names a probe whose kernel program calls the function, as the function itself says nothing of kernels.
static void note_caller(const struct body *b, struct diag *d)
{
	const struct ir_unit *unit = b->env->unit;

	if (b->prog)
		return;
	for (size_t i = 0; i < unit->progs.n; i++) {
		const struct ir_prog *prog = &unit->progs.v[i];

		if (!b->env->plan->progs[i].in_kernel || !prog->n_sites)
			continue;
		diag_note(b->env->dc, d, plan_span(b->env, prog->place),
			  "kernel handlers are those of probes such as %s",
			  unit->sites.v[prog->first_site].point);
		return;
	}
}

static struct diag *report(const struct body *b, uint32_t place, enum diag_id id, const char *what)
{
	struct diag *d = diag(b->env->dc,
			      plan_span(b->env, place == IR_NO_PLACE ? b->stmt_place : place), id,
			      "%s in %s", what, handler_text(b));

	note_caller(b, d);
	return d;
}

// The same of what only the runtime can do, where the handler could not be cut (lower/lower_rest.h).
static struct diag *report_runtime(const struct body *b, uint32_t place, enum diag_id id, const char *what)
{
	const struct ir_unit *unit = b->env->unit;
	struct diag *d = report(b, place, id, what);
	const struct ir_prog *whole = b->prog;

	for (size_t i = 0; !whole && i < unit->progs.n; i++)
		if (b->env->plan->progs[i].in_kernel && unit->progs.v[i].deferral.stays.what)
			whole = &unit->progs.v[i];
	if (whole && whole->deferral.stays.what)
		diag_note(b->env->dc, d, plan_span(b->env, whole->deferral.stays.place), "the rest of the handler cannot run outside of the kernel: %s",
			  whole->deferral.stays.what);
	return d;
}

static const char *feature_text(enum sp_feature feature)
{
	static const char *const texts[] = {
#define SP_FEATURE(id, name, since, what) name ": " what,
		SP_FEATURES(SP_FEATURE)
#undef SP_FEATURE
	};

	return texts[feature];
}

static void note_kernel(const struct body *b, struct diag *d)
{
	diag_note(b->env->dc, d, SPAN_NONE, "the target's kernel is %s", b->env->unit->target.release);
}

// Notes that the code needs a feature, and reports a target that lacks it. A target without any BPF is not reported: either
// nothing is known of it, or the user engine runs the script. There the runtime finds out.
static void need(const struct body *b, uint32_t place, enum sp_feature feature)
{
	const struct target *target = &b->env->unit->target;
	bool is_first = !(b->env->plan->features >> feature & 1);
	struct diag *d;

	b->env->plan->features |= 1ull << feature;
	if (!is_first || target_has(target, feature) || !target_has(target, SP_FEATURE_BPF))
		return;
	d = diag(b->env->dc, plan_span(b->env, place == IR_NO_PLACE ? b->stmt_place : place),
		 DIAG_FIT_FEATURE, "this needs a feature that the target's kernel does not have (%s)",
		 feature_text(feature));
	note_kernel(b, d);
	note_caller(b, d);
}

// Rounds through a text: without bpf_loop in a plain loop, all of whose rounds the verifier follows.
static void need_rounds(const struct body *b, uint32_t place)
{
	const struct ir_unit *unit = b->env->unit;
	bool in_place = !target_has(&unit->target, SP_FEATURE_BPF_LOOP) && unit->max_string <= MAX_SEARCHED;

	need(b, place, in_place ? SP_FEATURE_BOUNDED_LOOPS : SP_FEATURE_BPF_LOOP);
}

// A handler that reads an aggregate goes through the records of all CPUs.
static void need_records(const struct body *b, uint32_t place)
{
	need(b, place, SP_FEATURE_PERCPU_LOOKUP);
	need(b, place, SP_FEATURE_BOUNDED_LOOPS);
	b->env->plan->reads_cpus = true;
}

// Changes of a wrapping array are made under a lock; the elements of one that is split are counted.
static void need_to_change(const struct body *b, uint32_t map, uint32_t place)
{
	bool wraps = b->env->unit->maps.v[map].wraps;

	if (wraps || b->env->plan->maps[map].is_split)
		need(b, place, SP_FEATURE_ATOMICS);
	if (wraps)
		need(b, place, SP_FEATURE_BOUNDED_LOOPS);
}

// ---- rules --------------------------------------------------------------------------------------

// A search goes through the text byte by byte. Without bpf_loop it is a plain loop, all of whose rounds the verifier follows.
static void check_match(struct body *b, const struct ir_expr *e)
{
	uint32_t cap = e->op == IR_MATCH ? e->a->cap : b->env->unit->max_string;

	if (target_has(&b->env->unit->target, SP_FEATURE_BPF_LOOP)) {
		b->env->plan->features |= 1ull << SP_FEATURE_BPF_LOOP;
		return;
	}
	need(b, e->place, SP_FEATURE_BOUNDED_LOOPS);
	if (cap > MAX_SEARCHED)
		report(b, e->place, DIAG_FIT_SEARCH,
		       sp_arena_printf(&b->env->plan->arena, "a string of up to %u bytes is searched for a pattern (the limit is %u)",
				       cap, MAX_SEARCHED));
}

static void check_builtin(struct body *b, const struct ir_expr *e)
{
	const struct builtin *info = builtin_info(e->builtin);
	struct diag *d;

	if (e->tracer && target_has(&b->env->unit->target, SP_FEATURE_SNPRINTF))
		b->env->plan->features |= 1ull << SP_FEATURE_SNPRINTF;
	if (e->builtin == BUILTIN_MATCHED) {
		check_match(b, e);
		return;
	}
	if (info->lower == BUILTIN_LOWER_TASK && !e->n_args) {
		d = diag(b->env->dc, plan_span(b->env, e->place), DIAG_FIT_TASK,
			 "%s() in %s needs the kernel's types, which are not at hand", info->name, handler_text(b));
		note_caller(b, d);
		diag_hint(b->env->dc, d, "install the kernel's debug information, or compile for a kernel with BTF");
		return;
	}
	for (unsigned feature = 0; info->features >> feature; feature++) {
		if (info->features >> feature & 1 && feature == SP_FEATURE_BPF_LOOP)
			need_rounds(b, e->place);
		else if (info->features >> feature & 1)
			need(b, e->place, feature);
	}
}

// The runtime knows the names of addresses, when it prints them. Within a handler, the kernel can format only names of its own
// functions (bpf_snprintf, %ps) and numbers.
static void check_symbols(struct body *b, const struct ir_expr *e)
{
	const char *what = ir_runtime_expr(b->env->unit, e);
	struct diag *d;

	if (e->is_late)
		return;
	need(b, e->place, SP_FEATURE_SNPRINTF);
	if (!what)
		return;
	d = report_runtime(b, e->place, DIAG_KERNEL_SYMBOLS, what);
	diag_hint(b->env->dc, d, e->a ? "print it at once, or keep the address and ask for its name in a probe end or timer.s"
				      : "print it at once, or keep backtrace() or ubacktrace(), and print that with print_syms() "
					"or print_usyms() in a probe end or timer.s");
}

static void check_extractor(struct body *b, const struct ir_expr *e)
{
	need_records(b, e->place);
	if (e->stat == SP_STAT_VARIANCE) // it divides 128 bits, which is a loop
		need(b, e->place, SP_FEATURE_BPF_LOOP);
}

// A sprintf() whose text a kernel handler keeps: the kernel makes it, not the runtime.
static void check_sprintf(struct body *b, const struct ir_expr *e)
{
	const char *what = ir_runtime_expr(b->env->unit, e);
	struct diag *d;

	if (!what)
		return;
	d = report_runtime(b, e->place, DIAG_KERNEL_FLOAT, what);
	diag_hint(b->env->dc, d, "print it with printf()");
}

static void check_stat_text(struct body *b, const struct ir_expr *e)
{
	struct diag *d = report_runtime(b, e->place, DIAG_KERNEL_HIST, ir_runtime_expr(b->env->unit, e));

	diag_hint(b->env->dc, d, "print it with print() or println(), or make it a string in a probe end or timer.s");
}

static void check_expr(void *ctx, const struct ir_expr *e)
{
	struct body *b = ctx;

	if (e->op == IR_SPRINTF)
		check_sprintf(b, e);
	if (e->op == IR_MAP_ADD)
		need_to_change(b, e->map, e->place);
	if (ir_reads_memory(e) && e->space == IR_SPACE_KERNEL)
		b->env->plan->features |= 1ull << SP_FEATURE_KERNEL_READ;
	else if (e->op == IR_LOAD && e->space == IR_SPACE_TASK)
		need(b, e->place, SP_FEATURE_BTF);
	else if ((e->op == IR_GLOBAL_ADD || e->op == IR_MAP_ADD) && e->want != IR_WANT_NONE)
		need(b, e->place, SP_FEATURE_ATOMICS);
	else if (e->op == IR_STAT_GET)
		check_extractor(b, e);
	else if (e->op == IR_STAT_TEXT)
		check_stat_text(b, e);
	else if (e->op == IR_SYMBOLS)
		check_symbols(b, e);
	else if (e->op == IR_BUILTIN)
		check_builtin(b, e);
	else if (ir_walks_text(e))
		need_rounds(b, e->place);
	else if (e->op == IR_EMBED && b->env->plan->embedded->pieces && b->env->plan->embedded->pieces[e->embed].formats)
		need(b, e->place, SP_FEATURE_SNPRINTF);
	else if (e->op == IR_MATCH)
		check_match(b, e);
}

static void check_loop(struct body *b, const struct ir_stmt *s)
{
	const struct ir_unit *unit = b->env->unit;
	const struct plan_code *code = &b->env->plan->codes[s->id];
	struct diag *d;

	if (code->form == PLAN_LOOP_UNROLL)
		return;
	if (code->form == PLAN_LOOP_CALL) {
		need(b, s->place, SP_FEATURE_BPF_LOOP);
		return;
	}
	if (target_has(&unit->target, SP_FEATURE_BOUNDED_LOOPS) ||
	    !target_has(&unit->target, SP_FEATURE_BPF)) {
		b->env->plan->features |= 1ull << SP_FEATURE_BOUNDED_LOOPS;
		return;
	}
	d = report(b, s->place, DIAG_FIT_LOOP,
		   code->trips ? "a loop of many rounds" : "a loop without a constant number of rounds");
	note_kernel(b, d);
	diag_hint(b->env->dc, d,
		  "write for (i = 0; i < N; i++) with a small constant N, and break inside");
}

static void check_record(struct body *b, const struct ir_stmt *s)
{
	const struct ir_unit *unit = b->env->unit;
	uint32_t size = unit->formats.v[s->format].record_size;

	b->needs_ring = true;
	if (size <= unit->ring_size / 4)
		return;
	diag(b->env->dc, plan_span(b->env, s->place), DIAG_FIT_RECORD,
	     "the statement prints up to %u bytes; a record holds at most %u", size,
	     unit->ring_size / 4);
}

static void find_recursion(void *ctx, const struct ir_expr *e)
{
	struct body *b = ctx;

	b->recurses |= e->op == IR_CALL && b->env->plan->funcs[e->func].recurses;
}

// A helper of the kernel drives the walk, so its body cannot be suspended, as a recursive function is at each of its calls.
static void check_recursion(struct body *b, const struct ir_stmt *s)
{
	struct ir_visitor visitor = { .ctx = b, .expr = find_recursion };
	struct diag *d;

	b->recurses = false;
	if (b->prog || !b->func_plan->recurses)
		return;
	ir_walk_stmts(s->then, &visitor);
	if (!b->recurses)
		return;
	d = report_runtime(b, s->place, DIAG_KERNEL_RECURSION, "a function calls itself within foreach");
	diag_hint(b->env->dc, d, "remember the keys in variables, or call %s from a probe end or timer.s", b->func->name);
}

// Tells why the kernel cannot walk the array in order, and what to write instead.
static void note_sort(struct body *b, struct diag *d, const struct ir_stmt *s, const struct ir_map *map)
{
	const struct ir_expr *limit = s->foreach.limit;
	const char *instead = "add a `limit`, make the array smaller, or ";

	if (ir_sorts_variance(s)) {
		diag_note(b->env->dc, d, SPAN_NONE, "in the kernel nothing is sorted by @variance");
		instead = "";
	} else if (limit && limit->op != IR_CONST) {
		diag_note(b->env->dc, d, SPAN_NONE, "the limit is not a constant");
		instead = "make it one, make the array smaller, or ";
	} else {
		diag_note(b->env->dc, d, SPAN_NONE, "%s `%s` may give %lld elements; in the kernel %u at most can be sorted",
			  limit ? "the limit of" : "the array", map->label,
			  limit ? (long long)limit->value : (long long)map->max_entries, ir_walk_most(map));
		if (limit)
			instead = "make the limit smaller, or ";
	}
	diag_hint(b->env->dc, d, "%swalk it in a probe end or timer.s, which run outside of the kernel", instead);
}

// A sorted walk holds all elements that it sorts, for which a kernel handler has little room.
static void check_walk(struct body *b, const struct ir_stmt *s)
{
	const struct ir_map *map = &b->env->unit->maps.v[s->map];
	struct diag *d;

	need(b, s->place, SP_FEATURE_MAP_WALK);
	check_recursion(b, s);
	if (!s->foreach.sort_dir)
		return;
	need(b, s->place, SP_FEATURE_BPF_LOOP);
	if (map->kind == SP_MAP_STAT)
		need_records(b, s->place);
	if (b->env->plan->codes[s->id].rows)
		return;
	d = report_runtime(b, s->place, DIAG_KERNEL_SORT, ir_runtime_stmt(b->env->unit, s));
	note_sort(b, d, s, map);
}

static void check_stmt(void *ctx, const struct ir_stmt *s)
{
	struct body *b = ctx;

	if (s->place != IR_NO_PLACE)
		b->stmt_place = s->place;
	if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR || s->op == IR_S_STAT_ADD)
		need_to_change(b, s->map, s->place);
	if (s->op == IR_S_FOREACH) {
		check_walk(b, s);
	} else if (s->op == IR_S_STAT_PRINT) {
		need_records(b, s->place);
		b->needs_ring = true;
	} else if (s->op == IR_S_MAP_CLEAR && !b->env->unit->maps.v[s->map].n_keys) {
		need_records(b, s->place);
	} else if (s->op == IR_S_MAP_CLEAR) {
		need(b, s->place, SP_FEATURE_MAP_WALK);
	} else if (s->op == IR_S_LOOP) {
		check_loop(b, s);
	} else if (s->op == IR_S_EMIT) {
		check_record(b, s);
	} else if (s->op == IR_S_EXIT || s->op == IR_S_ABORT || s->op == IR_S_FAIL) {
		b->needs_ring = true;
	}
}

static void check_body(struct body *b, const struct ir_stmt *list)
{
	struct ir_visitor visitor = { .ctx = b, .expr = check_expr, .stmt = check_stmt };

	ir_walk_stmts(list, &visitor);
	if (b->needs_ring || b->fails)
		need(b, b->prog ? b->prog->place : b->func->place, SP_FEATURE_RINGBUF);
}

// ---- features -----------------------------------------------------------------------------------

static uint64_t hook_feature(enum sp_site_kind kind)
{
	switch (kind) {
	case SP_SITE_KPROBE: case SP_SITE_KRETPROBE:
		return 1ull << SP_FEATURE_KPROBE;
	case SP_SITE_FENTRY: case SP_SITE_FEXIT: case SP_SITE_LSM: case SP_SITE_BPF: case SP_SITE_BPF_RETURN:
		return 1ull << SP_FEATURE_FENTRY | 1ull << SP_FEATURE_BTF;
	case SP_SITE_UPROBE: case SP_SITE_URETPROBE:
		return 1ull << SP_FEATURE_UPROBE;
	case SP_SITE_RAW_TP:
		return 1ull << SP_FEATURE_RAW_TP;
	case SP_SITE_SYSCALL: // a raw tracepoint; the typed form needs BTF instead
		return 1ull << SP_FEATURE_RAW_TP;
	case SP_SITE_TP:
		return 1ull << SP_FEATURE_TP;
	case SP_SITE_PERF: case SP_SITE_WATCH:
		return 1ull << SP_FEATURE_PERF_EVENT;
	case SP_SITE_ITER: // as old as the ring buffer
		return 1ull << SP_FEATURE_BTF | 1ull << SP_FEATURE_RINGBUF;
	case SP_SITE_NETFILTER: // no kernel without BTF has them
		return 1ull << SP_FEATURE_BTF;
	case SP_SITE_BEGIN:
	case SP_SITE_END:
	case SP_SITE_ERROR:
	case SP_SITE_TIMER:
	case SP_SITE_CONDITION:
	case SP_SITE_PROCFS:
	case SP_SITE_RUNNING:
	case SP_SITE_SAMPLE:
	case SP_SITE_KIND_COUNT: break;
	}
	return 0;
}

// A hook that the target lacks is noted, not reported: whether it can be set is found when the probe is attached, and that
// message names the probe.
static void add_hooks(const struct plan_env *env, const struct ir_prog *prog)
{
	env->plan->features |= 1ull << SP_FEATURE_BPF;
	for (unsigned i = 0; i < prog->n_sites; i++) {
		const struct ir_site *site = &env->unit->sites.v[prog->first_site + i];

		if (!site->optional)
			env->plan->features |= hook_feature(site->kind);
	}
}

static bool has_cookie(const struct ir_unit *unit, const struct ir_prog *prog)
{
	return target_has(&unit->target, SP_FEATURE_COOKIE) &&
	       (prog->kind == SP_PROG_REGS || prog->kind == SP_PROG_TP || prog->kind == SP_PROG_PERF);
}

static bool has_kprobes(const struct ir_unit *unit, const struct ir_prog *prog)
{
	enum sp_site_kind kind = prog->n_sites ? unit->sites.v[prog->first_site].kind : SP_SITE_KIND_COUNT;

	return kind == SP_SITE_KPROBE || kind == SP_SITE_KRETPROBE;
}

// Counters and the flag that ends the script are in global data, memory that programs and the runtime share.
static void check_global_data(const struct plan_env *env)
{
	const struct target *target = &env->unit->target;

	for (size_t i = 0; i < env->unit->progs.n; i++) {
		const struct ir_prog *prog = &env->unit->progs.v[i];
		struct body b = { .env = env, .prog = prog };
		struct diag *d;

		if (!env->plan->progs[i].in_kernel)
			continue;
		env->plan->features |= 1ull << SP_FEATURE_GLOBAL_DATA;
		if (!target_has(target, SP_FEATURE_BPF) || target_has(target, SP_FEATURE_GLOBAL_DATA))
			return;
		d = diag(env->dc, plan_span(env, prog->place), DIAG_FIT_GLOBAL_DATA,
			 "the target's kernel will not load this: it does not have %s", feature_text(SP_FEATURE_GLOBAL_DATA));
		note_kernel(&b, d);
		return;
	}
}

static void check_func(const struct plan_env *env, uint32_t index)
{
	const struct ir_func *func = &env->unit->funcs.v[index];
	struct body b = {
		.env = env, .func = func, .func_plan = &env->plan->funcs[index], .stmt_place = func->place,
	};

	if (!b.func_plan->in_kernel)
		return;
	if (b.func_plan->is_recursive)
		need(&b, func->place, SP_FEATURE_BPF_LOOP);
	check_body(&b, func->body);
}

static void check_prog(const struct plan_env *env, uint32_t index)
{
	const struct ir_prog *prog = &env->unit->progs.v[index];
	struct plan_prog *p = &env->plan->progs[index];
	struct body b = { .env = env, .prog = prog, .fails = p->fails_in_kernel, .stmt_place = prog->place };
	bool is_call = prog->n_sites && env->unit->sites.v[prog->first_site].kind == SP_SITE_SYSCALL;

	if (!p->in_kernel)
		return;
	add_hooks(env, prog);
	check_body(&b, prog->body);
	p->shares_link = has_kprobes(env->unit, prog);
	if (p->reads_site && prog->n_sites > 1 && !is_call)
		need(&b, prog->place, SP_FEATURE_COOKIE);
	p->tells_site = (p->fails_in_kernel || prog->deferral.rest != SP_NONE) && prog->n_sites > 1 && !p->reads_site && (is_call || has_cookie(env->unit, prog));
	if (p->tells_site && !is_call)
		env->plan->features |= 1ull << SP_FEATURE_COOKIE;
	p->is_too_large = p->scratch_size + env->plan->tokens_size > SP_SCRATCH_MOST - sizeof(struct sp_scratch_head);
	if (p->is_too_large && prog->deferral.is_all)
		diag(env->dc, plan_span(env, prog->place), DIAG_FIT_SCRATCH, "the handler's strings take %u bytes; %u can be had",
		     p->scratch_size, SP_SCRATCH_MOST);
}

void plan_kernel(const struct plan_env *env)
{
	check_global_data(env);
	for (uint32_t i = 0; i < env->unit->funcs.n; i++)
		check_func(env, i);
	for (uint32_t i = 0; i < env->unit->progs.n; i++)
		check_prog(env, i);
}
