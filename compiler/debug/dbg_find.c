// SPDX-License-Identifier: GPL-2.0-or-later
// Modules by a pattern, which can match several: programs, libraries of a program, modules of the kernel.
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_library.h"
#include "compiler/debug/dbg_path.h"

struct finder {
	struct dbg *dbg;
	SP_VEC(struct dbg_module *) found;
};

static void add(struct finder *finder, struct dbg_module *module)
{
	sp_vec_each(it, &finder->found)
		if (*it == module)
			return;
	sp_vec_push(&finder->found, module);
}

// A file that cannot be read as a program is left out.
static void add_program(void *ctx, const char *path)
{
	struct finder *finder = ctx;
	const char *sysroot = finder->dbg->sysroot;
	struct dbg_module *module;
	struct sp_err *err = dbg_program(finder->dbg, sp_starts_with(path, sysroot) ? path + strlen(sysroot) : path, &module);

	if (!err)
		add(finder, module);
	sp_err_free(err);
}

static void add_kernel_module(void *ctx, const char *name)
{
	struct finder *finder = ctx;
	struct dbg_module *module;
	struct sp_err *err = dbg_kernel_module(finder->dbg, name, &module);

	if (!err)
		add(finder, module);
	sp_err_free(err);
}

static void give(struct finder *finder, struct dbg_modules *ret)
{
	ret->v = sp_arena_memdup(&finder->dbg->arena, finder->found.v, finder->found.n * sizeof(*finder->found.v));
	ret->n = (unsigned)finder->found.n;
	sp_vec_deinit(&finder->found);
}

void dbg_find_programs(struct dbg *dbg, const char *pattern, struct dbg_modules *ret)
{
	struct finder finder = { .dbg = dbg };

	dbg_path_each_program(dbg->sysroot, pattern, add_program, &finder);
	give(&finder, ret);
}

struct sp_err *dbg_find_kernel_modules(struct dbg *dbg, const char *pattern, struct dbg_modules *ret)
{
	struct finder finder = { .dbg = dbg };
	struct dbg_module *kernel;

	SP_TRY(dbg_kernel(dbg, &kernel));
	dbg_path_each_module(dbg->sysroot, kernel->release, pattern, add_kernel_module, &finder);
	give(&finder, ret);
	return NULL;
}

static bool library_fits(const struct dbg_library *library, const char *pattern)
{
	const char *base = strrchr(library->path, '/');

	return sp_glob_match(pattern, library->name) || sp_glob_match(pattern, library->path) ||
	       (base && sp_glob_match(pattern, base + 1));
}

void dbg_find_libraries(struct dbg *dbg, struct dbg_module *program, const char *pattern, struct dbg_modules *ret,
			const char **names_ret)
{
	struct finder finder = { .dbg = dbg };
	struct dbg_libraries libraries = { 0 };
	struct sp_buf names = { 0 };

	dbg_library_list(dbg->sysroot, program->path, dbg_impl(program)->file->run.elf, &libraries);
	sp_vec_each(library, &libraries.list) {
		sp_buf_printf(&names, "%s %s", names.len ? "," : "", library->name);
		if (library_fits(library, pattern))
			add_program(&finder, library->path);
	}
	*names_ret = sp_arena_strdup(&dbg->arena, sp_buf_str(&names));
	sp_buf_deinit(&names);
	dbg_library_free(&libraries);
	if (!finder.found.n && !sp_has_glob(pattern))
		add_program(&finder, pattern);
	give(&finder, ret);
}
