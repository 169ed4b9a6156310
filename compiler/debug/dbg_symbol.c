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

typedef void symbol_fn(void *ctx, const char *name);

static void take(void *ctx, const char *name)
{
	struct found *found = ctx;
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
static void read_running(const struct dbg_module *module, symbol_fn *fn, void *ctx)
{
	sp_cleanup_fclose FILE *f = fopen("/proc/kallsyms", "re");
	sp_cleanup_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while (f && (len = getline(&line, &room, f)) > 0) {
		char *type = strchr(line, ' '), *tag = strchr(line, '\t');

		line[len - 1] = '\0';
		if (!type || (type[1] != 't' && type[1] != 'T') || type[2] != ' ' || !is_of(module, tag))
			continue;
		if (tag)
			*tag = '\0';
		fn(ctx, type + 3);
	}
	if (f)
		sp_err_tell(&dbg_impl(module)->dbg->log, SP_LOG_WARN, sp_file_end(f, "/proc/kallsyms"));
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
		read_running(module, take, &found);
	ret->v = sp_arena_memdup(&dbg_impl(module)->dbg->arena, found.v.v, found.v.n * sizeof(*found.v.v));
	ret->n = (unsigned)found.v.n;
	sp_vec_deinit(&found.v);
	dbg_blacklist_mark(module, ret);
}

// ---- symbols that several functions have ------------------------------------------------------------------------------

static unsigned count(struct dw_file *file, const char *name)
{
	struct dw_sym sym;
	unsigned n = 0;

	for (size_t pos = 0; dw_sym_next_named(file, name, &pos, &sym);)
		n += sym.is_func && sp_streq(sym.name, name);
	return n;
}

static void note_symbol(void *ctx, const char *name)
{
	struct dbg_impl *impl = ctx;
	void **times = sp_hash_insert(&impl->symbols, name, strlen(name));

	*times = (void *)((uintptr_t)*times + 1);
}

bool dbg_symbol_is_repeated(struct dbg_module *module, const char *name)
{
	struct dbg_impl *impl = dbg_impl(module);

	if (impl->file)
		return count(impl->file, name) > 1;
	if (module->is_offline)
		return false;
	if (!impl->knows_symbols)
		read_running(module, note_symbol, impl);
	impl->knows_symbols = true;
	return (uintptr_t)sp_hash_get(&impl->symbols, name) > 1;
}

// How many functions from the first one on have its symbol?
static unsigned n_described(const struct dbg_funcs *funcs, unsigned first)
{
	unsigned end = first + 1;

	while (end < funcs->n && sp_streq(funcs->v[end]->symbol, funcs->v[first]->symbol))
		end++;
	return end - first;
}

void dbg_symbol_spread(struct dbg_module *module, struct dbg_funcs *funcs)
{
	struct sp_arena *arena = &dbg_impl(module)->dbg->arena;
	struct dw_file *file = dbg_impl(module)->file;
	SP_VEC(struct dbg_func *) all = { 0 };
	struct dw_sym sym;

	for (unsigned i = 0, n; i < funcs->n; i += n) {
		struct dbg_func *func = funcs->v[i];
		unsigned n_symbols = file ? count(file, func->symbol) : 0;

		n = n_symbols || !module->is_offline ? n_described(funcs, i) : 1;
		if (n > 1) { // nothing says which is described by which
			func = sp_arena_memdup(arena, func, sizeof(*func));
			func->scope = NULL;
		}
		if (n_symbols < 2)
			sp_vec_push(&all, func);
		for (size_t pos = 0; n_symbols > 1 && dw_sym_next_named(file, func->symbol, &pos, &sym);) {
			if (!sym.is_func || !sp_streq(sym.name, func->symbol))
				continue;
			func = sp_arena_memdup(arena, func, sizeof(*func));
			func->entry_pc = func->low_pc = func->body_pc = sym.addr;
			func->high_pc = sym.addr + sym.size;
			sp_vec_push(&all, func);
		}
	}
	funcs->v = sp_arena_memdup(arena, all.v, all.n * sizeof(*all.v));
	funcs->n = (unsigned)all.n;
	sp_vec_deinit(&all);
}
