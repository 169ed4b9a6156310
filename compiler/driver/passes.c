// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // strverscmp
#include "compiler/driver/passes.h"

#include "compiler/driver/codegen.h"
#include "compiler/driver/embed.h"
#include "compiler/driver/given.h"
#include "compiler/driver/library.h"
#include "compiler/driver/sample.h"
#include "compiler/driver/usage.h"
#include "compiler/lower/lower.h"
#include "compiler/sema/variables.h"
#include "runtime/base/cleanup.h"

static struct sp_err *run_parse(struct spile *spile, struct pass_state *state)
{
	SP_TRY(session_describe(spile));
	state->env = session_parse_env(spile);
	SP_TRY(library_open(spile, &state->env, &state->tapset));
	sp_vec_push(&state->units, parse_file(&spile->sources, spile->script, &state->env, &spile->dc));
	for (const char *const *text = spile->opts.more_scripts; text && *text; text++) {
		uint32_t file = source_add(&spile->sources, "<input>", *text, strlen(*text), SOURCE_USER);

		sp_vec_push(&state->units, parse_file(&spile->sources, file, &state->env, &spile->dc));
	}
	return NULL;
}

static void dump_parse(const struct spile *spile, const struct pass_state *state, struct sp_buf *out)
{
	sp_vec_each(unit, &state->units)
		ast_dump(out, *unit, (struct source_map *)&spile->sources);
}

static const char *verify_parse(const struct spile *spile, const struct pass_state *state)
{
	const char *broken = NULL;

	for (size_t i = 0; i < state->units.n && !broken; i++)
		broken = ast_verify(state->units.v[i], &spile->sources);
	return broken;
}

// Warns of script arguments that nothing uses. To be called when the library files that the script needs have been parsed, as they
// may use arguments, too.
static void warn_args(struct spile *spile, const struct pass_state *state)
{
	for (int i = 0; i < state->env.n_args; i++)
		if (!state->env.args_used[i])
			diag(&spile->dc, state->program->start, DIAG_ARG_UNUSED, "script argument %d ('%s') is not used",
			     i + 1, state->env.args[i]);
}

static struct sp_err *run_bind(struct spile *spile, struct pass_state *state)
{
	state->points = session_point_env(spile, &spile->arena);
	state->points.is_probed = true;
	state->sema = (struct sema_opts){
		.sources = &spile->sources,
		.dc = &spile->dc,
		.env = &state->points,
		.tapset = state->tapset,
		.globals = spile->opts.globals,
		.max_string = (uint32_t)spile->limits.max_string,
		.guru = spile->opts.guru,
		.unoptimized = spile->opts.no_optimization,
		.plain_members = spile->opts.compatible && strverscmp(spile->opts.compatible, "1.8") < 0,
		.skip_bad_vars = spile->opts.skip_bad_vars,
		.can_pause = spile->limits.can_pause,
		.suppress_unused_warnings = spile->opts.is_part,
		.suppress_unassigned_warnings = spile->opts.is_part == 1,
		.portable = !spile->opts.runs,
		.limits_nesting = spile->limits.max_nesting != 0,
		.takes_units = true,
	};
	state->program = sema_bind(&state->sema, state->units.v, (unsigned)state->units.n);
	warn_args(spile, state);
	return session_features_error(spile);
}

static struct sp_err *run_context(struct spile *spile SP_UNUSED, struct pass_state *state)
{
	sema_context(&state->sema, state->program);
	return NULL;
}

static struct sp_err *run_infer(struct spile *spile SP_UNUSED, struct pass_state *state)
{
	sema_infer(&state->sema, state->program);
	return NULL;
}

static struct sp_err *run_check(struct spile *spile SP_UNUSED, struct pass_state *state)
{
	sema_check(&state->sema, state->program);
	return NULL;
}

static struct sp_err *run_prune(struct spile *spile, struct pass_state *state)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf variables = { 0 };

	sema_prune(&state->sema, state->program);
	if (spile->opts.list_variables && !spile->dc.n_errors) {
		variables_print(&variables, state->program, &spile->sources);
		session_output(spile, &variables);
	}
	return NULL;
}

static struct sp_err *run_defer(struct spile *spile SP_UNUSED, struct pass_state *state)
{
	sema_defer(&state->sema, state->program);
	return NULL;
}

static struct sp_err *run_share(struct spile *spile SP_UNUSED, struct pass_state *state)
{
	sema_share(&state->sema, state->program);
	return NULL;
}

static struct sp_err *run_size(struct spile *spile, struct pass_state *state)
{
	sema_size(&state->sema, state->program);
	return given_apply(state->program, spile->opts.globals, state->sema.max_string);
}

