// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/btf/btf.h"

#include "compiler/debug/dwarf/dw_loc.h"

#include "runtime/base/arena.h"

#include <bpf/btf.h>
#include <stdlib.h>

// What dbg_func.scope points to, when it comes from BTF.
struct btf_scope {
	struct btf_file *file;
	uint32_t proto; // id of the function's prototype
};

// The prototype of a BTF function; NULL: broken.
static const struct btf_type *proto_of(const struct btf *btf, uint32_t func, uint32_t *id_ret)
{
	const struct btf_type *raw = btf__type_by_id(btf, func);
	const struct btf_type *proto = raw ? btf__type_by_id(btf, raw->type) : NULL;

	if (!proto || !btf_is_func_proto(proto))
		return NULL;
	*id_ret = raw->type;
	return proto;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct dbg_func *const *)a)->name, (*(struct dbg_func *const *)b)->name);
}

struct dbg_func *btf_func_at(struct btf_file *file, struct dbg_module *module, uint32_t id)
{
	const struct btf *btf = btf_file_raw(file);
	struct sp_arena *arena = btf_file_arena(file);
	const struct btf_type *raw = btf__type_by_id(btf, id);
	const char *name = raw && btf_is_func(raw) ? btf_file_text(btf, raw->name_off) : "";
	struct btf_scope *scope;
	struct dbg_func *ret;
	uint32_t proto;

	if (!*name || !proto_of(btf, id, &proto))
		return NULL;
	scope = sp_arena_new(arena, struct btf_scope);
	*scope = (struct btf_scope){ .file = file, .proto = proto };
	ret = sp_arena_new(arena, struct dbg_func);
	*ret = (struct dbg_func){
		.module = module,
		.name = name,
		.linkage_name = name,
		.symbol = name,
		.is_external = btf_vlen(raw) != BTF_FUNC_STATIC, // vlen holds the linkage
		.scope = scope,
	};
	return ret;
}

void btf_func_find(struct btf_file *file, struct dbg_module *module, const struct dbg_func_query *query,
		   struct dbg_funcs *ret)
{
	struct btf *btf = btf_file_raw(file);
	struct sp_arena *arena = btf_file_arena(file);
	SP_VEC(struct dbg_func *) found = { 0 };

	// Files and lines are not in BTF, nor are inlined instances.
	for (uint32_t id = btf_file_first(file); query->calls && !query->file && !query->line && id < btf__type_cnt(btf); id++) {
		const struct btf_type *raw = btf__type_by_id(btf, id);
		const char *name = btf_is_func(raw) ? btf_file_text(btf, raw->name_off) : "";
		struct dbg_func *func = *name && sp_glob_match(query->name, name) ? btf_func_at(file, module, id) : NULL;

		if (func)
			sp_vec_push(&found, func);
	}
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_name);
	ret->v = sp_arena_memdup(arena, found.v, found.n * sizeof(*found.v));
	ret->n = found.n;
	sp_vec_deinit(&found);
}

bool btf_func_is_unique(struct btf_file *file, const char *name)
{
	struct btf *btf = btf_file_raw(file);
	unsigned n = 0;

	for (uint32_t id = btf_file_first(file); id < btf__type_cnt(btf); id++) {
		const struct btf_type *raw = btf__type_by_id(btf, id);
		n += btf_is_func(raw) && sp_streq(btf_file_text(btf, raw->name_off), name);
	}
	return n == 1;
}

static bool is_sort(const struct btf_type *raw, enum dbg_named what)
{
	switch (what) {
	case DBG_NAMED_FUNC: return btf_is_func(raw);
	case DBG_NAMED_VAR: return btf_is_var(raw);
	case DBG_NAMED_TYPE: return btf_is_composite(raw) || btf_is_any_enum(raw) || btf_is_typedef(raw) || btf_is_int(raw);
	}
	return false;
}

void btf_named(struct btf_file *file, enum dbg_named what, void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct btf *btf = btf_file_raw(file);

	for (uint32_t id = btf_file_first(file); id < btf__type_cnt(btf); id++) {
		const struct btf_type *raw = btf__type_by_id(btf, id);
		const char *name = is_sort(raw, what) ? btf_file_text(btf, raw->name_off) : "";
		if (*name)
			fn(ctx, name);
	}
}

// How many integer argument registers a parameter takes; -1: its type does not tell.
static int arg_registers(const struct c_type *type)
{
	type = c_type_strip(type);
	if (c_type_is_scalar(type))
		return 1;
	if (!type || type->size > 16)
		return -1;
	if (type->kind == C_INT)
		return 2;
	return type->kind == C_FLOAT ? 0 : -1;
}

void btf_func_params(const struct dbg_func *func, const struct dbg_var_query *query, struct dbg_vars *ret)
{
	const struct btf_scope *scope = func->scope;
	const struct abi *abi = func->module->abi;
	struct sp_arena *arena = btf_file_arena(scope->file);
	const struct c_type *proto = dbg_complete_type(btf_type_of(scope->file, scope->proto));
	int next = 0; // number of the next free integer argument register; -1: no longer known

	*ret = (struct dbg_vars){ 0 };
	if (!proto)
		return;
	ret->v = sp_arena_array(arena, struct dbg_var, proto->n_members);
	for (unsigned i = 0; i < proto->n_members; i++) {
		const struct c_member *param = &proto->members[i];
		int n = arg_registers(param->type);
		struct dbg_var var = { .name = param->name, .type = param->type, .is_param = true, .param_index = i };
		if (n == 1 && next >= 0 && next < (int)abi->n_args) {
			var.loc = dw_loc_reg(arena, abi->kernel_args[next]);
			var.in_entry_args = next == (int)i;
		} else if (n == 1 && next >= 0) {
			var.why_not = "is passed on the stack, which BTF does not describe";
		} else {
			var.why_not = "BTF does not say where it is passed";
		}
		next = n < 0 || next < 0 ? -1 : next + n;
		if (!query->wants || (var.name && query->wants(query->ctx, var.name)))
			ret->v[ret->n++] = var;
	}
}

void btf_func_result(const struct dbg_func *func, const struct c_type **type_ret, const struct loc **loc_ret)
{
	const struct btf_scope *scope = func->scope;
	const struct c_type *proto = btf_type_of(scope->file, scope->proto);

	*type_ret = proto ? proto->target : NULL;
	*loc_ret = NULL;
	if (c_type_is_scalar(*type_ret))
		*loc_ret = dw_loc_reg(btf_file_arena(scope->file), func->module->abi->return_dwarf);
}

bool btf_func_is_known(struct btf_file *file, const struct abi *abi, const char *name, unsigned *n_params_ret)
{
	struct btf *btf = btf_file_raw(file);
	const struct btf_type *found = NULL;

	for (uint32_t id = 0; (id = btf_file_next_named(file, name, id));) {
		uint32_t proto;
		if (!btf_is_func(btf__type_by_id(btf, id)))
			continue;
		if (found || !(found = proto_of(btf, id, &proto)))
			return false;
	}
	if (!found || btf_vlen(found) > abi->n_args)
		return false;
	for (unsigned i = 0; i < btf_vlen(found); i++)
		if (!c_type_is_scalar(btf_type_of(file, btf_params(found)[i].type)))
			return false;
	// A result that is not a scalar is refused by the verifier, or shifts the arguments.
	const struct c_type *result = btf_type_of(file, found->type);
	if (c_type_strip(result) && !c_type_is_scalar(result))
		return false;
	*n_params_ret = btf_vlen(found);
	return true;
}
