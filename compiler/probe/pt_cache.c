// SPDX-License-Identifier: GPL-2.0-or-later
// cache.probe("GROUP:NAME"): what perf's cache has under that name (%GROUP:NAME of perf-probe(1)) is the point that its definition
// means, looked up in the object as it is now.
#include "compiler/cache/perf_cache.h"
#include "compiler/probe/point_util.h"

struct look_up {
	struct point_env *env;
	const struct ast_point *point;
	struct sites *sites;
	unsigned n_named, n_failed;
	const char *why; // there is one of that name, which is of no use
};

static bool cache_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "cache");
}

// The kernel that the options name; NULL: the target's is all that is known.
static const struct dbg_module *kernel_of(const struct point_env *env)
{
	struct dbg_module *kernel = NULL;

	sp_err_free(dbg_kernel(env->dbg, &kernel));
	return kernel && kernel->build_id_len && kernel->release ? kernel : NULL;
}

// The build-id that the object has now; "": it is not here, or has none.
static void read_id(const struct point_env *env, const struct perf_object *object, char ret[ELF_ID_TEXT])
{
	uint8_t id[SP_BUILD_ID_MAX];

	const struct dbg_module *kernel = *object->name == '[' ? kernel_of(env) : NULL;

	if (kernel)
		elf_id_text(kernel->build_id, kernel->build_id_len, ret);
	else if (*object->name == '[')
		elf_id_text(env->target->build_id, env->target->build_id_len, ret);
	else
		elf_id_text(id, elf_id_read(object->name, id), ret);
}

// Is the object of the target, and of the build that perf has seen? What a kernel's module is now, is not compared: its release is.
static bool is_here(struct look_up *l, const struct perf_object *object, const char *release)
{
	const struct point_env *env = l->env;
	const struct dbg_module *kernel = release ? kernel_of(env) : NULL;
	const char *this = kernel ? kernel->release : env->target->release;
	char now[ELF_ID_TEXT];

	if (release && sp_streq(release, this))
		return true;
	if (release) {
		l->why = sp_arena_printf(env->arena, "perf's cache has it for %s, a module of Linux %s, and this is %s", object->name, release,
					 this);
		return false;
	}
	read_id(env, object, now);
	if (sp_streq(now, object->id))
		return true;
	l->why = sp_arena_printf(env->arena, "perf's cache has it for the build %s of %s, and %s%s", object->id, object->name,
				 *now ? "this is " : "it is not here, or has no build-id", now);
	return false;
}

static const struct ast_point *make_point(struct point_env *env, const struct ast_point *of, const struct perf_point *from)
{
	struct ast_point *point = sp_arena_memdup(env->arena, of, sizeof(*of));

	point->parts = sp_arena_array(env->arena, struct ast_point_part, from->n);
	point->n_parts = from->n;
	for (unsigned i = 0; i < from->n; i++) {
		struct ast_expr *arg = from->parts[i].arg ? sp_arena_new(env->arena, struct ast_expr) : NULL;

		point->parts[i] = (struct ast_point_part){ from->parts[i].name, arg, of->span };
		if (!arg)
			continue;
		arg->kind = AST_STRING;
		arg->span = arg->op_span = of->span;
		arg->string.text = from->parts[i].arg;
		arg->string.len = (uint32_t)strlen(arg->string.text);
	}
	return point;
}

static void add_object(void *ctx, const struct perf_object *object)
{
	struct look_up *l = ctx;
	struct sp_arena *arena = l->env->arena;
	struct perf_probe probe;

	for (const char *at = object->text; perf_probes_next(&at, object->end, &probe);) {
		struct perf_point point;

		if (!perf_cache_is_named(&probe, l->point->parts[1].arg->string.text, arena))
			continue;
		if (!perf_cache_point(object, &probe, arena, &point))
			l->why = sp_arena_printf(arena, "no probe point says the same as %.*s of %s in perf's cache", (int)probe.len, probe.definition,
						 object->name);
		else if (is_here(l, object, point.release))
			l->n_failed += !point_resolve(l->env, make_point(l->env, l->point, &point), l->sites), l->n_named++;
	}
}

static void add_fault(void *ctx, struct sp_err *fault)
{
	struct look_up *l = ctx;

	point_report(l->env, l->point->span, DIAG_MODULE_UNREADABLE, fault);
	l->n_failed++;
}

static bool cache_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	struct look_up l = { .env = env, .point = point, .sites = sites };

	perf_cache_each(add_object, add_fault, &l);
	*why_ret = l.why ? l.why : "perf's cache, ~/.debug, has no such probe\n'spile cache list' and 'perf probe --cache --list' print what it has";
	return !l.n_failed;
}

const struct point_family pt_cache = {
	.name = "cache",
	.patterns = "cache.probe(string)",
	.needs_kernel = true,
	.matches = cache_matches,
	.resolve = cache_resolve,
};