static void dump_program(const struct spile *spile SP_UNUSED, const struct pass_state *state, struct sp_buf *out)
{
	program_dump(out, state->program);
}

static const char *verify_program(const struct spile *spile SP_UNUSED, const struct pass_state *state)
{
	return program_verify(state->program);
}

static struct sp_err *run_lower(struct spile *spile, struct pass_state *state)
{
	struct lower_opts opts = {
		.sources = &spile->sources,
		.dc = &spile->dc,
		.target = &spile->target,
		.script = source_file(&spile->sources, spile->script)->name,
		.max_string = (uint32_t)spile->limits.max_string,
		.max_action = (uint32_t)spile->limits.max_action,
		.max_user_action = session_max_user_action(spile),
		.max_nesting = (uint32_t)spile->limits.max_nesting,
		.max_trylock = (uint32_t)spile->limits.max_trylock,
		.trylock_delay = (uint32_t)spile->limits.trylock_delay,
		.max_errors = (uint32_t)spile->limits.max_errors,
		.max_map_entries = (uint32_t)spile->limits.max_map_entries,
		.hist_elision = (int32_t)spile->limits.hist_elision,
		.user_engine = spile->opts.user_engine != 0,
		.user_only = spile->opts.user_engine == 2,
		.json = spile->opts.json,
		.empty_fails = spile->opts.compatible != NULL,
		.faults_are_zero = spile->opts.skip_bad_vars,
		.hide_unread = spile->opts.hide_unread,
		.plain_unread = spile->opts.hex_unread || spile->opts.compatible,
		.hex_unread = spile->opts.hex_unread || spile->opts.compatible,
		.portable = !spile->opts.runs,
		.unbounded = state->unbounded,
		.outside = state->outside,
		.n_outside = state->n_outside,
	};

	state->ir = ir_lower(&opts, state->program);
	if (spile->limits.ring_size)
		state->ir->ring_size = (uint32_t)spile->limits.ring_size;
	ir_number(state->ir);
	return NULL;
}

static void dump_lower(const struct spile *spile SP_UNUSED, const struct pass_state *state, struct sp_buf *out)
{
	ir_dump(out, state->ir, NULL);
}

static void make_plan(struct spile *spile, struct pass_state *state)
{
	const struct plan_opts opts = { .embedded = &state->embedded, .stackless = state->stackless, .texts_in_place = state->texts_in_place };

	plan_destroy(state->plan);
	state->plan = plan_make(state->ir, &opts, &spile->sources, &spile->dc);
}

static bool note_too_large(struct pass_state *state)
{
	bool any = false;

	for (size_t i = 0; i < state->ir->progs.n; i++) {
		if (!state->plan->progs[i].is_too_large || state->outside[i])
			continue;
		state->outside[i] = "its strings take more memory than the kernel has for a handler";
		any = true;
	}
	return any;
}

// Its pieces are the same however often the program is lowered.
static struct sp_err *lower_again(struct spile *spile, struct pass_state *state)
{
	plan_destroy(state->plan);
	state->plan = NULL;
	ir_unit_destroy(state->ir);
	return run_lower(spile, state);
}

static struct sp_err *run_plan(struct spile *spile, struct pass_state *state)
{
	if (!state->outside) {
		state->n_outside = 2 * state->ir->progs.n + 1; // each may get a rest
		state->outside = sp_calloc(state->n_outside, sizeof(*state->outside));
	}
	make_plan(spile, state);
	if (!note_too_large(state))
		return NULL;
	SP_TRY(lower_again(spile, state));
	make_plan(spile, state);
	return NULL;
}

static void dump_plan(const struct spile *spile SP_UNUSED, const struct pass_state *state, struct sp_buf *out)
{
	plan_dump(out, state->plan);
}

static const char *verify_ir(const struct spile *spile SP_UNUSED, const struct pass_state *state)
{
	return ir_verify(state->ir);
}

static const char *verify_plan(const struct spile *spile SP_UNUSED, const struct pass_state *state)
{
	return plan_verify(state->plan);
}

static bool is_dumped(const struct spile *spile, const char *name)
{
	for (const char *const *dump = spile->opts.dumps; dump && *dump; dump++)
		if (sp_streq(*dump, name))
			return true;
	return false;
}

// Which loops embedded C has is known when it has been compiled. Those whose end the verifier does not see are run outside of the
// kernel, if that has the helpers which the piece calls.
static struct sp_err *run_embed(struct spile *spile, struct pass_state *state)
{
	size_t n = state->ir->embeds.n;
	bool any = false;

