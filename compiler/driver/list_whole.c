// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/list_whole.h"

#include "compiler/driver/progress.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/parallel.h"

// A thread lists one group of shares after the other, each with a new struct dbg. The more groups there are, the less memory one
// takes, and the more often symbols and the units' headers are read: a kernel has thousands of units, a program has a few hundred
// large ones.
#define KERNEL_GROUPS 4
#define PROGRAM_GROUPS 32
// Shares of all groups. Those of a group are listed one by one, as the later ones can leave out points that an earlier one has
// settled: is_listed().
#define KERNEL_SHARES 32
#define PROGRAM_SHARES 64
#define SHARE_STEPS 100 // of the progress: half for finding sites, half for their variables

struct work {
	struct spile *spile;
	const struct ast_point *point;
	bool vars;
	bool by_module; // shares are of the kernel's modules
	unsigned n_groups, n_shares;
	atomic_uint next; // group that nobody has taken
	atomic_bool lacked; // a thread had no memory or descriptors for a file
	struct progress progress;
	struct listing listings[SP_PARALLEL_MAX]; // by thread
};

// Does the first component name a large program, and the second one functions for which all of its units are read? They are not when
// there can be an index of the names.
static bool is_large_program(struct point_env *env, const struct ast_point *point)
{
	const struct ast_point_part *program = &point->parts[0], *part = &point->parts[1];
	struct dbg_module *module;
	struct sp_err *err;

	if (!sp_streq(program->name, "process") || !program->arg || program->arg->kind != AST_STRING ||
	    sp_has_glob(program->arg->string.text) || !sp_streq(part->name, "function") || !part->arg ||
	    part->arg->kind != AST_STRING || !sp_has_glob(part->arg->string.text))
		return false;
	err = dbg_program(env->dbg, program->arg->string.text, &module);
	if (!err)
		return dbg_is_large(module) && (sp_streq(part->arg->string.text, "*") || dbg_has_scopes(module));
	sp_err_free(err); // it is reported when the point is resolved
	return false;
}

// Does the second component name functions, or lines of functions?
static bool names_functions(const struct ast_point *point)
{
	const struct ast_point_part *part = point->n_parts > 1 ? &point->parts[1] : NULL;

	return part && part->arg && part->arg->kind == AST_STRING && (sp_streq(part->name, "function") || sp_streq(part->name, "statement"));
}

static bool is_in_kernel(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "kernel") && names_functions(point);
}

// In modules of the kernel: a few of them are open at a time.
static bool is_in_modules(const struct ast_point *point)
{
	const struct ast_expr *name = point->parts[0].arg;

	return sp_streq(point->parts[0].name, "module") && name && name->kind == AST_STRING && sp_has_glob(name->string.text) &&
	       names_functions(point);
}

// Has the point a limit, that of calls of calls? What is cut in a share would not be told.
static bool is_limited(const struct ast_point *point)
{
	for (unsigned i = 0; i < point->n_parts; i++)
		if (sp_streq(point->parts[i].name, "callees"))
			return true;
	return false;
}

// True for "*" and "*@fs/*.c", with lines or without. A pattern such as "vfs_*" is looked up in an index, and one file is one unit.
bool list_whole_fits(struct point_env *env, const struct ast_point *point)
{
	if (is_limited(point))
		return false;
	if (is_in_modules(point) || (point->n_parts > 1 && is_large_program(env, point)))
		return true;
	if (!is_in_kernel(point))
		return false;
	const char *text = point->parts[1].arg->string.text;
	return sp_streq(text, "*") || (sp_starts_with(text, "*@") && strcspn(text + 2, "*?[") < strcspn(text + 2, ":"));
}

// Can another site of the point change nothing? It is listed already, and no variable is left that all its sites have.
static bool is_listed(void *ctx, const char *point)
{
	const char *vars = listing_vars(ctx, point);

	return vars && !*vars;
}

// A mark's operands are what its arguments are read from; a semaphore is counted up by who listens.
static void note_mark(const struct site *site, struct listing *listing)
{
	const struct dbg_mark *mark = site->mark;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	sp_buf_printf(&text, "%s%s%s", mark->provider, *mark->args ? ": " : "", mark->args);
	if (mark->semaphore)
		sp_buf_printf(&text, ", semaphore 0x%llx", (unsigned long long)mark->semaphore);
	listing_note(listing, site->point, sp_buf_str(&text));
}

void list_site(struct point_env *env, struct site *site, bool vars, uint64_t seq, struct listing *listing)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	if (is_listed(listing, site->point))
		return;
	env->known_vars = listing_vars(listing, site->point);
	if (vars && site->family->list_vars)
		site->family->list_vars(env, site, &text);
	listing_add(listing, site->point, sp_buf_str(&text), site->pc, seq);
	if (vars && site->mark)
		note_mark(site, listing);
}

static void take_sites(struct work *work, unsigned share, struct point_env *env, const struct sites *sites,
		       struct listing *listing, bool tell)
{
	size_t n = 0, told = 0;

	sp_vec_each(site, &sites->list) {
		list_site(env, *site, work->vars, (uint64_t)share << 32 | n, listing);
		size_t step = ++n * (SHARE_STEPS / 2) / sites->list.n;
		progress_add(&work->progress, (unsigned)(step - told), tell);
		told = step;
	}
}

