// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dbg.h"

#include "compiler/debug/btf/btf.h"
#include "compiler/debug/btf/btf_c.h"
#include "compiler/debug/dbg_blacklist.h"
#include "compiler/debug/dbg_elf_func.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_loader.h"
#include "compiler/debug/dbg_partial.h"
#include "compiler/debug/dbg_path.h"
#include "compiler/debug/dbg_record.h"
#include "compiler/debug/dwarf/dw_alone.h"
#include "compiler/debug/dwarf/dw_call.h"
#include "compiler/debug/dwarf/dw_cfi.h"
#include "compiler/debug/dwarf/dw_entry.h"
#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/debug/dwarf/dw_folded.h"
#include "compiler/debug/dwarf/dw_func.h"
#include "compiler/debug/dwarf/dw_named.h"
#include "compiler/debug/index/dw_index.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_callconv.h"
#include "compiler/debug/dwarf/dw_place.h"
#include "compiler/debug/dwarf/dw_plt.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_rseq.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_thunk.h"
#include "compiler/debug/dwarf/dw_type.h"
#include "compiler/debug/dwarf/dw_var.h"
#include "compiler/debug/dwarf/dw_visible.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/x86_insn.h"

#include <dwarf.h>
#include <stdlib.h>

// Bytes of .debug_info from which on a program is large: smaller ones are listed within a second.
#define LARGE_FROM (64u << 20)

struct dbg *dbg_create(const struct dbg_opts *opts)
{
	struct dbg *dbg = sp_calloc(1, sizeof(*dbg));
	const char *sysroot = opts->sysroot && !sp_streq(opts->sysroot, "/") ? opts->sysroot : "";

	dbg->kernel = opts->kernel ? sp_arena_strdup(&dbg->arena, opts->kernel) : NULL;
	dbg->sysroot = dbg->kernel_sysroot = sp_arena_strdup(&dbg->arena, sysroot);
	dbg->debuginfo_path = sp_arena_strdup(&dbg->arena, opts->debuginfo_path ? opts->debuginfo_path : DBG_PATH_USUAL);
	dbg->source_dir = opts->source_dir ? sp_arena_strdup(&dbg->arena, opts->source_dir) : NULL;
	dbg->first_units = opts->first_units;
	if (opts->log)
		dbg->log = *opts->log;
	return dbg;
}

void dbg_destroy(struct dbg *dbg)
{
	if (!dbg)
		return;
	sp_vec_each(it, &dbg->modules)
		dbg_module_close(*it);
	sp_vec_deinit(&dbg->modules);
	sp_hash_deinit(&dbg->texts);
	sp_arena_deinit(&dbg->arena);
	free(dbg);
}

const struct sp_log *dbg_log(const struct dbg *dbg)
{
	return &dbg->log;
}

struct sp_err *dbg_note_lack(struct dbg *dbg, struct sp_err *err)
{
	dbg->lacked |= err && err->code == SP_ERR_SYSTEM;
	return err;
}

bool dbg_has_lacked(const struct dbg *dbg)
{
	return dbg->lacked;
}

const struct partial *dbg_partial_of(const struct dbg_module *module)
{
	const struct dbg_impl *impl = dbg_impl(module);

	return impl->file ? impl->file->partial : NULL;
}

bool dbg_file_offset(const struct dbg_module *module, uint64_t addr, uint64_t *ret)
{
	const struct dbg_impl *impl = dbg_impl(module);
	return impl->file && dw_file_offset(impl->file, addr, ret);
}

bool dbg_is_writable(const struct dbg_module *module, uint64_t addr)
{
	const struct dbg_impl *impl = dbg_impl(module);
	return impl->file && dw_file_is_writable(impl->file, addr);
}

bool dbg_is_restartable(const struct dbg_module *module, uint64_t addr)
{
	const struct dbg_impl *impl = dbg_impl(module);
	return impl->file && dw_rseq_holds(impl->file, addr);
}