	SP_TRY(embed_compile(spile, state->ir, &state->embedded, is_dumped(spile, "embed") ? &state->embedded_text : NULL));
	if (!state->embedded.pieces)
		return NULL;
	state->embedded.is_kept = !spile->opts.runs;
	state->unbounded = sp_calloc(n, sizeof(*state->unbounded));
	for (size_t i = 0; i < n; i++)
		any |= state->unbounded[i] = embedded_runs_outside(&state->embedded.pieces[i]) && state->embedded.pieces[i].is_unbounded;
	return any && !spile->dc.n_errors ? lower_again(spile, state) : NULL;
}

static void dump_embed(const struct spile *spile SP_UNUSED, const struct pass_state *state, struct sp_buf *out)
{
	sp_buf_puts(out, state->embedded_text.len ? sp_buf_str(&state->embedded_text) : "no embedded code\n");
}

static struct sp_err *make_code(struct spile *spile, struct pass_state *state, uint8_t *excess, const bool *sample)
{
	const struct gen_opts opts = {
		.cost = spile->opts.cost ? &state->cost : NULL,
		.llvm_ir = is_dumped(spile, "gen") ? &state->llvm : NULL,
		.excess = excess,
		.sample = sample,
	};
	const struct gen_api *gen;

	sp_buf_clear(&state->cost);
	sp_buf_clear(&state->llvm);
	sp_buf_clear(&spile->bundle);
	SP_TRY(codegen_load(spile, &gen));
	return gen->bundle(state->plan, &opts, &spile->bundle);
}

// What each program has too much of: notes how it is to be made instead, without slots of its own on the stack, without functions for
// its texts, or, when that was not enough, outside of the kernel. False: there is nothing that has not been tried.
static bool note_excess(struct pass_state *state, const uint8_t *excess, size_t n, bool *lowers_ret)
{
	bool any = false;

	*lowers_ret = false;
	for (size_t i = 0; i < n; i++) {
		if (excess[i] == GEN_STACK && !state->stackless[i]) {
			state->stackless[i] = any = true;
		} else if (excess[i] && !state->texts_in_place[i]) {
			state->texts_in_place[i] = any = true;
		} else if (excess[i] && !state->outside[i]) {
			state->outside[i] = excess[i] == GEN_STACK ? "it takes more stack than the kernel has"
								   : "its loops and calls nest deeper than the kernel allows";
			*lowers_ret = any = true;
		}
	}
	return any;
}

static bool all_fit(const uint8_t *excess, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (excess[i] != GEN_FITS)
			return false;
	return true;
}

// Plans anew what has been noted. An error, or one that has been reported: code is not to be made.
static struct sp_err *plan_again(struct spile *spile, struct pass_state *state, bool lowers)
{
	if (lowers)
		SP_TRY(lower_again(spile, state));
	return run_plan(spile, state);
}

// Where a probe has many programs, some are made first, and once more until they fit, so that the others are not made in vain.
static struct sp_err *fit_sample(struct spile *spile, struct pass_state *state, uint8_t *excess, size_t n)
{
	sp_cleanup_free bool *sample = sp_calloc(2 * n + 1, 2 * sizeof(*sample));
	bool *is_made = sample + 2 * n + 1, goes_on = sample_take(state->plan, sample, is_made), lowers;
	unsigned more;

	while (goes_on) {
		SP_TRY(make_code(spile, state, excess, is_made));
		goes_on = note_excess(state, excess, n, &lowers);
		if (!goes_on)
			break;
		more = sample_foresee(state->plan, sample, state->stackless);
		if (more)
			sp_log(&spile->log, SP_LOG_INFO, "  %u handlers keep nothing on the stack, which is too small for others of their "
			       "probe", more);
		SP_TRY(plan_again(spile, state, lowers));
		goes_on = !spile->dc.n_errors;
		for (size_t i = 0; i < 2 * n + 1; i++)
			is_made[i] &= excess[i] != GEN_FITS; // the others need not be made again
		memset(excess, 0, 2 * n + 1);
	}
	return NULL;
}

// How much of the stack LLVM takes for itself, and how deep the functions nest that it makes, is known only when the code is made.
// Programs that exceed the kernel's limits are made anew in another way, and at last outside of it. What one of them becomes can be
// too much for another.
static struct sp_err *run_gen(struct spile *spile, struct pass_state *state)
{
	size_t n = state->ir->progs.n;
	sp_cleanup_free uint8_t *excess = sp_calloc(2 * n + 1, sizeof(*excess)); // each may get a rest
	bool lowers;

