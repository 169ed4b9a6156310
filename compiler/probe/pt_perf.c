// SPDX-License-Identifier: GPL-2.0-or-later
// timer.profile and perf.type(T).config(C): samples on every processor, of what it is doing when an event has been counted so
// often (perf_event_open(2)). With .counter("NAME") nothing is sampled: @perf("NAME") reads what has been counted.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_process.h"

#define TYPE_SOFTWARE 1 // PERF_TYPE_SOFTWARE
#define CPU_CLOCK 0 // PERF_COUNT_SW_CPU_CLOCK: in ns
#define NS_PER_S 1000000000ll
#define DEFAULT_SAMPLE 1000000

static bool perf_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "perf") ||
	       (sp_streq(point->parts[0].name, "timer") && point->n_parts > 1 && sp_streq(point->parts[1].name, "profile"));
}

struct sampling {
	int64_t type, config;
	int64_t n; // events between two samples, or samples a second
	bool is_rate;
};

static bool profile_sampling(struct point_env *env, const struct ast_point *point, struct sampling *ret)
{
	const struct ast_point_part *rate = point_part(point, "hz");

	*ret = (struct sampling){ .type = TYPE_SOFTWARE, .config = CPU_CLOCK };
	if (!rate)
		rate = point_part(point, "freq");
	if (rate && rate->arg) {
		ret->n = rate->arg->number;
		ret->is_rate = true;
		return true;
	}
	if (env->target->hz) {
		ret->n = NS_PER_S / env->target->hz;
		return true;
	}
	diag_hint(env->dc,
		  diag(env->dc, point->span, DIAG_HZ_UNKNOWN, "the target's description does not say how long a tick is"),
		  "say how often: timer.profile.freq.hz(97)");
	return false;
}

static void perf_sampling(const struct ast_point *point, struct sampling *ret)
{
	const struct ast_point_part *sample = point_part(point, "sample"), *rate = point_part(point, "hz");

	*ret = (struct sampling){ .type = point_part(point, "type")->arg->number,
				  .config = point_part(point, "config")->arg->number,
				  .n = rate ? rate->arg->number : sample ? sample->arg->number : DEFAULT_SAMPLE,
				  .is_rate = rate != NULL };
}

static void add_site(struct point_env *env, const struct ast_point *point, const struct sampling *sampling,
		     struct dbg_module *program, struct sites *sites)
{
	struct site *site = point_add_site(env, &pt_perf, point, sites);
	struct ast_point plain = { .parts = point->parts, .n_parts = point->n_parts };
	struct sp_buf text = { 0 };

	ast_print_point(&text, &plain);
	site->point = point_take(env, &text);
	site->kind = SP_SITE_PERF;
	site->prog_kind = SP_PROG_PERF;
	site->space = SPACE_KERNEL;
	site->program = program;
	site->args.perf.type = (uint32_t)sampling->type;
	site->args.perf.is_rate = sampling->is_rate;
	site->args.perf.config = (uint64_t)sampling->config;
	site->args.perf.amount = (uint64_t)sampling->n;
}

// What @perf("NAME") reads. Threads are counted whatever program they run, so .process("PATH") names the program whose handlers read
// the counter, and must be there.
static void set_counter(struct site *site, const char *name)
{
	site->counter = name;
	site->is_never = true;
	site->prog_kind = SP_PROG_USER;
	site->why = "counter: read by @perf, for each thread";
}

static bool perf_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_point_part *of = point_part(point, "process");
	const struct ast_point_part *counter = point_part(point, "counter");
	struct dbg_module *program = NULL;
	struct sampling sampling;

	(void)why_ret;
	if (sp_streq(point->parts[0].name, "perf"))
		perf_sampling(point, &sampling);
	else if (!profile_sampling(env, point, &sampling))
		return false;
	if (sampling.n <= 0 || sampling.type < 0 || sampling.type > UINT32_MAX || sampling.config < 0) {
		diag(env->dc, point->span, DIAG_POINT_VALUE, "the numbers of an event and how often it is sampled must be positive");
		return false;
	}
	if (of && !process_program(env, of, &program))
		return false;
	add_site(env, point, &sampling, program, sites);
	if (counter)
		set_counter(sp_vec_last(&sites->list), counter->arg->string.text);
	return true;
}

static void perf_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)env, (void)use;
	if (!site->counter)
		site->why = "perf event: on every processor";
}

const struct point_family pt_perf = {
	.name = "perf.type",
	.needs_kernel = true,
	.patterns = "timer.profile\ntimer.profile.tick\ntimer.profile.freq\ntimer.profile.freq(number)\ntimer.profile.freq.hz(number)\n"
		    "perf.type(number).config(number)\nperf.type(number).config(number).sample(number)\n"
		    "perf.type(number).config(number).hz(number)\n"
		    "perf.type(number).config(number).process\n"
		    "perf.type(number).config(number).process(string)\n"
		    "perf.type(number).config(number).sample(number).process\n"
		    "perf.type(number).config(number).hz(number).process\n"
		    "perf.type(number).config(number).sample(number).process(string)\n"
		    "perf.type(number).config(number).hz(number).process(string)\n"
		    "perf.type(number).config(number).counter(string)\n"
		    "perf.type(number).config(number).process.counter(string)\n"
		    "perf.type(number).config(number).process(string).counter(string)",
	.matches = perf_matches,
	.resolve = perf_resolve,
	.choose_hook = perf_choose_hook,
};
