// SPDX-License-Identifier: GPL-2.0-or-later
// timer.s(N) and its kin, with .randomize(M). They run in the runtime's process.
#include "compiler/probe/point_util.h"

#define NS_PER_S 1000000000ll

static const struct unit_name {
	const char *name;
	int64_t ns; // 0: a rate
} unit_names[] = {
	{ "s", NS_PER_S }, { "sec", NS_PER_S }, { "ms", 1000000 }, { "msec", 1000000 },
	{ "us", 1000 },	   { "usec", 1000 },	{ "ns", 1 },	   { "nsec", 1 },
	{ "hz", 0 },	   { "jiffies", 0 },
};

static bool timer_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "timer");
}

static const struct unit_name *find_unit(const char *name)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(unit_names); i++)
		if (sp_streq(unit_names[i].name, name))
			return &unit_names[i];
	return NULL;
}

// Nanoseconds of `n` units. False after a diagnostic.
static bool period_of(struct point_env *env, const struct ast_point_part *part,
		      const struct unit_name *unit, int64_t n, int64_t *ret)
{
	int64_t ns = unit->ns;

	if (sp_streq(unit->name, "hz")) {
		*ret = n > 0 ? NS_PER_S / n : 0;
		return true;
	}
	if (!ns) {
		if (!env->target->hz) {
			struct diag *d = diag(
				env->dc, part->span, DIAG_HZ_UNKNOWN,
				"the target's description does not say how long a jiffy is");

			diag_hint(env->dc, d, "use timer.ms or timer.s");
			return false;
		}
		ns = NS_PER_S / env->target->hz;
	}
	if (n > INT64_MAX / ns) {
		diag(env->dc, part->span, DIAG_POINT_VALUE, "the period is longer than 292 years");
		return false;
	}
	*ret = n * ns;
	return true;
}

static bool timer_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites,
			  const char **why_ret)
{
	const struct ast_point_part *part = &point->parts[1];
	const struct ast_point_part *deviation = point_part(point, "randomize");
	const struct unit_name *unit = find_unit(part->name);
	int64_t period, random = 0;
	struct sp_buf text = { 0 };
	struct site *site;

	(void)why_ret;
	if (!unit) // a wildcard: there is no "every timer"
		return true;
	if (part->arg->number <= 0) {
		diag(env->dc, part->span, DIAG_POINT_VALUE, "a timer's period must be positive");
		return false;
	}
	if (!period_of(env, part, unit, part->arg->number, &period))
		return false;
	if (!period) {
		diag(env->dc, part->span, DIAG_POINT_VALUE,
		     "a timer cannot tick more than 1000000000 times in a second");
		return false;
	}
	if (deviation) {
		if (deviation->arg->number < 0 || deviation->arg->number > part->arg->number) {
			diag(env->dc, deviation->span, DIAG_POINT_VALUE,
			     "the deviation must be between 0 and the period");
			return false;
		}
		if (!period_of(env, deviation, unit, deviation->arg->number, &random))
			return false;
	}
	site = point_add_site(env, &pt_timer, point, sites);
	ast_print_point(&text,
			&(struct ast_point){ .parts = point->parts, .n_parts = point->n_parts });
	site->point = point_take(env, &text);
	site->kind = SP_SITE_TIMER;
	site->prog_kind = SP_PROG_USER;
	site->args.timer.period = period;
	site->args.timer.deviation = random;
	return true;
}

const struct point_family pt_timer = {
	.name = "timer",
	.patterns =
		"timer.s(number)\ntimer.s(number).randomize(number)\ntimer.sec(number)\n"
		"timer.sec(number).randomize(number)\ntimer.ms(number)\ntimer.ms(number).randomize("
		"number)\n"
		"timer.msec(number)\ntimer.msec(number).randomize(number)\ntimer.us(number)\n"
		"timer.us(number).randomize(number)\ntimer.usec(number)\ntimer.usec(number)."
		"randomize(number)\n"
		"timer.ns(number)\ntimer.ns(number).randomize(number)\ntimer.nsec(number)\n"
		"timer.nsec(number).randomize(number)\ntimer.hz(number)\ntimer.jiffies(number)\n"
		"timer.jiffies(number).randomize(number)",
	.matches = timer_matches,
	.resolve = timer_resolve,
};
