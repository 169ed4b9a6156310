// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/list_parts.h"

#include "compiler/driver/progress.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/parallel.h"

// Each part reads the symbols and the units' headers anew; the more there are, the less memory one takes.
#define PARTS_OF_ALL 8
#define PARTS_OF_FILES 4
#define PART_STEPS 1000 // of the progress: half for finding sites, half for their variables

struct work {
	struct spile *spile;
	struct ast_point point;
	bool vars;
	unsigned n_parts;
	atomic_uint next; // part that nobody has taken
	struct progress progress;
	struct listing listings[SP_PARALLEL_MAX]; // by thread
};

// "*" and "*@fs/*.c", with lines or without: a name is looked up in an index, and a file by its name is one unit.
bool list_parts_fit(const struct ast_point *point)
{
	const struct ast_point_part *part = point->n_parts > 1 ? &point->parts[1] : NULL;

	if (!part || !sp_streq(point->parts[0].name, "kernel") || !part->arg || part->arg->kind != AST_STRING)
		return false;
	if (!sp_streq(part->name, "function") && !sp_streq(part->name, "statement"))
		return false;
	const char *text = part->arg->string.text;
	return sp_streq(text, "*") || (sp_starts_with(text, "*@") && strcspn(text + 2, "*?[") < strcspn(text + 2, ":"));
}

void list_site(struct point_env *env, struct site *site, bool vars, uint64_t seq, struct listing *listing)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	env->known_vars = listing_vars(listing, site->point);
	if (env->known_vars && !*env->known_vars && site->family->list_vars)
		return;
	if (vars && site->family->list_vars)
		site->family->list_vars(env, site, &text);
	listing_add(listing, site->point, sp_buf_str(&text), site->pc, seq);
}

static void take_sites(struct work *work, unsigned part, struct point_env *env, const struct sites *sites,
		       struct listing *listing, bool tell)
{
	size_t n = 0, told = 0;

	sp_vec_each(site, &sites->list) {
		list_site(env, *site, work->vars, (uint64_t)part << 32 | n, listing);
		size_t step = ++n * (PART_STEPS / 2) / sites->list.n;
		progress_add(&work->progress, (unsigned)(step - told), tell);
		told = step;
	}
}

static void list_part(struct work *work, unsigned number, struct listing *listing, bool tell)
{
	static const struct sp_log silent;
	struct dbg_opts opts = session_dbg_opts(work->spile);
	struct point_env env = session_point_env(work->spile, NULL);
	struct sp_arena arena = { 0 };
	struct sites sites = { 0 };
	struct diag_ctx dc;

	opts.log = &silent;
	opts.part = number;
	opts.n_parts = work->n_parts;
	diag_ctx_init(&dc, &work->spile->sources);
	env.arena = &arena;
	env.dc = &dc;
	env.only_named = !work->vars;
	env.dbg = dbg_create(&opts);
	if (point_resolve(&env, &work->point, &sites)) {
		progress_add(&work->progress, PART_STEPS / 2, tell);
		take_sites(work, number, &env, &sites, listing, tell);
	}
	sp_vec_deinit(&sites.list);
	dbg_destroy(env.dbg);
	diag_ctx_deinit(&dc);
	sp_arena_deinit(&arena);
}

static void run(void *ctx, unsigned thread)
{
	struct work *work = ctx;
	unsigned number;

	while ((number = atomic_fetch_add(&work->next, 1)) < work->n_parts)
		list_part(work, number, &work->listings[thread], thread == 0);
}

void list_parts(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing)
{
	struct work work = { .spile = spile, .point = *point, .vars = vars };

	work.point.optional = true; // that a part has nothing is no error
	work.n_parts = strchr(point->parts[1].arg->string.text, '@') ? PARTS_OF_FILES : PARTS_OF_ALL;
	progress_begin(&work.progress, &spile->opts, work.n_parts * PART_STEPS);
	sp_parallel(sp_parallel_threads(), run, &work);
	progress_end(&work.progress);
	for (unsigned i = 0; i < SP_PARALLEL_MAX; i++) {
		listing_add_all(listing, &work.listings[i]);
		listing_deinit(&work.listings[i]);
	}
}
