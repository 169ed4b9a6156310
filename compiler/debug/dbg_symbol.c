// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of a kernel without DWARF that BTF leaves out: of a static function whose parameters gcc has changed there is the symbol
// alone, "finish_task_switch.isra.0". It is in the kernel's file or, when that is the running kernel, in /proc/kallsyms.
#define _GNU_SOURCE // getline

#include "compiler/debug/dbg_blacklist.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <stdio.h>
#include <stdlib.h>

struct found {
	struct dbg_module *module;
	const char *pattern;
	SP_VEC(struct dbg_func *) v;
};

static void take(struct found *found, const char *name)
{
	struct sp_arena *arena = &dbg_impl(found->module)->dbg->arena;
	struct dbg_func *func;

	// "f.isra.0.cold" is a part of f that no call reaches.
	if (!sp_glob_match(found->pattern, name) || strstr(name, ".cold"))
		return;
	func = sp_arena_new(arena, struct dbg_func);
	*func = (struct dbg_func){ .module = found->module, .name = sp_arena_strdup(arena, name) };
	func->linkage_name = func->symbol = func->name;
	sp_vec_push(&found->v, func);
}

static void read_file(struct found *found, struct dw_file *file)
{
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		if (sym.is_func)
			take(found, sym.name);
}

// `tag`: "\t[nfsd]", NULL for the kernel's own.
static bool is_of(const struct dbg_module *module, const char *tag)
{
	size_t len = strlen(module->name);

	if (!tag)
		return sp_streq(module->name, "kernel");
	return !strncmp(tag + 2, module->name, len) && tag[2 + len] == ']';
}

// Lines of "ADDRESS TYPE NAME"; a tab and the module's name stand behind the symbols of modules.
static void read_running(struct found *found)
{
	sp_cleanup_fclose FILE *f = fopen("/proc/kallsyms", "re");
	sp_cleanup_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while (f && (len = getline(&line, &room, f)) > 0) {
		char *type = strchr(line, ' '), *module = strchr(line, '\t');

		line[len - 1] = '\0';
		if (!type || (type[1] != 't' && type[1] != 'T') || type[2] != ' ' || !is_of(found->module, module))
			continue;
		if (module)
			*module = '\0';
		take(found, type + 3);
	}
	if (f)
		sp_err_tell(&dbg_impl(found->module)->dbg->log, SP_LOG_WARN, sp_file_end(f, "/proc/kallsyms"));
}

void dbg_find_symbols(struct dbg_module *module, const char *pattern, struct dbg_funcs *ret)
{
	struct found found = { .module = module, .pattern = pattern };

	*ret = (struct dbg_funcs){ 0 };
	if (module->source != DBG_BTF || !module->is_kernel)
		return;
	if (dbg_impl(module)->file)
		read_file(&found, dbg_impl(module)->file);
	else if (!module->is_offline)
		read_running(&found);
	ret->v = sp_arena_memdup(&dbg_impl(module)->dbg->arena, found.v.v, found.v.n * sizeof(*found.v.v));
	ret->n = (unsigned)found.v.n;
	sp_vec_deinit(&found.v);
	dbg_blacklist_mark(module, ret);
}
