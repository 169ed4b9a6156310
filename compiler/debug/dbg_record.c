// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dbg_record.h"

#include "compiler/cache/cache.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_partial.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/index/dw_units.h"
#include "compiler/debug/keep/keep.h"

#include "runtime/base/cleanup.h"

#include <dwarf.h>
#include <stdlib.h>
#include <zlib.h>

struct dbg_recorded {
	struct keep *keep;
	struct sp_hash definitions, questions; // texts
	bool is_all;
};

void dbg_recorded_destroy(struct dbg_recorded *recorded)
{
	if (!recorded)
		return;
	keep_destroy(recorded->keep);
	sp_hash_deinit(&recorded->definitions);
	sp_hash_deinit(&recorded->questions);
	free(recorded);
}

void dbg_record(struct dbg *dbg, const char *definition)
{
	dbg->recording = definition ? sp_arena_strdup(&dbg->arena, definition) : NULL;
}

static struct dbg_recorded *recorded_of(struct dbg_module *module)
{
	struct dbg_impl *impl = dbg_impl(module);

	if (!impl->recorded) {
		impl->recorded = sp_calloc(1, sizeof(*impl->recorded));
		impl->recorded->keep = keep_create(impl->file);
	}
	sp_hash_set(&impl->recorded->definitions, impl->dbg->recording, module);
	return impl->recorded;
}

static bool can_record(const struct dbg_module *module)
{
	const struct dbg_impl *impl = dbg_impl(module);

	return module->source == DBG_DWARF && impl->file && !impl->file->partial;
}

void dbg_record_func(struct dbg_func *func)
{
	struct dw_scope *scope = func->scope;

	if (!can_record(func->module))
		return;
	if (scope)
		keep_function(recorded_of(func->module)->keep, &scope->function);
	else // of an object that was compiled without -g
		keep_symbol(recorded_of(func->module)->keep, func->symbol ? func->symbol : func->name);
}

struct sp_err *dbg_record_funcs(struct dbg_module *module, const struct dbg_func_query *query)
{
	const struct dbg_func_query all = { .name = query->name, .file = query->file, .line = query->line, .calls = true, .inlines = true };
	struct dbg *dbg = dbg_impl(module)->dbg;
	const char *recording = dbg->recording;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct dbg_funcs funcs = { 0 };
	struct sp_err *err;

	if (!can_record(module))
		return NULL;
	sp_buf_printf(&text, "%s\t%s\t%u", query->name, query->file ? query->file : "", query->line);
	if (strchr(query->name, '\n') || sp_hash_get(&recorded_of(module)->questions, sp_buf_str(&text)))
		return NULL;
	dbg->recording = NULL;
	err = dbg_find_funcs(module, &all, &funcs);
	dbg->recording = recording;
	if (err)
		return err;
	sp_hash_set(&recorded_of(module)->questions, sp_buf_str(&text), module);
	for (unsigned i = 0; i < funcs.n; i++)
		dbg_record_func(funcs.v[i]);
	return NULL;
}

// ---- all functions --------------------------------------------------------------------------------------------------

static void keep_functions(struct keep *keep, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_namespace || tag == DW_TAG_module) && depth < 64)
			keep_functions(keep, &child, depth + 1);
		else if (tag == DW_TAG_subprogram && dw_range_has(&child))
			keep_function(keep, &child);
	}
}

struct sp_err *dbg_record_all(struct dbg_module *module)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct dbg_recorded *recorded;
	struct dw_sym sym;

	if (!can_record(module))
		return sp_err_new(SP_ERR_NOT_FOUND, "%s", module->why_no_dwarf ? module->why_no_dwarf : module->only);
	recorded = recorded_of(module);
	recorded->is_all = true;
	keep_make_brief(recorded->keep);
	sp_hash_set(&recorded->questions, "*\t\t0", module);
	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		if (sym.is_func)
			keep_symbol(recorded->keep, sym.name);
	SP_TRY(dw_units_open(file));
	for (size_t i = 0; i < dw_units_count(file); i++) {
		Dwarf_Die unit;

		if (!dw_units_at(file, i))
			continue;
		dw_units_die(file, i, &unit);
		keep_functions(recorded->keep, &unit, 0);
	}
	return NULL;
}

