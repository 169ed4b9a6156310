// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_call.h"

#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_copies.h"
#include "compiler/debug/dwarf/dw_family.h"
#include "compiler/debug/dwarf/dw_func.h"
#include "compiler/debug/dwarf/dw_line.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of lexical blocks
#define MAX_ORIGINS 8

// A function that is called, as the DIE that the calls refer to.
struct target {
	Dwarf_Die die;
	SP_VEC(uint64_t) returns; // addresses in the caller that the calls return to; none when it is inlined
	bool is_inlined; // `die` is an inlined instance
};

struct caller {
	struct dw_file *file;
	struct dbg_func *func;
	const struct dbg_func_query *query; // name, file
	SP_VEC(struct target) targets;
	struct dbg_callees *ret;
	SP_VEC(struct dbg_callee) found;
};

// ---- calls in the caller's tree --------------------------------------------------------------------------------------

static bool is_block(unsigned tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static bool origin_of(Dwarf_Die *call, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return (dwarf_attr(call, DW_AT_call_origin, &attr) || dwarf_attr(call, DW_AT_abstract_origin, &attr)) &&
	       dwarf_formref_die(&attr, ret);
}

static bool return_pc(Dwarf_Die *call, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Addr pc;

	if (dwarf_attr(call, DW_AT_call_return_pc, &attr) ? dwarf_formaddr(&attr, &pc) : dwarf_lowpc(call, &pc))
		return false;
	*ret = pc;
	return true;
}

static void add_call(struct caller *c, Dwarf_Die *call)
{
	Dwarf_Die origin;
	uint64_t pc;

	c->ret->n_calls++;
	if (!origin_of(call, &origin)) {
		c->ret->n_indirect++;
		return;
	}
	if (!*dw_attr_name(&origin) || !sp_glob_match(c->query->name, dw_attr_name(&origin)))
		return;
	// A tail call is a jump: the callee returns to the caller's caller, and looks as if that had called it.
	if (dwarf_hasattr(call, DW_AT_call_tail_call) || dwarf_hasattr(call, DW_AT_GNU_tail_call) || !return_pc(call, &pc)) {
		c->ret->n_tail++;
		return;
	}
	sp_vec_each(target, &c->targets) {
		if (target->is_inlined || target->die.addr != origin.addr)
			continue;
		sp_vec_push(&target->returns, pc);
		return;
	}
	sp_vec_push(&c->targets, (struct target){ .die = origin });
	sp_vec_push(&sp_vec_last(&c->targets).returns, pc);
}

static void walk(struct caller *c, Dwarf_Die *scope, int depth)
{
	struct dw_scope *outer = c->func->scope;
	Dwarf_Die child, origin;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);
		bool is_inlined = tag == DW_TAG_inlined_subroutine;
		if ((is_block(tag) || (is_inlined && dw_family_is_part(c->file, &child, &outer->die))) && depth < MAX_DEPTH)
			walk(c, &child, depth + 1);
		else if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
			add_call(c, &child);
		else if (is_inlined && origin_of(&child, &origin) && *dw_attr_name(&origin) &&
			 sp_glob_match(c->query->name, dw_attr_name(&origin)))
			sp_vec_push(&c->targets, ((struct target){ .die = child, .is_inlined = true }));
	}
}

// ---- functions that are called ---------------------------------------------------------------------------------------

static bool follow(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if ((!dwarf_attr(die, DW_AT_abstract_origin, &attr) && !dwarf_attr(die, DW_AT_specification, &attr)) ||
	    !dwarf_formref_die(&attr, &origin))
		return false;
	*die = origin;
	return true;
}

// Is `die` the function that a call names by the DIE `origin`? That can be the function's own DIE, or its abstract origin or
// declaration. (is_declared_as() compares with the declaration in another unit.)
static bool is_same(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Die at = *die;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		if (at.addr == origin->addr)
			return true;
		if (!follow(&at))
			break;
	}
	return false;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));

	return name ? name : dw_attr_name(die);
}

static bool is_declared_as(const struct dbg_func *func, Dwarf_Die *origin)
{
	return func->is_external && dwarf_hasattr(origin, DW_AT_declaration) &&
	       (sp_streq(func->linkage_name, linkage_name(origin)) || sp_streq(func->symbol, linkage_name(origin)));
}

static void add_callee(struct caller *c, struct dbg_func *func, const struct target *target)
{
	if (c->query->file && (!func->file || !dw_line_match(func->file, c->query->file)))
		return;
	sp_vec_push(&c->found, ((struct dbg_callee){
		.func = func,
		.returns = sp_arena_memdup(&c->file->arena, target->returns.v, target->returns.n * sizeof(uint64_t)),
		.n_returns = (unsigned)target->returns.n,
	}));
}

static void add_inlined(struct caller *c, struct target *target)
{
	struct dbg_func *instance = dw_scope_instance(c->func, &target->die);
	struct dw_copies copies = { 0 };

	if (!instance)
		return;
	if (c->query->is_probed)
		dw_copies_read(&c->file->arena, instance, &copies);
	add_callee(c, instance, target);
	sp_vec_each(copy, &copies.list)
		add_callee(c, *copy, target);
	sp_vec_deinit(&copies.list);
}

// The functions of that name, which are searched for once: many call kfree().
static struct sp_err *find_named(struct caller *c, const char *name, const struct dbg_funcs **ret)
{
	const struct dbg_func_query query = { .name = name, .calls = true, .in_all_units = true };
	const struct dbg_funcs *known = sp_hash_get(&c->file->callees, name);
	struct dbg_funcs found = { 0 };

	if (!known) {
		SP_TRY(dbg_find_funcs(c->func->module, &query, &found));
		known = sp_arena_memdup(&c->file->arena, &found, sizeof(found));
		sp_hash_set(&c->file->callees, name, (void *)known);
	}
	*ret = known;
	return NULL;
}

static struct sp_err *find_target(struct caller *c, struct target *target)
{
	const struct dbg_funcs *funcs;

	if (target->is_inlined) {
		add_inlined(c, target);
		return NULL;
	}
	SP_TRY(find_named(c, dw_attr_name(&target->die), &funcs));
	for (unsigned i = 0; i < funcs->n; i++) {
		struct dw_scope *scope = funcs->v[i]->scope;
		if (scope ? is_same(&scope->die, &target->die) || is_declared_as(funcs->v[i], &target->die) :
			    dwarf_hasattr(&target->die, DW_AT_declaration) != 0)
			add_callee(c, funcs->v[i], target);
	}
	return NULL;
}

struct sp_err *dw_call_find(struct dw_file *file, struct dbg_func *func, const struct dbg_func_query *query,
			    struct dbg_callees *ret)
{
	struct caller c = { .file = file, .func = func, .query = query, .ret = ret };
	struct dw_scope *scope = func->scope;
	struct sp_err *err = NULL;

	*ret = (struct dbg_callees){ 0 };
	if (scope)
		walk(&c, &scope->die, 0);
	sp_vec_each(target, &c.targets) {
		if (!err)
			err = find_target(&c, target);
		sp_vec_deinit(&target->returns);
	}
	ret->v = sp_arena_memdup(&file->arena, c.found.v, c.found.n * sizeof(*c.found.v));
	ret->n = (unsigned)c.found.n;
	sp_vec_deinit(&c.found);
	sp_vec_deinit(&c.targets);
	return err;
}