bool dbg_offset_address(const struct dbg_module *module, uint64_t file_offset, uint64_t *ret)
{
	const struct dbg_impl *impl = dbg_impl(module);
	return impl->file && dw_file_address(impl->file, file_offset, ret);
}

const char *dbg_section_at(const struct dbg_module *module, uint64_t addr, uint64_t *start_ret)
{
	const struct dbg_impl *impl = dbg_impl(module);
	const char *name = impl->file ? dw_file_section_at(impl->file, addr, start_ret) : NULL;

	if (!name)
		*start_ret = 0;
	return name ? name : "";
}

bool dbg_unit_at(struct dbg_module *module, uint64_t addr, Dwarf_Die *ret)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct sp_err *err;
	size_t unit;

	if (module->source != DBG_DWARF)
		return false;
	if ((err = dw_units_open(file))) {
		sp_err_free(err);
		return false;
	}
	if (!dw_units_at_pc(file, addr, &unit))
		return false;
	dw_units_die(file, unit, ret);
	return true;
}

bool dbg_line_of(struct dbg_module *module, uint64_t addr, const char **file_ret, unsigned *line_ret)
{
	Dwarf_Die unit;

	return dbg_unit_at(module, addr, &unit) && dw_line_at(dbg_impl(module)->file, &unit, addr, file_ret, line_ret);
}

bool dbg_statement_at(struct dbg_module *module, uint64_t addr, uint64_t *start_ret)
{
	Dwarf_Die unit;

	return dbg_unit_at(module, addr, &unit) && dw_line_start(&unit, addr, start_ret);
}

bool dbg_insn_at(const struct dbg_module *module, uint64_t from, uint64_t addr, uint64_t *start_ret)
{
	const struct dw_file *file = dbg_impl(module)->file;
	size_t size = addr - from + 1;
	const uint8_t *code = file && addr >= from ? dw_file_bytes(file, from, size) : NULL;
	struct x86_insn insn;

	*start_ret = from;
	if (!code)
		return false;
	if (file->ehdr.e_machine == EM_AARCH64) {
		*start_ret = addr & ~UINT64_C(3);
		return true;
	}
	for (size_t at = 0; at < size; at += insn.length) {
		*start_ret = from + at;
		// The one that holds the address may end behind what was read.
		if (!x86_insn_decode(code + at, size - at, file->abi->word_size * 8, &insn))
			return size - at <= X86_INSN_MAX;
	}
	return true;
}

void dbg_take_share(struct dbg *dbg, unsigned share, unsigned n_shares)
{
	dbg->share = share;
	dbg->n_shares = n_shares;
	// What the share before has found and touched.
	sp_vec_each(module, &dbg->modules) {
		struct dw_file *file = dbg_impl(*module)->file;

		if (file)
			dw_file_end_share(file);
		if (file && file->units)
			dw_units_forget(file);
	}
}

bool dbg_is_large(const struct dbg_module *module)
{
	const struct dw_file *file = dbg_impl(module)->file;
	struct dw_section info;

	return module->source == DBG_DWARF && file && dw_file_section(file, ".debug_info", &info) && info.size >= LARGE_FROM;
}

bool dbg_has_scopes(const struct dbg_module *module)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct sp_err *err = file && file->dwarf ? dw_units_open(file) : NULL;
	size_t n = file && file->dwarf && !err ? dw_units_count(file) : 0, i = 0;

	sp_err_free(err); // it is reported when functions are looked for
	while (i < n && dw_qualify_is_flat(file->units->list.v[i].cu))
		i++;
	return i < n;
}

bool dbg_units_stand_alone(const struct dbg_module *module)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct dw_section abbrev;
	struct sp_err *err = file && file->dwarf ? dw_units_open(file) : NULL;
	bool alone = file && file->dwarf && !err && !file->units->has_split;

	sp_err_free(err);
	return alone && dw_file_section(file, ".debug_abbrev", &abbrev) && !dw_alone_has_refs(&abbrev);
}