// ---- the file -------------------------------------------------------------------------------------------------------

void dbg_recorded_modules(struct dbg *dbg, struct dbg_modules *ret)
{
	SP_VEC(struct dbg_module *) found = { 0 };

	sp_vec_each(module, &dbg->modules)
		if (dbg_impl(*module)->recorded)
			sp_vec_push(&found, *module);
	ret->v = sp_arena_memdup(&dbg->arena, found.v, found.n * sizeof(*found.v));
	ret->n = (unsigned)found.n;
	sp_vec_deinit(&found);
}

struct sp_err *dbg_recorded_each(struct dbg_module *module, dbg_definition_fn *fn, void *ctx)
{
	struct dbg *dbg = dbg_impl(module)->dbg;
	sp_cleanup_free char *name = probe_file_name(module->build_id, module->build_id_len, PROBE_FILE_PROBES);
	struct probe_file_line line;
	struct cache_mapped mapped;
	struct sp_err *err = NULL;
	const char *at = NULL;

	if (!module->build_id_len || !partial_map(&dbg->log, name, &mapped))
		return NULL;
	const struct probe_file_head *head = (const struct probe_file_head *)mapped.bytes;
	while (!err && probe_file_next(&at, head, "definition", &line)) {
		sp_cleanup_free char *definition = sp_strndup(line.text, line.len);

		err = fn(ctx, definition);
	}
	cache_unmap(&mapped);
	return err;
}

static void put_texts(const struct dbg_module *module, struct sp_buf *out)
{
	const struct dbg_recorded *recorded = dbg_impl(module)->recorded;

	sp_buf_printf(out, "object %s\n", dbg_object_name(module));
	sp_hash_each(it, &recorded->definitions)
		sp_buf_printf(out, "definition %s\n", it->key);
	sp_hash_each(it, &recorded->questions)
		sp_buf_printf(out, "funcs %s\n", it->key);
}

static struct sp_err *pack(const struct dbg_module *module, const struct sp_buf *elf, struct sp_buf *out)
{
	const struct dbg_recorded *recorded = dbg_impl(module)->recorded;
	struct probe_file_head head = { .version = PROBE_FILE_LAYOUT, .sort = recorded->is_all ? PROBE_FILE_FUNCTIONS : PROBE_FILE_PROBES,
				     .is_kernel = module->is_kernel, .build_id_len = module->build_id_len, .elf_size = elf->len };
	uLongf size = compressBound(elf->len);

	memcpy(head.magic, PROBE_FILE_MAGIC, sizeof(head.magic));
	memcpy(head.build_id, module->build_id, module->build_id_len);
	if (module->release)
		snprintf(head.release, sizeof(head.release), "%s", module->release);
	sp_buf_add(out, &head, sizeof(head));
	put_texts(module, out);
	head.text_size = out->len - sizeof(head);
	sp_buf_fill(out, '\0', size);
	if (compress2((Bytef *)out->data + sizeof(head) + head.text_size, &size, (const Bytef *)elf->data, elf->len, 9) != Z_OK)
		return sp_err_new(SP_ERR_SYSTEM, "the debug information cannot be compressed");
	out->len = sizeof(head) + head.text_size + size;
	head.packed_size = size;
	probe_file_digest(&head, (const uint8_t *)out->data + sizeof(head), out->len - sizeof(head), head.digest);
	memcpy(out->data, &head, sizeof(head));
	return NULL;
}

struct sp_err *dbg_recorded_save(struct dbg_module *module, size_t *size_ret)
{
	const struct dbg_recorded *recorded = dbg_impl(module)->recorded;
	sp_cleanup(sp_buf_deinit) struct sp_buf elf = { 0 }, out = { 0 };
	sp_cleanup_free char *name =
		probe_file_name(module->build_id, module->build_id_len, recorded->is_all ? PROBE_FILE_FUNCTIONS : PROBE_FILE_PROBES);

	if (!module->build_id_len)
		return sp_err_new(SP_ERR_FORMAT, "%s has no build-id: the probe cache could not tell it from others", module->path);
	SP_TRY(keep_write(recorded->keep, &elf));
	SP_TRY(pack(module, &elf, &out));
	SP_TRY(cache_save(name, (const uint8_t *)out.data, out.len));
	*size_ret = out.len;
	return NULL;
}