	state->stackless = sp_calloc(2 * n + 1, sizeof(*state->stackless));
	state->texts_in_place = sp_calloc(2 * n + 1, sizeof(*state->texts_in_place));
	SP_TRY(fit_sample(spile, state, excess, n));
	if (spile->dc.n_errors)
		return NULL;
	SP_TRY(make_code(spile, state, excess, NULL));
	while (note_excess(state, excess, n, &lowers)) {
		SP_TRY(plan_again(spile, state, lowers));
		if (spile->dc.n_errors)
			return NULL;
		memset(excess, 0, 2 * n + 1);
		SP_TRY(make_code(spile, state, excess, NULL));
	}
	if (!all_fit(excess, n))
		return make_code(spile, state, NULL, NULL); // tells it
	session_output(spile, &state->cost);
	return NULL;
}

static void dump_gen(const struct spile *spile SP_UNUSED, const struct pass_state *state, struct sp_buf *out)
{
	sp_buf_puts(out, sp_buf_str(&state->llvm));
}

const struct pass passes[] = {
	{ "parse", 1, "syntax tree", run_parse, dump_parse, verify_parse },
	{ "bind", 2, "names and probe points", run_bind, dump_program, verify_program },
	{ "context", 2, "target variables", run_context, dump_program, verify_program },
	{ "infer", 2, "types", run_infer, dump_program, verify_program },
	{ "check", 2, "types", run_check, dump_program, verify_program },
	{ "prune", 2, "what is left of the program", run_prune, dump_program, verify_program },
	{ "defer", 2, "variables of aliases where they are read", run_defer, dump_program, verify_program },
	{ "share", 2, "functions of what handlers have in common", run_share, dump_program, verify_program },
	{ "size", 2, "capacities of strings", run_size, dump_program, verify_program },
	{ "lower", 3, "intermediate form", run_lower, dump_lower, verify_ir },
	{ "embed", 3, "C text of embedded code", run_embed, dump_embed, NULL },
	{ "plan", 3, "intermediate form, with how code is made of it", run_plan, dump_plan, verify_plan },
	{ "gen", 4, "LLVM assembly", run_gen, dump_gen, NULL },
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

// SystemTap's line at the end of a phase, shown with -v.
static void report_phase(struct spile *spile, const struct pass_state *state, int phase, const struct usage *since)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf memory = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf time = { 0 };
	bool is_kept = spile->keep.is_on;

	spile->keep.is_on = false; // what this took is no part of the result
	usage_print_memory(&memory);
	usage_print_time(&time, since);
	if (phase == 1)
		sp_log(&spile->log, SP_LOG_INFO, "Pass 1: parsed user script and %u library scripts using %s, in %s.",
		       state->tapset ? tapset_n_files(state->tapset) : 0, sp_buf_str(&memory), sp_buf_str(&time));
	else if (phase == 2)
		sp_log(&spile->log, SP_LOG_INFO,
		       "Pass 2: analyzed script: %u probe%s, %zu function%s, %zu embed%s, %zu global%s using %s, in %s.",
		       state->program->n_probes, state->program->n_probes == 1 ? "" : "s", state->program->functions.n,
		       state->program->functions.n == 1 ? "" : "s", state->program->embeds.n,
		       state->program->embeds.n == 1 ? "" : "s", state->program->globals.n,
		       state->program->globals.n == 1 ? "" : "s", sp_buf_str(&memory), sp_buf_str(&time));
	else if (phase == 3)
		sp_log(&spile->log, SP_LOG_INFO, "Pass 3: translated to %zu program%s and %zu map%s using %s, in %s.",
		       state->ir->progs.n, state->ir->progs.n == 1 ? "" : "s", state->ir->maps.n,
		       state->ir->maps.n == 1 ? "" : "s", sp_buf_str(&memory), sp_buf_str(&time));
	spile->keep.is_on = is_kept;
}

static void report_bound(struct spile *spile, const struct ir_unit *ir, const struct ir_object *object)
{
	const struct ir_place *place = object->bound_at == IR_NO_PLACE ? NULL : &ir->places.v[object->bound_at];

	if (place && place->line)
		sp_log(&spile->log, SP_LOG_INFO, "  the compiled script runs on kernel %s alone: %s at %s:%u:%u", spile->target.release,
		       object->bound_by, place->file, place->line, place->column);
	else
		sp_log(&spile->log, SP_LOG_INFO, "  the compiled script runs on kernel %s alone: %s", spile->target.release,
		       object->bound_by);
}

