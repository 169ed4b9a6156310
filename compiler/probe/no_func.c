// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pt_func.h"

#include "compiler/model/renamed.h"
#include "compiler/model/syscall.h"
#include "compiler/probe/point_util.h"
#include "runtime/base/cleanup.h"

#define MAX_OFFERED 2

static bool is_there(struct dbg_module *kernel, const char *name)
{
	struct dbg_func_query query = { .name = name, .calls = true, .inlines = true };
	struct dbg_funcs found = { 0 };
	struct sp_err *err = dbg_find_funcs(kernel, &query, &found);

	sp_err_free(err);
	return found.n;
}

// "sys_read" as "read"; NULL: it is no system call.
static const char *syscall_name(const char *name)
{
	static const char *const prefixes[] = { "sys_", "SyS_", "compat_sys_", "compat_SyS_" };

	for (size_t i = 0; i < SP_ARRAY_SIZE(prefixes); i++)
		if (sp_starts_with(name, prefixes[i]) && syscall_find(name + strlen(prefixes[i])))
			return name + strlen(prefixes[i]);
	return NULL;
}

// What became of a function that is in no table: since Linux 6.10 those that take memory are behind macros.
static const char *unprofiled(struct dbg_module *kernel, const char *name, struct sp_arena *arena)
{
	const char *now = sp_arena_printf(arena, "%s_noprof", name);

	return is_there(kernel, now) ? sp_arena_printf(arena, "did you mean '%s'?", now) : NULL;
}

// What became of a function of the kernel, as far as this kernel has it; NULL: nothing is known of it.
static const char *renamed_to(struct dbg_module *kernel, const char *name, struct sp_arena *arena)
{
	const char *offered[MAX_OFFERED] = { NULL }, *list = renamed_function(name), *next;
	size_t n = 0, len;

	if (syscall_name(name))
		return sp_arena_printf(arena, "did you mean syscall.%s?", syscall_name(name));
	while (list && n < MAX_OFFERED && (next = sp_list_next(&list, &len))) {
		const char *now = sp_arena_strndup(arena, next, len);

		if (!sp_streq(now, name) && is_there(kernel, now))
			offered[n++] = now;
	}
	if (!n)
		return unprofiled(kernel, name, arena);
	return sp_arena_printf(arena, n > 1 ? "did you mean '%s' or '%s'?" : "did you mean '%s'?", offered[0], offered[1]);
}

// clang's -gline-tables-only has lines, and no functions that they are of; those are known by their symbols. So are those of what was
// compiled without -g.
static bool are_symbols_alone(const struct dbg_module *module, const struct dbg_funcs *funcs)
{
	for (unsigned i = 0; i < funcs->n; i++)
		if (funcs->v[i]->file)
			return false;
	return funcs->n && module->source == DBG_DWARF;
}

static bool have_lines(const struct dbg_funcs *funcs)
{
	const char *file;
	unsigned line;

	for (unsigned i = 0; i < funcs->n; i++)
		if (dbg_line_of(funcs->v[i]->module, funcs->v[i]->entry_pc, &file, &line))
			return true;
	return false;
}

// "memcpy@GLIBC_9": no file is called so.
static bool lists_versions(struct dbg_module *module, const struct dbg_func_query *query, struct sp_buf *ret)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.@";
	sp_cleanup(sp_buf_deinit) struct sp_buf versions = { 0 };

	if (module->is_kernel || query->line || query->file[strspn(query->file, letters)])
		return false;
	dbg_func_versions(module, query->name, &versions);
	if (versions.len)
		sp_buf_printf(ret, "the versions of %s are %s", query->name, sp_buf_str(&versions));
	return versions.len;
}

// A function of a library, which the program calls.
static const char *called_by(struct point_env *env, struct dbg_module *module, const char *name)
{
	struct dbg_stubs stubs;

	if (module->is_kernel || sp_has_glob(name))
		return NULL;
	dbg_find_stubs(module, name, &stubs);
	return stubs.n ? sp_arena_printf(env->arena, "%s() is of another file: process(\"%s\").plt(\"%s\") sees its calls", name, module->path, name)
		       : NULL;
}

const char *func_explain_no_match(struct point_env *env, struct dbg_module *module, const struct dbg_func_query *query)
{
	struct dbg_func_query other = *query;
	struct dbg_funcs found = { 0 };
	struct sp_buf text = { 0 };
	const char *where, *near;
	bool lines_alone = false;
	struct sp_err *err;

	other.calls = other.inlines = true;
	err = dbg_find_funcs(module, &other, &found);
	if (!err && found.n) {
		sp_buf_printf(&text,
			      query->inlines ? "%s is there, but it is not inlined anywhere"
					     : "%s is there, but it is always inlined",
			      found.v[0]->name);
		return point_take(env, &text);
	}
	sp_err_free(err);
	if (query->file && lists_versions(module, query, &text))
		return point_take(env, &text);
	if (query->file) {
		other.file = NULL;
		other.line = 0;
		err = dbg_find_funcs(module, &other, &found);
		if (!err && found.n && found.v[0]->file) {
			sp_buf_printf(&text, "%s is defined in %s, line %u", found.v[0]->name,
				      found.v[0]->file, found.v[0]->line);
			return point_take(env, &text);
		}
		bool symbols_alone = !err && are_symbols_alone(module, &found);
		lines_alone = symbols_alone && have_lines(&found);
		if (symbols_alone && !lines_alone && !sp_has_glob(query->name)) {
			sp_buf_printf(&text, "%s is there, but no debug information tells its file: compile it with -g", found.v[0]->name);
			return point_take(env, &text);
		}
		sp_err_free(err);
	}
	where = module->debug_path ? module->debug_path : module->path;
	sp_buf_printf(&text, "looked for a function in %s", where ? where : module->name);
	if (module->only || (module->source != DBG_DWARF && module->why_no_dwarf))
		sp_buf_printf(&text, module->only ? "; %s" : ", without DWARF: %s", module->only ? module->only : module->why_no_dwarf);
	if (lines_alone)
		sp_buf_puts(&text, ", which has lines alone, without functions (clang -gline-tables-only): compile it with -g");
	near = module->is_kernel ? renamed_to(module, query->name, env->arena) : called_by(env, module, query->name);
	if (!near && !sp_has_glob(query->name))
		near = dbg_did_you_mean(module, DBG_NAMED_FUNC, query->name, env->arena);
	if (near)
		sp_buf_printf(&text, "\n%s", near);
	return point_take(env, &text);
}