const char *dbg_func_name(const struct dbg_func *func)
{
	return func->full_name ? func->full_name : func->name;
}

bool dbg_symbol_is_unique(const struct dbg_func *func)
{
	if (!func->symbol)
		return false;
	if (func->module->source == DBG_BTF)
		return btf_func_is_unique(dbg_btf(func->module), func->symbol) && !dbg_symbol_is_repeated(func->module, func->symbol);
	return dw_sym_is_unique(dbg_impl(func->module)->file, func->symbol);
}

struct sp_err *dbg_find_lines(struct dbg_module *module, const struct dbg_line_query *query, struct dbg_places *ret)
{
	struct dbg_func_query of = { .name = query->func, .file = query->file, .calls = true, .inlines = true };
	struct dbg_funcs funcs = { 0 };

	*ret = (struct dbg_places){ 0 };
	if (dbg_partial_of(module) && !partial_has_funcs(dbg_partial_of(module), &of))
		return dbg_twin(module) ? dbg_find_lines(dbg_twin(module), query, ret) : NULL;
	if (module->source != DBG_DWARF || (dbg_partial_of(module) && partial_is_brief(dbg_partial_of(module))))
		return NULL;
	SP_TRY(dbg_find_funcs(module, &of, &funcs));
	dw_place_lines(dbg_impl(module)->file, &funcs, query, ret);
	return NULL;
}

void dbg_func_lines(struct dbg_func *func, struct dbg_places *ret)
{
	*ret = (struct dbg_places){ 0 };
	if (func->module->source == DBG_DWARF)
		dw_place_lines(dbg_impl(func->module)->file, &(struct dbg_funcs){ &func, 1 },
			       &(struct dbg_line_query){ 0 }, ret);
}

void dbg_find_labels(struct dbg_func *func, const char *name, struct dbg_places *ret)
{
	*ret = (struct dbg_places){ 0 };
	if (func->module->source == DBG_DWARF)
		dw_place_labels(dbg_impl(func->module)->file, func, name, ret);
}

void dbg_find_stubs(struct dbg_module *module, const char *name, struct dbg_stubs *ret)
{
	*ret = (struct dbg_stubs){ 0 };
	if (!module->is_kernel && dbg_impl(module)->file)
		dw_plt_find(dbg_impl(module)->file, name, ret);
}

struct sp_err *dbg_find_callees(struct dbg_func *func, const struct dbg_func_query *query, struct dbg_callees *ret)
{
	*ret = (struct dbg_callees){ 0 };
	if (func->module->source != DBG_DWARF)
		return NULL;
	SP_TRY(dw_call_find(dbg_impl(func->module)->file, func, query, ret));
	for (unsigned i = 0; func->module->is_kernel && i < ret->n; i++)
		dbg_blacklist_mark(func->module, &(struct dbg_funcs){ &ret->v[i].func, 1 });
	return NULL;
}

const struct loc *dbg_called_from(struct dbg_func *func, uint64_t pc, const uint64_t *frames, unsigned n_frames,
				  const uint64_t *returns, unsigned n_returns, const char **why_ret)
{
	sp_cleanup_free uint64_t *pcs = sp_calloc(n_frames + 1, sizeof(*pcs));
	struct dw_cfi_chain chain = { .pcs = pcs, .n = n_frames + 1, .at_entry = pc == func->entry_pc && !func->is_inline };

	pcs[0] = pc;
	if (n_frames)
		memcpy(pcs + 1, frames, n_frames * sizeof(*pcs));
	return dw_cfi_called_from(dbg_impl(func->module)->file, &chain, returns, n_returns, why_ret);
}

struct dbg_func *dbg_entry_of(struct dbg_func *func, const char **why_ret)
{
	struct dbg_func *entered = dw_entry_of(func, why_ret);

