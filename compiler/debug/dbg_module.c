// SPDX-License-Identifier: GPL-2.0-or-later
// Opens modules: programs, and what answers for one of which the probe cache has a part.
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_blacklist.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_partial.h"
#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dbg_record.h"
#include "compiler/debug/dwarf/dw_file.h"

#include "runtime/base/cleanup.h"

#include <stdlib.h>

struct dbg_module *dbg_module_new(struct dbg *dbg, const char *name)
{
	struct dbg_module *module = sp_arena_new(&dbg->arena, struct dbg_module);
	struct dbg_impl *impl = sp_arena_new(&dbg->arena, struct dbg_impl);

	impl->dbg = dbg;
	module->name = sp_arena_strdup(&dbg->arena, name);
	module->impl = impl;
	module->source = DBG_SYMTAB;
	sp_vec_push(&dbg->modules, module);
	return module;
}

void dbg_module_close(struct dbg_module *module)
{
	struct dbg_impl *impl = dbg_impl(module);

	sp_hash_deinit(&impl->types);
	sp_hash_deinit(&impl->symbols);
	sp_hash_deinit(&impl->tracepoints);
	sp_hash_deinit(&impl->tracepoint_answers);
	sp_hash_deinit(&impl->module_tracepoints);
	sp_hash_deinit(&impl->events);
	sp_hash_deinit(&impl->event_calls);
	sp_hash_deinit(&impl->event_classes);
	dbg_blacklist_destroy(impl->blacklist);
	dbg_recorded_destroy(impl->recorded);
	dw_file_close(impl->file);
	btf_file_close(impl->btf);
}

void dbg_module_take_file(struct dbg_module *module, struct dw_file *file)
{
	const char *sysroot = dbg_impl(module)->dbg->sysroot;

	module->path = file->run.path;
	module->target_path = sp_starts_with(module->path, sysroot) ? module->path + strlen(sysroot) : module->path;
	module->debug_path = file->debug_path ? file->debug_path : module->path;
	module->source = file->dwarf ? DBG_DWARF : DBG_SYMTAB;
	module->is_pie = file->ehdr.e_type == ET_DYN;
	module->entry = file->ehdr.e_entry;
	module->abi = file->abi;
	module->build_id_len = file->build_id_len;
	memcpy(module->build_id, file->build_id, file->build_id_len);
	module->code_layout = dw_elf_code_layout(file->elf);
	dbg_impl(module)->file = file;
	if (file->partial && partial_is_brief(file->partial))
		module->only = "the probe cache has the parameters and results of its functions alone: 'spile cache add' adds more where debug information is";
	else if (file->partial)
		module->only = "the probe cache has some functions of it alone: 'spile cache add' adds others where debug information is";
}

// The file, and where its build-id would be: of the usual places no more unless they are asked for.
static void print_tried(struct dbg *dbg, const char *tried, struct sp_buf *out)
{
	const char *second = strstr(tried, ", "), *rest = second ? strstr(second + 2, ", ") : NULL;
	unsigned n = 0;

	for (const char *at = rest; at; at = strstr(at + 2, ", "))
		n++;
	if (n < 2 || !sp_streq(dbg->debuginfo_path, DBG_PATH_USUAL)) {
		sp_buf_printf(out, "no debug information in %s; ", tried);
		return;
	}
	sp_buf_printf(out, "no debug information in %.*s, and %u other places (-vv names them); ", (int)(rest - tried), tried, n);
	sp_log(&dbg->log, SP_LOG_DEBUG, "  there is no debug information in %s", tried);
}

static const char *explain(struct dbg *dbg, const struct dw_file *file)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf why = { 0 };

	print_tried(dbg, file->tried, &why);
	partial_tell_other(file->run.path, "", file->build_id, file->build_id_len, &why);
	sp_buf_printf(&why, "compile the program with -g or install its debug package%s",
		      file->build_id_len ? ", or set DEBUGINFOD_URLS to a debuginfod server that has it" : "");
	return sp_arena_strdup(&dbg->arena, sp_buf_str(&why));
}

// Opens a file as a new module; `partial_from` as in struct dw_search.
static struct sp_err *open_new(struct dbg *dbg, const char *name, const char *path, unsigned partial_from, struct dbg_module **ret)
{
	struct dw_search search = {
		.sysroot = dbg->sysroot,
		.debuginfo_path = dbg->debuginfo_path,
		.log = &dbg->log,
		.servers_are_silent = &dbg->servers_are_silent,
		.partial_from = partial_from,
		.first_units = dbg->first_units,
	};
	struct dw_file *file;

	SP_TRY(dbg_note_lack(dbg, dw_file_open(path, &search, &file)));
	*ret = dbg_module_new(dbg, name);
	dbg_module_take_file(*ret, file);
	if (!file->dwarf)
		(*ret)->why_no_dwarf = explain(dbg, file);
	return NULL;
}

const char *dbg_object_name(const struct dbg_module *module)
{
	if (!module->is_kernel)
		return module->path;
	return sp_streq(module->name, "kernel") ? "[kernel.kallsyms]" : sp_arena_printf(&dbg_impl(module)->dbg->arena, "[%s]", module->name);
}

struct dbg_module *dbg_twin(struct dbg_module *module)
{
	struct dbg_impl *impl = dbg_impl(module);
	unsigned from;

	if (impl->twin_tried)
		return impl->twin;
	impl->twin_tried = true;
	from = partial_is_brief(impl->file->partial) ? PROBE_FILE_N_SORTS : PROBE_FILE_FUNCTIONS;
	if (module->is_kernel)
		impl->twin = dbg_kernel_twin(impl->dbg, module, from);
	else
		sp_err_free(open_new(impl->dbg, module->name, module->path, from, &impl->twin));
	return impl->twin;
}

struct sp_err *dbg_module_open(struct dbg *dbg, const char *name, const char *path, struct dbg_module **ret)
{
	sp_vec_each(it, &dbg->modules) {
		if ((*it)->is_kernel || !sp_streq((*it)->path, path))
			continue;
		*ret = *it;
		return NULL;
	}
	return open_new(dbg, name, path, 0, ret);
}

struct sp_err *dbg_program(struct dbg *dbg, const char *path, struct dbg_module **ret)
{
	sp_cleanup_free char *full = NULL;

	SP_TRY(dbg_path_program(dbg->sysroot, path, &full));
	return dbg_module_open(dbg, path, full, ret);
}
