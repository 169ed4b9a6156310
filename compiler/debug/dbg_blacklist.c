// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dbg_blacklist.h"

#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/debug/dwarf/dw_sym.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNNING_LIST "/sys/kernel/debug/kprobes/blacklist"

// Code between two symbols of the linker script, where kernel/kprobes.c or the architecture's part of it refuses every probe.
static const struct {
	int machine; // 0: any
	const char *start, *end, *why;
} areas[] = {
	{ 0, "__entry_text_start", "__entry_text_end", "it is a part of the kernel's entry code, where probes are forbidden" },
	{ 0, "__kprobes_text_start", "__kprobes_text_end", "it handles probes itself (.kprobes.text)" },
	{ 0, "__noinstr_text_start", "__noinstr_text_end", "it must not be instrumented (.noinstr.text)" },
	{ EM_AARCH64, "__irqentry_text_start", "__irqentry_text_end",
	  "it is a part of the kernel's entry code, where probes are forbidden" },
};

struct dbg_blacklist {
	struct sp_hash addrs; // of functions; link-time
	struct sp_hash names; // of functions, as the running kernel has them
	struct {
		uint64_t start, end;
	} areas[SP_ARRAY_SIZE(areas)];
};

void dbg_blacklist_destroy(struct dbg_blacklist *list)
{
	if (!list)
		return;
	sp_hash_deinit(&list->addrs);
	sp_hash_deinit(&list->names);
	free(list);
}

// NOKPROBE_SYMBOL(f) puts the address of f into a table; two symbols mark its begin and its end.
static void read_table(struct dbg_blacklist *list, const struct dw_file *file, uint64_t start, uint64_t end)
{
	uint64_t size = end - start;
	const uint8_t *bytes = start < end ? dw_file_bytes(file, start, size) : NULL;

	for (uint64_t off = 0; bytes && size - off >= sizeof(uint64_t); off += sizeof(uint64_t))
		sp_hash_insert(&list->addrs, bytes + off, sizeof(uint64_t));
}

static void read_symbols(struct dbg_blacklist *list, struct dw_file *file)
{
	uint64_t start = 0, end = 0;
	struct dw_sym sym;

	for (size_t pos = dw_sym_first_global(file); dw_sym_next(file, &pos, &sym);) {
		// Symbols that the linker script defines have neither type nor size.
		if (sym.is_func || sym.size || !sp_starts_with(sym.name, "__"))
			continue;
		if (sp_streq(sym.name, "__start_kprobe_blacklist"))
			start = sym.addr;
		else if (sp_streq(sym.name, "__stop_kprobe_blacklist"))
			end = sym.addr;
		for (size_t i = 0; i < SP_ARRAY_SIZE(areas); i++) {
			if (areas[i].machine && areas[i].machine != file->abi->elf_machine)
				continue;
			if (sp_streq(sym.name, areas[i].start))
				list->areas[i].start = sym.addr;
			else if (sp_streq(sym.name, areas[i].end))
				list->areas[i].end = sym.addr;
		}
	}
	read_table(list, file, start, end);
}

// The running kernel's own list: lines of "0xSTART-0xEND NAME", which only root can read.
static void read_running(struct dbg_blacklist *list, const struct sp_log *log)
{
	sp_cleanup_fclose FILE *f = fopen(RUNNING_LIST, "re");
	sp_cleanup_free char *line = NULL;
	size_t room = 0;

	while (f && getline(&line, &room, f) >= 0) {
		const char *name = line + strcspn(line, " \t");
		name += strspn(name, " \t");
		if (*name)
			sp_hash_insert(&list->names, name, strcspn(name, " \t\n"));
	}
	if (f)
		sp_err_tell(log, SP_LOG_WARN, sp_file_end(f, RUNNING_LIST));
}

static struct dbg_blacklist *list_of(struct dbg_module *module)
{
	struct dbg_impl *impl = dbg_impl(module);

	if (impl->blacklist)
		return impl->blacklist;
	impl->blacklist = sp_calloc(1, sizeof(*impl->blacklist));
	if (impl->file)
		read_symbols(impl->blacklist, impl->file);
	if (!module->is_offline)
		read_running(impl->blacklist, &impl->dbg->log);
	return impl->blacklist;
}

// The kernel refuses by address: an inlined instance is refused when the function that holds it is. So the symbol at the address
// decides, not the function's name.
static const char *why_never(const struct dbg_func *func)
{
	if (func->section && sp_starts_with(func->section, ".init."))
		return "it is thrown away when the kernel has started (.init.text)";
	// A loaded module keeps its .exit.text.
	if (func->section && sp_streq(func->section, ".exit.text") && sp_streq(func->module->name, "kernel"))
		return "it is never run in a built-in part of the kernel (.exit.text)";
	// The linker keeps the code of a weak definition that another one replaces, but not its symbol.
	if (func->entry_pc && !func->symbol)
		return "it is a weak definition that another one has replaced: nothing calls it";
	return NULL;
}

static const char *why_not(const struct dbg_blacklist *list, const struct dbg_func *func)
{
	uint64_t symbol = func->entry_pc - func->symbol_off;

	for (size_t i = 0; func->entry_pc && i < SP_ARRAY_SIZE(areas); i++)
		if (func->entry_pc >= list->areas[i].start && func->entry_pc < list->areas[i].end)
			return areas[i].why;
	if ((func->entry_pc && func->symbol && sp_hash_find(&list->addrs, &symbol, sizeof(symbol))) ||
	    (func->symbol && sp_hash_find(&list->names, func->symbol, strlen(func->symbol))))
		return "it is on the kernel's list of functions that must not be probed (NOKPROBE_SYMBOL)";
	return NULL;
}

void dbg_blacklist_mark(struct dbg_module *module, struct dbg_funcs *funcs)
{
	for (unsigned i = 0; i < funcs->n; i++) {
		struct dbg_func *func = funcs->v[i];

		func->no_probe = why_never(func);
		func->never_runs = func->no_probe;
		if (!func->no_probe)
			func->no_probe = why_not(list_of(module), func);
	}
}