// The locks that handlers take, and of which globals.
static void report_locks(struct spile *spile, const struct plan *plan)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	for (size_t i = 0; i < plan->unit->progs.n; i++) {
		const struct ir_prog *prog = &plan->unit->progs.v[i];

		if (!plan->progs[i].lock || !prog->n_sites)
			continue;
		sp_buf_clear(&text);
		plan_lock_print(&text, plan, plan->progs[i].lock);
		sp_log(&spile->log, SP_LOG_INFO, "  %s%s: the handler takes the lock of %s", plan->unit->sites.v[prog->first_site].point,
		       prog->n_sites > 1 ? " and others" : "", sp_buf_str(&text));
	}
}

// The handlers that leave the kernel in their middle, and why.
static void report_rests(struct spile *spile, const struct ir_unit *ir)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf why = { 0 };

	sp_vec_each(prog, &ir->progs) {
		if (prog->deferral.rest == SP_NONE)
			continue;
		sp_buf_clear(&why);
		ir_cause_print(&why, ir, &prog->deferral.cause);
		sp_log(&spile->log, SP_LOG_INFO, "  %s%s: the rest of the handler runs outside of the kernel: %s",
		       ir->sites.v[prog->first_site].point, prog->n_sites > 1 ? " and others" : "", sp_buf_str(&why));
	}
}

static void report_hooks(struct spile *spile, const struct pass_state *state)
{
	if (state->plan->why_pointers)
		sp_log(&spile->log, SP_LOG_INFO, "  stacks of programs are walked by frame pointers: %s", state->plan->why_pointers);
	sp_vec_each(site, &state->ir->sites)
		if (site->why && *site->why)
			sp_log(&spile->log, SP_LOG_INFO, "  %s: %s", site->point, site->why);
	sp_vec_each(object, &state->ir->objects) {
		if (object->kind == SP_OBJECT_KERNEL && object->bound_by)
			report_bound(spile, state->ir, object);
		else if (object->kind == SP_OBJECT_KERNEL && object->is_portable)
			sp_log(&spile->log, SP_LOG_INFO, "  the compiled script runs on other kernels with BTF, too");
	}
}

static int pass_run(struct spile *spile, struct pass_state *state, const struct pass *pass)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_err *err = pass->run(spile, state);
	const char *broken;

	session_flush_diags(spile);
	if (err)
		return session_fail(spile, err);
	if (is_dumped(spile, pass->name)) {
		pass->dump(spile, state, &text);
		session_output(spile, &text);
	}
	if (spile->dc.n_errors)
		return 1;
	broken = spile->opts.verify && pass->verify ? pass->verify(spile, state) : NULL;
	if (broken)
		return session_fail(spile, sp_err_new(SP_ERR_BUG, "internal error: after pass %s: %s", pass->name, broken));
	return 0;
}

static void tell_phase(const struct spile *spile, int phase, bool is_end)
{
	if (spile->opts.phase)
		spile->opts.phase(spile->opts.ctx, phase, is_end);
}

int passes_run(struct spile *spile)
{
	struct pass_state state = { 0 };
	struct usage since;
	int status = 0;

	usage_now(&since);
	for (const struct pass *pass = passes; pass->name && !status; pass++) {
		bool is_last = spile->opts.stop_after && sp_streq(pass->name, spile->opts.stop_after);

		if (pass == passes || pass[-1].phase != pass->phase)
			tell_phase(spile, pass->phase, false);
		status = pass_run(spile, &state, pass);
		if (status || is_last || pass[1].phase != pass->phase)
			tell_phase(spile, pass->phase, true);
		if (!status && pass[1].phase != pass->phase) {
			report_phase(spile, &state, pass->phase, &since);
			if (pass->phase == 3 && !spile->opts.runs) // the runtime tells them, too
				report_hooks(spile, &state);
			if (pass->phase < 4)
				usage_now(&since);
		}
		if (is_last)
			break;
	}
	if (!status && state.plan) { // the last one: making code may change it
		report_rests(spile, state.ir);
		report_locks(spile, state.plan);
	}
	free(state.stackless);
	free(state.texts_in_place);
	free(state.outside);
	free(state.unbounded);
	plan_destroy(state.plan);
	embedded_deinit(&state.embedded);
	ir_unit_destroy(state.ir);
	program_destroy(state.program);
	sp_vec_each(unit, &state.units)
		unit_destroy(*unit);
	sp_vec_deinit(&state.units);
	tapset_close(state.tapset);
	sp_buf_deinit(&state.embedded_text);
	sp_buf_deinit(&state.cost);
	sp_buf_deinit(&state.llvm);
	return status;
}
