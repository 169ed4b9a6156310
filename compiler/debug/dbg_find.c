// SPDX-License-Identifier: GPL-2.0-or-later
// Modules by a pattern, which can match several: programs, libraries of a program, modules of the kernel.
#define _GNU_SOURCE // asprintf
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_library.h"
#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dbg_process.h"
#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/cleanup.h"

#define MIN_TEXT 3 // bytes of a name: fewer are in every file

struct finder {
	struct dbg *dbg;
	const struct dbg_module_query *query; // of modules of the kernel
	const char *text; // that is in the name of each function that is looked for in them; NULL: none
	unsigned n_without;
	struct sp_err *err; // of the system: files can no longer be opened
	unsigned n_named; // modules of the kernel whose names match, so far
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

// A file that is compressed, or is not there, does not tell.
static bool may_have_section(const struct finder *finder, const char *path, const char *debug)
{
	const char *file = debug ? debug : path;
	sp_cleanup(dw_elf_deinit) struct dw_image image = { .fd = -1 };
	struct sp_err *err;

	if (!file || (!debug && !sp_ends_with(file, ".ko")))
		return true;
	err = dw_elf_open(file, &image);
	if (err) {
		sp_err_free(err);
		return true;
	}
	return dw_elf_has_section(image.elf, finder->query->section);
}

static bool may_hold(Elf *elf, const char *section, const char *text)
{
	Elf_Data *data = dw_elf_raw_section(elf, section);

	return data && (data->d_type == ELF_T_CHDR || memmem(data->d_buf, data->d_size, text, strlen(text)));
}

// Names are in the file that has the debug information, and nowhere else: not in one that several share, nor beside it.
static bool may_have_text(const struct finder *finder, const char *debug)
{
	sp_cleanup(dw_elf_deinit) struct dw_image image = { .fd = -1 };
	struct sp_err *err = dw_elf_open(debug, &image);

	if (err) {
		sp_err_free(err);
		return true;
	}
	return !dw_elf_has_dwarf(image.elf) || dw_elf_has_section(image.elf, ".gnu_debugaltlink") || dw_elf_has_section(image.elf, ".debug_addr") ||
	       may_hold(image.elf, ".debug_str", finder->text) || may_hold(image.elf, ".strtab", finder->text) ||
	       may_hold(image.elf, ".debug_info", finder->text);
}

// Debug files of a kernel are of one build: where that of the kernel itself was taken, those of its modules are.
static bool may_have_it(const struct finder *finder, const char *name)
{
	const struct dbg *dbg = finder->dbg;
	sp_cleanup_free char *path = dbg_path_module(dbg->kernel_sysroot, dbg->kernel_module->release, name);
	sp_cleanup_free char *debug = path ? dbg_path_module_debug(dbg->kernel_sysroot, dbg->debuginfo_path, path) : NULL;

	if (finder->query->section && !may_have_section(finder, path, debug))
		return false;
	return !finder->text || !debug || dbg->kernel_module->source != DBG_DWARF || may_have_text(finder, debug);
}

static void add_kernel_module(void *ctx, const char *name)
{
	struct finder *finder = ctx;
	struct dbg_module *module;
	struct sp_err *err;

	if (finder->err || (finder->dbg->n_module_shares && finder->n_named++ % finder->dbg->n_module_shares != finder->dbg->module_share))
		return;
	if ((finder->query->section || finder->text) && !may_have_it(finder, name)) {
		finder->n_without++;
		return;
	}
	err = dbg_note_lack(finder->dbg, dbg_kernel_module(finder->dbg, name, &module));
	if (!err)
		add(finder, module);
	else if (err->code == SP_ERR_SYSTEM)
		finder->err = err;
	else
		sp_err_free(err);
}

// The longest part of a pattern that all names have which match; NULL: it is too short to tell. Names with :: are in parts, and those with
// points may be a symbol's alone.
static char *text_of(const char *pattern)
{
	const char *best = "";
	size_t most = 0;

	for (const char *at = pattern; *at;) {
		size_t len = strcspn(at, "*?[]{}\\@;:.");

		if (at[len] && strchr("[]{}\\", at[len]))
			return NULL;
		if (len > most) {
			best = at;
			most = len;
		}
		if (at[len] == '@' || at[len] == ';') // the file, or a place, follows
			break;
		at += len + (at[len] != '\0');
	}
	return most >= MIN_TEXT ? sp_strndup(best, most) : NULL;
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

struct sp_err *dbg_find_kernel_modules(struct dbg *dbg, const struct dbg_module_query *query, struct dbg_modules *ret)
{
	// What is recorded of a module says which functions it does not have, too.
	sp_cleanup_free char *text = query->function && !dbg->recording ? text_of(query->function) : NULL;
	struct finder finder = { .dbg = dbg, .query = query, .text = text };
	struct dbg_module *kernel;

	SP_TRY(dbg_kernel(dbg, &kernel));
	dbg_path_each_module(dbg->kernel_sysroot, kernel->release, query->pattern, add_kernel_module, &finder);
	give(&finder, ret);
	SP_TRY(finder.err);
	ret->n_without = finder.n_without;
	if (finder.n_without)
		sp_log(&dbg->log, SP_LOG_INFO, "  %u modules have no %s", finder.n_without, query->section ? query->section : query->function);
	return NULL;
}

static bool library_fits(const struct dbg_library *library, const char *pattern)
{
	const char *base = strrchr(library->path, '/');

	return sp_glob_match(pattern, library->name) || sp_glob_match(pattern, library->path) ||
	       (base && sp_glob_match(pattern, base + 1));
}

static void add_library(struct finder *finder, const char *path)
{
	struct dbg_module *module;
	struct sp_err *err = dbg_module_open(finder->dbg, path, path, &module);

	if (!err)
		add(finder, module);
	sp_err_free(err);
}

// A library that a program may load itself, by its path or name in the program's root folder.
static void add_other_library(struct finder *finder, const char *root, const char *pattern, int class)
{
	sp_cleanup_free char *name = NULL, *path = NULL;

	if (pattern[0] == '/') {
		if (asprintf(&name, "%s%s", root, pattern) >= 0)
			path = dbg_process_real_path(name);
	} else if ((!*root && class == ELFCLASS64) || strchr(pattern, '/')) {
		sp_err_free(dbg_path_program(root, pattern, &path));
	} else if ((name = dbg_path_library(root, pattern, class))) {
		path = dbg_process_real_path(name);
	}
	if (path)
		add_library(finder, path);
}

void dbg_find_libraries(struct dbg *dbg, struct dbg_module *program, int pid, const char *pattern, struct dbg_modules *ret,
			const char **names_ret)
{
	sp_cleanup_free char *root = pid ? NULL : sp_strndup(program->path, dbg_process_root_len(program->path));
	Elf *elf = dbg_impl(program)->file->run.elf;
	struct finder finder = { .dbg = dbg };
	struct dbg_libraries libraries = { 0 };
	struct sp_buf names = { 0 };

	if (pid && asprintf(&root, "/proc/%d/root", pid) < 0)
		root = NULL;
	if (pid)
		sp_err_tell(&dbg->log, SP_LOG_WARN, dbg_library_mapped(pid, program->path, &libraries));
	if (!libraries.list.n) // it may be just about to begin
		dbg_library_list(root && *root ? root : dbg->sysroot, program->path, elf, &libraries);
	sp_vec_each(library, &libraries.list) {
		sp_buf_printf(&names, "%s %s", names.len ? "," : "", library->name);
		if (library_fits(library, pattern))
			add_library(&finder, library->path);
	}
	if (libraries.missing.n)
		sp_buf_puts(&names, names.len ? "; not found:" : " not found:");
	sp_vec_each(name, &libraries.missing)
		sp_buf_printf(&names, " %s", *name);
	*names_ret = sp_arena_strdup(&dbg->arena, sp_buf_str(&names));
	sp_buf_deinit(&names);
	dbg_library_free(&libraries);
	if (!finder.found.n && !sp_has_glob(pattern))
		add_other_library(&finder, root && *root ? root : dbg->sysroot, pattern, gelf_getclass(elf));
	give(&finder, ret);
}

// ---- processes ---------------------------------------------------------------------------------------------------------

struct sp_err *dbg_process(struct dbg *dbg, int pid, struct dbg_module **ret)
{
	sp_cleanup_free char *path = dbg_process_program(pid);

	if (!path)
		return sp_err_new(SP_ERR_NOT_FOUND, "there is no process %d whose program can be read", pid);
	return dbg_module_open(dbg, path, path, ret);
}

struct at_address {
	uint64_t addr, offset;
	char *path;
};

static bool look_at_mapping(void *ctx, const struct dbg_mapped *mapped)
{
	struct at_address *at = ctx;

	if (at->addr < mapped->start || at->addr >= mapped->end)
		return true;
	at->offset = at->addr - mapped->start + mapped->offset;
	at->path = sp_strdup(mapped->path);
	return false;
}

struct sp_err *dbg_process_at(struct dbg *dbg, int pid, uint64_t addr, struct dbg_module **ret, uint64_t *offset_ret)
{
	struct at_address at = { .addr = addr };
	struct sp_err *err;

	SP_TRY(dbg_process_mappings(pid, look_at_mapping, &at));
	if (!at.path)
		return sp_err_new(SP_ERR_NOT_FOUND, "process %d has no file mapped there", pid);
	err = dbg_module_open(dbg, at.path, at.path, ret);
	free(at.path);
	*offset_ret = at.offset;
	return err;
}

bool dbg_process_differs(int pid, const char *path)
{
	return dbg_process_maps_other(pid, path);
}

bool dbg_process_has(int pid, const char *path)
{
	sp_cleanup_free char *seen = NULL;

	return *path == '/' && asprintf(&seen, "/proc/%d/root%s", pid, path) >= 0 && access(seen, F_OK) == 0;
}