static void list_share(struct work *work, unsigned number, struct point_env *env, struct listing *listing, bool tell)
{
	struct sp_arena arena = { 0 };
	struct sites sites = { 0 };

	env->arena = &arena;
	env->globals = NULL;
	if (point_resolve(env, work->point, &sites)) {
		progress_add(&work->progress, SHARE_STEPS / 2, tell);
		take_sites(work, number, env, &sites, listing, tell);
	}
	sp_vec_deinit(&sites.list);
	sp_arena_deinit(&arena);
}

// Lists some shares.
static void list_shares(struct work *work, unsigned first, unsigned n, struct listing *listing, bool tell)
{
	static const struct sp_log silent;
	struct dbg_opts opts = session_dbg_opts(work->spile);
	struct point_env env = session_point_env(work->spile, NULL);
	struct diag_ctx dc;

	opts.log = &silent;
	diag_ctx_init(&dc, &work->spile->sources);
	env.dc = &dc;
	env.only_named = !work->vars;
	env.is_listed = is_listed;
	env.list_ctx = listing;
	env.dbg = dbg_create(&opts);
	for (unsigned i = first; i < first + n; i++) {
		if (work->by_module)
			dbg_take_modules(env.dbg, i, work->n_shares);
		else
			dbg_take_share(env.dbg, i, work->n_shares);
		list_share(work, i, &env, listing, tell);
	}
	if (dbg_has_lacked(env.dbg))
		work->lacked = true;
	dbg_destroy(env.dbg);
	diag_ctx_deinit(&dc);
}

static void run(void *ctx, unsigned thread)
{
	struct work *work = ctx;
	unsigned group, n = work->n_shares / work->n_groups;

	while ((group = atomic_fetch_add(&work->next, 1)) < work->n_groups)
		list_shares(work, group * n, n, &work->listings[thread], thread == 0);
}

// Does the unit alone say all of the point? A function with a global symbol is defined once, and its instances are where it is defined.
static bool is_settled(const struct site *site, bool vars)
{
	return site->func && site->func->file && (!vars || (site->func->is_strong && !site->func->is_inline));
}

static void take_settled(struct point_env *env, const struct sites *sites, bool vars, struct listing *listing)
{
	struct sp_hash settled = { 0 };

	sp_vec_each(site, &sites->list)
		if (is_settled(*site, vars))
			sp_hash_set(&settled, (*site)->point, *site);
	sp_vec_each(site, &sites->list)
		if (sp_hash_get(&settled, (*site)->point))
			list_site(env, *site, vars, (uint64_t)(site - sites->list.v), listing);
	sp_hash_deinit(&settled);
}

// Also those with code of their own alone, or those that are inlined: what is called from there may be described in other units.
static bool names_all_functions(const struct ast_point *point)
{
	const struct ast_point_part *part = point->n_parts > 1 ? &point->parts[1] : NULL;
	const char *variant = point->n_parts == 3 ? point->parts[2].name : NULL;

	return part && sp_streq(part->name, "function") && part->arg && part->arg->kind == AST_STRING &&
	       sp_streq(part->arg->string.text, "*") &&
	       (point->n_parts == 2 || (variant && (sp_streq(variant, "call") || sp_streq(variant, "inline") || sp_streq(variant, "return"))));
}

static bool open_first_units(struct point_env *env, const struct ast_point *point, struct dbg_module **ret)
{
	struct sp_err *err = NULL;

	if (is_in_kernel(point))
		err = dbg_kernel(env->dbg, ret);
	else if (is_large_program(env, point))
		err = dbg_program(env->dbg, point->parts[0].arg->string.text, ret);
	else
		return false;
	sp_err_free(err); // it is reported when the point is resolved
	return !err;
}

void list_whole_first(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing)
{
	static const struct sp_log silent;
	struct dbg_opts opts = session_dbg_opts(spile);
	struct point_env env = session_point_env(spile, NULL);
	struct sp_arena arena = { 0 };
	struct sites sites = { 0 };
	struct dbg_module *module;
	struct diag_ctx dc;

	opts.log = &silent;
	opts.first_units = true;
	diag_ctx_init(&dc, &spile->sources);
	env.dc = &dc;
	env.arena = &arena;
	env.only_named = !vars;
	env.dbg = dbg_create(&opts);
	if (names_all_functions(point) && open_first_units(&env, point, &module) && dbg_units_stand_alone(module) &&
	    point_resolve(&env, point, &sites))
		take_settled(&env, &sites, vars, listing);
	sp_vec_deinit(&sites.list);
	dbg_destroy(env.dbg);
	sp_arena_deinit(&arena);
	diag_ctx_deinit(&dc);
}

bool list_whole(struct spile *spile, const struct ast_point *point, bool vars, struct listing *listing)
{
	struct ast_point silent = *point; // when nothing matches
	struct work work = { .spile = spile, .point = &silent, .vars = vars, .by_module = is_in_modules(point), .n_groups = KERNEL_GROUPS,
			     .n_shares = KERNEL_SHARES };

	silent.optional = true;
	if (!is_in_kernel(point) && !work.by_module) {
		work.n_groups = PROGRAM_GROUPS;
		work.n_shares = PROGRAM_SHARES;
	}
	progress_begin(&work.progress, &spile->opts, work.n_shares * SHARE_STEPS);
	sp_parallel(sp_parallel_threads(), run, &work);
	progress_end(&work.progress);
	for (unsigned i = 0; i < SP_PARALLEL_MAX; i++) {
		if (work.lacked)
			listing_deinit(&work.listings[i]);
		else
			listing_take(listing, &work.listings[i]);
	}
	return !work.lacked;
}
