// SPDX-License-Identifier: GPL-2.0-or-later
// Functions by a name or a pattern, as people write them.
#include "compiler/debug/btf/btf.h"
#include "compiler/debug/dbg_blacklist.h"
#include "compiler/debug/dbg_elf_func.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_partial.h"
#include "compiler/debug/dbg_record.h"
#include "compiler/debug/dwarf/dw_func.h"
#include "compiler/debug/overload.h"
#include "compiler/debug/spelling.h"

#include "runtime/base/cleanup.h"

// "gen" is "gen<int>" and "gen<char>", where no function has that name itself.
static struct sp_err *find_instances(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct dbg_func_query instances = *query;
	SP_VEC(struct dbg_func *) all = { 0 };

	for (unsigned i = 0; spelling_instances(query->name, i, &name); i++) {
		struct dbg_funcs found = { 0 };

		instances.name = sp_buf_str(&name);
		SP_TRY(dw_func_find(dbg_impl(module)->file, module, &instances, &found));
		for (unsigned k = 0; k < found.n; k++)
			if (spelling_is_instance(query->name, dbg_func_name(found.v[k])))
				sp_vec_push(&all, found.v[k]);
	}
	ret->v = sp_arena_memdup(&dbg_impl(module)->dbg->arena, all.v, all.n * sizeof(*all.v));
	ret->n = (unsigned)all.n;
	sp_vec_deinit(&all);
	return NULL;
}

// "Box<long>::grow" is "Box<long int>::grow" in what gcc has written.
static struct sp_err *find_by_spellings(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct dbg_func_query spelled = *query;

	SP_TRY(dw_func_find(dbg_impl(module)->file, module, query, ret));
	for (enum spelling i = 0; !ret->n && i < SPELLING_COUNT; i++) {
		if (!spelling_template(query->name, i, &name))
			continue;
		spelled.name = sp_buf_str(&name);
		SP_TRY(dw_func_find(dbg_impl(module)->file, module, &spelled, ret));
	}
	return ret->n || module->is_kernel ? NULL : find_instances(module, query, ret);
}

static struct sp_err *find_funcs(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret);

// "op(int)": those of the functions "op" that have these parameters.
static struct sp_err *find_overloads(struct dbg_module *module, const struct dbg_func_query *query, const char *params,
				     struct dbg_funcs *ret)
{
	sp_cleanup_free char *name = sp_strndup(query->name, (size_t)(params - query->name));
	struct dbg_func_query all = *query;
	struct dbg_funcs funcs = { 0 };

	all.name = name;
	all.once = false; // one of each overload, not of the name
	SP_TRY(find_funcs(module, &all, &funcs));
	overload_keep(params, &funcs);
	*ret = funcs;
	return NULL;
}

struct sp_err *dbg_find_funcs(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret)
{
	const char *params = module->is_kernel ? NULL : overload_params(query->name);
	const struct partial *partial = dbg_partial_of(module);

	*ret = (struct dbg_funcs){ 0 };
	if (partial && !partial_has_funcs(partial, query))
		return dbg_twin(module) ? dbg_find_funcs(dbg_twin(module), query, ret) : NULL;
	if (dbg_impl(module)->dbg->recording)
		SP_TRY(dbg_record_funcs(module, query));
	SP_TRY(params ? find_overloads(module, query, params, ret) : find_funcs(module, query, ret));
	// "memcpy@GLIBC_2.14" is written as "f@file.c" is.
	if (!ret->n && query->file && !query->line && query->calls && !module->is_kernel)
		dbg_elf_func_add_version(module, query->name, query->file, ret);
	return NULL;
}

void dbg_func_versions(struct dbg_module *module, const char *name, struct sp_buf *ret)
{
	dbg_elf_func_versions(module, name, ret);
}

static struct sp_err *find_as_written(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret)
{
	const struct dbg *dbg = dbg_impl(module)->dbg;
	struct dbg_funcs funcs = { 0 };

	// What is not divided into units belongs to the first share.
	if (module->source != DBG_DWARF && dbg->n_shares && dbg->share)
		return NULL;
	switch (module->source) {
	case DBG_DWARF:
		SP_TRY(find_by_spellings(module, query, &funcs));
		// A program may have objects that were compiled without -g, and symbols such as "f.cold".
		if (module->is_kernel ? funcs.n == 0 && !sp_has_glob(query->name) : !dbg->first_units && (!dbg->n_shares || dbg->share == 0))
			dbg_elf_func_add(module, query, funcs.n != 0 || dbg->n_shares, &funcs);
		break;
	case DBG_BTF:
		btf_func_find(dbg_btf(module), module, query, &funcs);
		if (module->is_kernel)
			dbg_symbol_spread(module, &funcs);
		if (!funcs.n && dbg_impl(module)->file)
			dbg_elf_func_add(module, query, false, &funcs);
		break;
	case DBG_SYMTAB:
		dbg_elf_func_add(module, query, false, &funcs);
		break;
	}
	if (module->is_kernel)
		dbg_blacklist_mark(module, &funcs);
	*ret = funcs;
	return NULL;
}

// A star may be a pointer, "Box<int*>::grow", and is a wildcard where nothing has that name. Of a share, others may have it: who wants
// all asks again without shares when none has.
static struct sp_err *find_funcs(struct dbg_module *module, const struct dbg_func_query *query, struct dbg_funcs *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf name = { 0 };
	struct dbg_func_query literal = *query;

	if (!module->is_kernel && spelling_pointers(query->name, &name)) {
		literal.name = sp_buf_str(&name);
		SP_TRY(find_as_written(module, &literal, ret));
		if (ret->n || dbg_impl(module)->dbg->n_shares)
			return NULL;
	}
	return find_as_written(module, query, ret);
}