	if (entered && func->module->is_kernel)
		dbg_blacklist_mark(func->module, &(struct dbg_funcs){ &entered, 1 });
	if (!entered || !entered->no_probe)
		return entered;
	*why_ret = "it was in a register when the function was entered, where no probe can be";
	return NULL;
}

uint64_t dbg_entry_probe_pc(const struct dbg_func *entered)
{
	return dw_entry_probe_pc(entered);
}

const struct loc *dbg_frame_at(struct dbg_func *func, uint64_t pc, const char **why_ret)
{
	return dw_entry_frame(func, pc, why_ret);
}

struct sp_err *dbg_place_at(struct dbg_module *module, uint64_t addr, struct dbg_place *ret, bool *found_ret)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct dbg_func *func = NULL;

	*found_ret = false;
	if (!file)
		return NULL;
	if (module->source == DBG_DWARF)
		func = dw_func_at(file, module, addr);
	if (func && file->partial && partial_is_brief(file->partial) && addr != func->entry_pc)
		func = NULL;
	if (!func && file->partial)
		return dbg_twin(module) ? dbg_place_at(dbg_twin(module), addr, ret, found_ret) : NULL;
	if (func && dbg_impl(module)->dbg->recording)
		dbg_record_func(func);
	if (!func)
		func = dbg_elf_func_at(module, addr);
	if (!func)
		return NULL;
	if (module->is_kernel)
		dbg_blacklist_mark(module, &(struct dbg_funcs){ &func, 1 });
	dw_place_fill(file, func, addr, ret);
	*found_ret = true;
	return NULL;
}

static void consider(void *ctx, const char *name)
{
	struct similar *similar = ctx;

	if (!sp_streq(name, similar->want))
		similar_try(similar, name);
}

void dbg_similar(struct dbg_module *module, enum dbg_named what, struct similar *similar)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct btf_file *btf = module->is_kernel && (what == DBG_NAMED_TYPE || module->source == DBG_BTF) ? dbg_btf(module) : NULL;

	if (file)
		dw_named(file, what, consider, similar);
	if (btf)
		btf_named(btf, what, consider, similar);
}

const char *dbg_did_you_mean(struct dbg_module *module, enum dbg_named what, const char *name, struct sp_arena *arena)
{
	struct similar similar;

	similar_init(&similar, name);
	dbg_similar(module, what, &similar);
	return similar.n ? sp_arena_printf(arena, "did you mean %s?", similar_text(&similar, arena)) : NULL;
}

void dbg_vars_wanted(struct dbg_func *func, uint64_t pc, const struct dbg_var_query *query, struct dbg_vars *ret)
{
	*ret = (struct dbg_vars){ 0 };
	if (!func->scope) // from the symbol table
		return;
	if (func->module->source == DBG_BTF)
		btf_func_params(func, query, ret);
	else
		dw_var_list(func, pc, query, ret);
}

struct sp_err *dbg_vars_at(struct dbg_func *func, uint64_t pc, struct dbg_vars *ret)
{
	static const struct dbg_var_query all;

	dbg_vars_wanted(func, pc, &all, ret);
	return NULL;
}

static bool is_name(void *ctx, const char *name)
{
	return sp_streq(name, ctx);
}

struct sp_err *dbg_var_named(struct dbg_func *func, uint64_t pc, const char *name, struct dbg_var *ret, bool *found_ret)
{
	const struct dbg_var_query by_name = { .wants = is_name, .ctx = (char *)name };
	const struct dbg_var *found = NULL;
	struct dbg_vars vars = { 0 };

	if (func->scope && func->module->source == DBG_BTF)
		btf_func_params(func, &by_name, &vars);
	else if (func->scope)
		found = dw_var_named(func, pc, name);
	if (vars.n)
		found = vars.v;
	*found_ret = found;
	if (found)
		*ret = *found;
	return NULL;
}

