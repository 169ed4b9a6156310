// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_report.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/site.h"

#define MAX_TOLD 3

// A run of sites that are told in the same words.
struct run {
	const struct bundle *bundle;
	const struct sp_log *log;
	enum sp_log_level level;
	uint32_t place; // of the `probe`
	const char *hook; // that it is attached by; NULL: it is not
	const char *why; // that hook
	size_t n;
};

static uint32_t place_of(const struct bundle *bundle, unsigned site)
{
	return bundle->progs[bundle->sites[site].prog].place;
}

// As a rule the reason begins with the hook that the compiler chose: "kprobe: not at a symbol".
static const char *reason_of(const struct bundle *bundle, unsigned index)
{
	const struct sp_site *site = &bundle->sites[index];
	const char *why = bundle_text(bundle, site->why), *hook = site_hook_name(site);

	return sp_starts_with(why, hook) ? why + strlen(hook) + strspn(why + strlen(hook), ": ") : why;
}

static bool same_run(const struct run *x, const struct run *y)
{
	return x->n && x->level == y->level && x->place == y->place && x->hook == y->hook && sp_streq(x->why, y->why);
}

static void end_run(const struct run *run)
{
	if (run->n <= MAX_TOLD || run->log->max_level >= SP_LOG_DEBUG)
		return;
	const struct sp_place *place = &run->bundle->places[run->place];
	const char *file = bundle_text(run->bundle, place->file);

	if (run->hook)
		sp_log(run->log, run->level, "and %zu more of the probe at %s:%u:%u: %s%s%s", run->n - MAX_TOLD, file,
		       place->line, place->column, run->hook, *run->why ? ": " : "", run->why);
	else
		sp_log(run->log, run->level, "and %zu more of the probe at %s:%u:%u cannot be attached (-vv tells which)",
		       run->n - MAX_TOLD, file, place->line, place->column);
}

// Is one more site of this probe statement to be told?
static bool go_on(struct run *run, const struct run *with)
{
	if (!same_run(run, with)) {
		end_run(run);
		*run = *with;
	}
	return ++run->n <= MAX_TOLD || run->log->max_level >= SP_LOG_DEBUG;
}

void attach_report(const struct bundle *bundle, const struct sp_log *log, const char *const *hooks, const char *why)
{
	struct run run = { .bundle = bundle, .log = log };

	for (unsigned i = 0; i < bundle->n_sites; i++) {
		struct run with = { bundle, log, SP_LOG_INFO, place_of(bundle, i), hooks[i], why ? why : reason_of(bundle, i), 0 };

		if (hooks[i] && go_on(&run, &with))
			sp_log(log, SP_LOG_INFO, "probe %s: %s%s%s", bundle_text(bundle, bundle->sites[i].point), hooks[i],
			       *with.why ? ": " : "", with.why);
	}
	end_run(&run);
}

// Is another site of the same probe statement attached? Links do not say: one serves many sites, and system calls have none.
static bool has_sibling(const struct attach *attach, unsigned site)
{
	for (unsigned i = 0; i < attach->bundle->n_sites; i++)
		if (attach->hooks[i] && place_of(attach->bundle, i) == place_of(attach->bundle, site))
			return true;
	return false;
}

struct sp_err *attach_judge(const struct attach *attach, struct sp_err *const *failures)
{
	const struct bundle *bundle = attach->bundle;
	struct run run = { .bundle = bundle, .log = attach->log };
	enum sp_log_level of_optional = SP_LOG_WARN; // else a script that sees nothing would not say so
	struct sp_err *err = NULL;

	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (attach->hooks[i])
			of_optional = SP_LOG_INFO;
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		bool is_optional = bundle->sites[i].flags & SP_SITE_OPTIONAL;
		struct run with = { bundle, attach->log, is_optional ? of_optional : SP_LOG_WARN, place_of(bundle, i), NULL, "", 0 };
		sp_cleanup_free char *text = NULL;

		if (!failures[i])
			continue;
		if (!is_optional && !err && !has_sibling(attach, i)) {
			err = failures[i];
			continue;
		}
		text = sp_err_text(failures[i]);
		if (go_on(&run, &with))
			sp_log(attach->log, with.level, "%s%s", is_optional ? "optional probe left out: " : "", text);
		sp_err_free(failures[i]);
	}
	end_run(&run);
	return err;
}