struct sp_err *dbg_global_var(struct dbg_module *module, const char *name, struct dbg_var *ret, bool *found_ret)
{
	struct dw_file *file = dbg_impl(module)->file;

	*found_ret = false;
	if (module->source == DBG_DWARF)
		SP_TRY(dw_var_global(file, name, false, ret, found_ret));
	if (module->source == DBG_DWARF && !*found_ret && strchr(name, '@') && !dbg_partial_of(module))
		SP_TRY(dw_var_global(file, name, true, ret, found_ret));
	// The first of several variables of a name need not be among those that are kept; their symbols are.
	if (!dbg_partial_of(module) || (*found_ret && (strchr(name, '@') || dw_sym_is_unique(file, name))))
		return NULL;
	*found_ret = false;
	return dbg_twin(module) ? dbg_global_var(dbg_twin(module), name, ret, found_ret) : NULL;
}

bool dbg_var_of_unit(struct dbg_func *func, const char *name, struct dbg_var *ret)
{
	return func->scope && func->module->source == DBG_DWARF && dw_var_in_unit(func, name, ret);
}

bool dbg_is_of_outer(struct dbg_func *func, const char *name)
{
	return func->scope && func->module->source == DBG_DWARF && dw_visible_is_outer(func->scope, name);
}

void dbg_vars_of_unit(struct dbg_func *func, struct dbg_vars *ret)
{
	*ret = (struct dbg_vars){ 0 };
	if (func->scope && func->module->source == DBG_DWARF)
		dw_var_of_unit(func, ret);
}

struct sp_err *dbg_return_at(struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret)
{
	*type_ret = NULL;
	*loc_ret = NULL;
	if (!func->scope)
		return NULL;
	if (func->module->source == DBG_BTF)
		btf_func_result(func, type_ret, loc_ret);
	else
		dw_callconv_result(func, type_ret, loc_ret);
	return NULL;
}

const char *dbg_folded_with(struct dbg_func *func)
{
	return func->scope && func->module->source == DBG_DWARF ? dw_folded_with(func) : NULL;
}

const char *dbg_copied_by_thunk(const struct dbg_func *func)
{
	return func->scope && func->module->source == DBG_DWARF ? dw_thunk_with_copy(func) : NULL;
}

// The definition of a type in another module.
static const struct c_type *complete_from(struct dbg_module *module, const struct c_type *type)
{
	const char *keyword = type->kind == C_STRUCT ? "struct" : type->kind == C_UNION ? "union" : "enum";
	struct sp_buf name = { 0 };
	const struct c_type *found = NULL;

	if (type->name) {
		sp_buf_printf(&name, "%s %s", keyword, type->name);
		found = c_type_strip(dbg_find_type(module, name.data));
	}
	sp_buf_deinit(&name);
	return found ? dbg_complete_type(found) : NULL;
}

const struct c_type *dbg_complete_type(const struct c_type *type)
{
	type = c_type_strip(type);
	if (!type || !type->module || (type->is_complete && !type->is_declaration))
		return type;
	struct dbg_loader *loader = type->module;
	const struct c_type *whole = loader->complete(loader, (struct c_type *)type);
	return whole || !loader->kernel ? whole : complete_from(loader->kernel, type);
}

struct sp_err *dbg_types_as_c(struct dbg_module *kernel, const char *text, struct sp_buf *ret)
{
	struct btf_file *btf = dbg_btf(kernel);

	if (!btf)
		return sp_err_new(SP_ERR_NOT_FOUND, "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)");
	return btf_c_dump(btf, text, ret);
}

bool dbg_btf_has_func(struct dbg_module *kernel, const char *symbol, unsigned *n_params_ret)
{
	struct btf_file *btf = dbg_btf(kernel);
	return btf && btf_func_is_known(btf, kernel->abi, symbol, n_params_ret);
}
