// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem
#include "compiler/debug/dwarf/dw_walk.h"

#include "compiler/debug/dbg_blacklist.h"
#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_copies.h"
#include "compiler/debug/dwarf/dw_destructor.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of scopes: inlining nests some twenty deep
#define FORGET_BYTES (16u << 20) // of units that have been walked
#define MAX_SEARCHED 16 // inline functions whose instances are looked for in the bytes of functions
// A share (dbg_take_share) is every n-th run of this many units of a kernel. Neighbouring units come from one folder of sources and
// are of similar size; spread like that, all shares take about the same time. Programs have fewer units, which are larger.
#define RUN_OF_SHARE 8

void dw_walk_deinit(struct dw_finder *finder)
{
	free(finder->scope);
	sp_vec_deinit(&finder->found);
	sp_vec_deinit(&finder->by_name);
	sp_hash_deinit(&finder->names);
	sp_vec_deinit(&finder->abstract);
	sp_vec_deinit(&finder->covered);
	sp_vec_deinit(&finder->matches);
	sp_vec_deinit(&finder->bodies);
	sp_vec_deinit(&finder->origins);
	sp_vec_deinit(&finder->visited);
}

static bool line_fits(struct dw_finder *finder, Dwarf_Die *die, const struct dbg_func *func)
{
	const struct dbg_func_query *query = finder->query;
	Dwarf_Addr base, low, high;

	if (query->line == 0 || query->line == func->line)
		return true;
	if (query->line < func->line)
		return false;
	for (ptrdiff_t off = 0; (off = dwarf_ranges(die, off, &base, &low, &high)) > 0;)
		if (dw_line_covers(finder->file, &finder->d.unit, query->file, query->line, low, high))
			return true;
	return false;
}

static void note_covered(struct dw_finder *finder, Dwarf_Die *die, struct dbg_func *func)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!dwarf_attr(die, DW_AT_abstract_origin, &attr) || !dwarf_formref_die(&attr, &origin))
		return;
	if (func->module->is_kernel)
		dbg_blacklist_mark(func->module, &(struct dbg_funcs){ &func, 1 });
	if (!func->no_probe)
		sp_vec_push(&finder->covered, dwarf_dieoffset(&origin));
}

static bool name_fits(struct dw_finder *finder, Dwarf_Die *die)
{
	const char *name = dw_attr_name(die);

	if (finder->alias)
		return *name;
	if (!*name || !sp_glob_match(finder->last_name, name))
		return false;
	return !finder->is_qualified || dw_qualify_fits(finder->file, finder->query->name, finder->scope, die);
}

// Does the caller leave out this inline function? It is asked once in each search.
static bool is_skipped(struct dw_finder *finder, struct dw_family *family)
{
	const struct dbg_func_query *query = finder->query;

	if (!query->skips || !*family->func->name)
		return false;
	if (family->asked_in != finder->file->n_searches) {
		family->asked_in = finder->file->n_searches;
		family->is_skipped = query->skips(query->skips_ctx, family->func);
	}
	return family->is_skipped;
}

// The family of the inline function that an instance's DIE belongs to; NULL: not known.
static struct dw_family *family_of(struct dw_finder *finder, Dwarf_Die *die)
{
	Dwarf_Die origin;

	if (!dw_family_origin(die, &origin))
		return NULL;
	if (origin.addr == finder->origin)
		return finder->family;
	finder->origin = origin.addr;
	finder->family = dw_scope_family(&finder->d, &origin);
	finder->origin_matches = name_fits(finder, &origin) && !is_skipped(finder, finder->family);
	return finder->family;
}

// Where the index in `found` of the inlined instances of that name is kept.
static size_t *place_of_name(struct dw_finder *finder, struct dw_family *family, const struct dbg_func *func)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };

	if (family->named_in == finder->file->n_searches)
		return &finder->by_name.v[family->name];
	sp_buf_printf(&key, "%s@%s:%u", func->full_name, func->file ? func->file : "", func->line);
	void **number = sp_hash_insert(&finder->names, key.data, key.len);
	if (!*number) {
		sp_vec_push(&finder->by_name, 0);
		*number = (void *)finder->by_name.n;
	}
	family->named_in = finder->file->n_searches;
	family->name = (size_t)*number - 1;
	return &finder->by_name.v[(size_t)*number - 1];
}

static void keep(struct dw_finder *finder, Dwarf_Die *die, Dwarf_Die *function, struct dw_family *family, struct dbg_func *func)
{
	bool is_once = finder->query->once && !finder->file->is_kernel;
	size_t *place = is_once && family ? place_of_name(finder, family, func) : NULL;

	if (place && *place && finder->found.v[*place - 1]->entry_pc <= func->entry_pc)
		return;
	struct dbg_func *made = dw_scope_make(&finder->d, die, function, func);
	if (place && *place) {
		finder->found.v[*place - 1] = made;
	} else {
		sp_vec_push(&finder->found, made);
		if (place)
			*place = finder->found.n;
	}
	if (finder->query->once)
		note_covered(finder, die, made);
}

// Keeps the copies of the instance that was kept last.
static void keep_copies(struct dw_finder *finder)
{
	struct dw_copies copies = { 0 };

	dw_copies_read(finder->d.arena, sp_vec_last(&finder->found), &copies);
	sp_vec_each(copy, &copies.list)
		sp_vec_push(&finder->found, *copy);
	sp_vec_deinit(&copies.list);
}

static bool file_fits(const struct dbg_func_query *query, const struct dbg_func *func)
{
	return !query->file || (func->file && dw_line_match(func->file, query->file));
}

// Is an instance of the destructor inlined into its function itself?
static bool has_instance_of(struct dw_finder *finder, Dwarf_Die *scope, const char *destructor, int depth)
{
	struct dw_family *family;
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);

		if (tag == DW_TAG_lexical_block && depth < MAX_DEPTH && has_instance_of(finder, &child, destructor, depth + 1))
			return true;
		if (tag == DW_TAG_inlined_subroutine && (family = family_of(finder, &child)) && sp_streq(family->func->full_name, destructor))
			return true;
	}
	return false;
}

// The symbol of a destructor, or that of which it is an inlined instance. clang tells both, gcc only that of functions.
static const char *symbol_of(struct dw_finder *finder, Dwarf_Die *die, Dwarf_Die *function, struct dbg_func *func)
{
	Dwarf_Attribute attr;
	const char *ret;

	if (die->addr != function->addr)
		return (ret = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))) ? ret : "";
	if (!dw_scope_code(&finder->d, function, function, func))
		return "";
	dw_scope_fill_symbol(finder->file, func);
	return func->symbol && !func->symbol_off ? func->symbol : "";
}

// A destructor that leaves its work to another function of it is found as that one alone; with that one inlined, it is the one that is found.
static bool is_found_as_other(struct dw_finder *finder, struct dbg_func *func, Dwarf_Die *function, Dwarf_Die *caller)
{
	struct dw_scope scope = { .unit = finder->d.unit };
	struct dbg_func outer = *func;
	bool is_gcc;

	if (func->name[0] != '~' || finder->alias)
		return false;
	is_gcc = dw_scope_is_of_gcc(&scope);
	if (!caller)
		return dw_destructor_calls_other(finder->file, symbol_of(finder, function, function, &outer), is_gcc) &&
		       !has_instance_of(finder, function, func->full_name, 0);
	outer = dw_scope_declared(&finder->d, caller);
	return outer.name && sp_streq(outer.full_name, func->full_name) &&
	       dw_destructor_holds_other(symbol_of(finder, caller, function, &outer), is_gcc);
}

// Adds a function, or what is inlined into `caller`, which is `function` or inlined into it; NULL: it is a function.
static void add(struct dw_finder *finder, Dwarf_Die *die, Dwarf_Die *function, Dwarf_Die *caller)
{
	const struct dbg_func_query *query = finder->query;
	struct dw_family *family = caller ? family_of(finder, die) : NULL;
	struct dbg_func func = family ? *family->func : dw_scope_declared(&finder->d, die);

	func.is_inline = caller;
	func.caller = caller ? dw_attr_name(caller) : NULL;
	if (!func.name || (func.file && !file_fits(query, &func)) || !dw_scope_code(&finder->d, die, function, &func))
		return;
	if (!file_fits(query, &func) || !line_fits(finder, die, &func))
		return;
	if (finder->alias && (func.entry_pc != finder->alias || caller))
		return;
	if (is_found_as_other(finder, &func, function, caller))
		return;
	keep(finder, die, function, family, &func);
	if (caller && query->is_probed)
		keep_copies(finder);
}

static void walk_scope(struct dw_finder *finder, Dwarf_Die *scope, int depth);
static void walk_function(struct dw_finder *finder, Dwarf_Die *function, int depth);

// Can the tree of a DIE, up to its next sibling, have an instance of an inline function that matches?
static bool may_have_instance(const struct dw_finder *finder, const Dwarf_Die *die, const Dwarf_Die *next)
{
	Dwarf_Off start = dwarf_dieoffset((Dwarf_Die *)&finder->d.unit) - dwarf_cuoffset((Dwarf_Die *)&finder->d.unit);

	bool in_kernel = finder->file->is_kernel;
	const Dwarf_Off *offs = in_kernel ? finder->abstract.v : finder->origins.v;
	size_t n = in_kernel ? finder->abstract.n : finder->origins.n;

	if (!finder->is_searched || next->addr < die->addr)
		return true;
	for (size_t i = in_kernel ? finder->first_abstract : 0; i < n; i++) {
		uint32_t ref = (uint32_t)(offs[i] - start);
		if (memmem(die->addr, (char *)next->addr - (char *)die->addr, &ref, sizeof(ref)))
			return true;
	}
	return false;
}

// Looks into a function for what is inlined there, for functions in it, and for the methods of its local classes (a lambda is one).
static void walk_body(struct dw_finder *finder, Dwarf_Die *scope, Dwarf_Die *function, Dwarf_Die *caller, int depth)
{
	struct dw_family *family;
	Dwarf_Die child, next;
	int has_next;

	if (depth > MAX_DEPTH)
		return;
	for (int status = dwarf_child(scope, &child); status == 0; status = has_next, child = next) {
		has_next = dwarf_siblingof(&child, &next);
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
			if (has_next == 0 && !may_have_instance(finder, &child, &next))
				break;
			family = family_of(finder, &child);
			if (finder->query->inlines && family && finder->origin_matches && !dw_family_is_part(finder->file, &child, caller))
				add(finder, &child, function, caller);
			walk_body(finder, &child, function, &child, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (has_next != 0 || may_have_instance(finder, &child, &next))
				walk_body(finder, &child, function, caller, depth + 1);
			break;
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
			if (!finder->is_flat && depth < MAX_DEPTH)
				walk_scope(finder, &child, depth + 1);
			break;
		case DW_TAG_subprogram: // of Ada, Fortran, gcc's C
			if (dw_range_has(&child) && depth < MAX_DEPTH)
				walk_function(finder, &child, depth + 1);
			break;
		default:
			break;
		}
	}
}

// Can the code of a function, or instances of it, be described elsewhere? Link-time optimisation describes the code of functions in
// units of its own, which refer to those of the sources; of a destructor to one that itself refers to an abstract one. Of classes that
// dwz has moved to partial units, the methods' definitions do so.
static bool is_abstract(const struct dw_finder *finder, Dwarf_Die *function)
{
	return finder->is_partial || dwarf_hasattr(function, DW_AT_inline) ||
	       (!finder->file->is_kernel && !dwarf_hasattr(function, DW_AT_declaration));
}

// Takes a function that matches: one with code is found; of an abstract one the instances are still to be found.
static void take_function(struct dw_finder *finder, Dwarf_Die *function)
{
	bool has_code = dw_range_has(function);

	if (!name_fits(finder, function))
		return;
	if (finder->needles)
		sp_vec_push(&finder->origins, dwarf_dieoffset(function));
	if (has_code && finder->query->calls)
		add(finder, function, function, NULL);
	if (!has_code && is_abstract(finder, function))
		sp_vec_push(&finder->abstract, dwarf_dieoffset(function));
}

// Can the bytes of the function hold the name that is looked for?
static bool may_hold_name(const struct dw_finder *finder, Dwarf_Die *function)
{
	Dwarf_Die next;

	return dwarf_siblingof(function, &next) != 0 || next.addr <= function->addr ||
	       dw_needles_are_in(finder->needles, function->addr, next.addr);
}

// Takes a function of a scope, and what is in it: of one without code the methods of local classes, which instances elsewhere may name.
static void walk_function(struct dw_finder *finder, Dwarf_Die *function, int depth)
{
	bool has_code = dw_range_has(function);

	take_function(finder, function);
	if (has_code ? !finder->query->inlines && finder->is_flat && (!finder->needles || !may_hold_name(finder, function))
		     : finder->is_flat || !finder->needles || !may_hold_name(finder, function))
		return;
	if (finder->puts_off && has_code)
		sp_vec_push(&finder->bodies, *function);
	else
		walk_body(finder, function, function, function, depth);
}

static void walk_scope(struct dw_finder *finder, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	for (int status = dwarf_child(scope, &child); status == 0; status = dwarf_siblingof(&child, &child)) {
		unsigned tag = dwarf_tag(&child);
		bool is_class = tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
		if ((tag == DW_TAG_namespace || tag == DW_TAG_module || (is_class && finder->is_partial)) && depth < MAX_DEPTH)
			walk_scope(finder, &child, depth + 1);
		if (tag == DW_TAG_subprogram)
			walk_function(finder, &child, depth);
	}
}

bool dw_walk_has_plain_origins(Dwarf_Die *unit)
{
	size_t length;

	for (Dwarf_Off off = 0;; off += length) {
		Dwarf_Abbrev *abbrev = dwarf_getabbrev(unit, off, &length);
		if (abbrev == DWARF_END_ABBREV)
			return true;
		if (!abbrev)
			return false;
		unsigned tag = dwarf_getabbrevtag(abbrev), name, form;
		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
			continue;
		// Not up to dwarf_getattrcnt(), which miscounts attributes with DW_FORM_implicit_const.
		for (size_t i = 0; dwarf_getabbrevattr(abbrev, i, &name, &form, NULL) == 0; i++)
			if ((name == DW_AT_abstract_origin || name == DW_AT_specification) && form != DW_FORM_ref4)
				return false;
	}
}

static int by_offset(const void *a, const void *b)
{
	Dwarf_Off x = *(const Dwarf_Off *)a, y = *(const Dwarf_Off *)b;

	return (x > y) - (x < y);
}

static void forget_covered(struct dw_finder *finder)
{
	size_t n = finder->first_abstract, size = sizeof(*finder->covered.v);

	if (!finder->covered.n)
		return;
	qsort(finder->covered.v, finder->covered.n, size, by_offset);
	for (size_t i = n; i < finder->abstract.n; i++)
		if (!bsearch(&finder->abstract.v[i], finder->covered.v, finder->covered.n, size, by_offset))
			finder->abstract.v[n++] = finder->abstract.v[i];
	finder->abstract.n = n;
	finder->covered.n = 0;
}

// Walks the functions of a kernel's unit for inlined instances. In C without link-time optimisation an inline function is described
// in every unit that inlines it, so each instance refers to a DIE of its own unit; a function whose bytes hold none of the few
// references that are looked for need not be read.
static void walk_bodies(struct dw_finder *finder)
{
	bool has_alt = finder->file->alt.elf;

	forget_covered(finder);
	size_t n_abstract = finder->abstract.n - finder->first_abstract;

	if (!n_abstract && !has_alt)
		return;
	finder->is_searched = !has_alt && n_abstract <= MAX_SEARCHED && dw_walk_has_plain_origins(&finder->d.unit);
	sp_vec_each(body, &finder->bodies) {
		Dwarf_Die next;
		if (dwarf_siblingof(body, &next) == 0 && !may_have_instance(finder, body, &next))
			continue;
		walk_body(finder, body, body, body, 0);
		forget_covered(finder);
		if (finder->abstract.n == finder->first_abstract && !has_alt)
			break;
	}
	finder->is_searched = false;
}

// Walks those functions of a program's unit whose bytes can hold what is looked for: first where the name is, which may be that of a
// method of a local class, then where an instance refers to one of the functions that are known now.
static void search_bodies(struct dw_finder *finder)
{
	size_t n = 0;

	sp_vec_each(body, &finder->bodies) {
		if (may_hold_name(finder, body))
			walk_body(finder, body, body, body, 0);
		else
			finder->bodies.v[n++] = *body;
	}
	finder->bodies.n = n;
	finder->is_searched = finder->origins.n <= MAX_SEARCHED && dw_walk_has_plain_origins(&finder->d.unit);
	if (finder->is_searched && !finder->origins.n)
		finder->bodies.n = 0;
	sp_vec_each(body, &finder->bodies) {
		Dwarf_Die next;
		if (dwarf_siblingof(body, &next) != 0 || may_have_instance(finder, body, &next))
			walk_body(finder, body, body, body, 0);
	}
	finder->is_searched = false;
}

// Walks the functions of a unit that were put off, and those in them.
static void walk_put_off(struct dw_finder *finder)
{
	if (!finder->puts_off)
		return;
	finder->puts_off = false;
	if (finder->file->is_kernel)
		walk_bodies(finder);
	else
		search_bodies(finder);
}

bool dw_walk_is_of_share(const struct dw_finder *finder, size_t unit)
{
	size_t run = finder->file->is_kernel ? unit / RUN_OF_SHARE : unit;

	return !finder->n_shares || run % finder->n_shares == finder->share;
}

// Begins a unit. False: it is not to be walked (already walked, of another share, or a type unit).
static bool enter_unit(struct dw_finder *finder, size_t unit)
{
	const struct dw_unit *u = dw_units_at(finder->file, unit);

	if (!u || u->is_type || !dw_walk_is_of_share(finder, unit))
		return false;
	while (finder->visited.n <= unit)
		sp_vec_push(&finder->visited, false);
	if (finder->visited.v[unit])
		return false;
	finder->visited.v[unit] = true;
	finder->walked += u->end - u->off;
	if (finder->walked >= FORGET_BYTES) {
		dw_units_forget(finder->file);
		finder->walked = 0;
	}
	dw_units_die(finder->file, unit, &finder->d.unit);
	finder->d.optimised = DW_NOT_YET_READ;
	finder->is_partial = dwarf_tag(&finder->d.unit) == DW_TAG_partial_unit;
	finder->is_flat = finder->file->is_kernel || dw_qualify_is_flat(finder->d.unit.cu);
	finder->puts_off = finder->file->is_kernel || (finder->needles && !finder->alias);
	finder->bodies.n = finder->origins.n = 0;
	finder->first_abstract = finder->abstract.n;
	return true;
}

// The function's DIE at an offset in the unit. False: there is none, so the index that says so is damaged.
static bool function_at(struct dw_finder *finder, uint32_t off, Dwarf_Die *ret)
{
	Dwarf_Off start = dwarf_dieoffset(&finder->d.unit) - dwarf_cuoffset(&finder->d.unit);

	return dwarf_offdie(finder->file->dwarf, start + off, ret) && ret->cu == finder->d.unit.cu &&
	       dwarf_tag(ret) == DW_TAG_subprogram;
}

static void walk_listed(void *ctx, uint32_t off)
{
	struct dw_finder *finder = ctx;
	Dwarf_Die die;

	finder->is_damaged |= !function_at(finder, off, &die);
	if (!finder->is_damaged)
		walk_function(finder, &die, 0);
}

// Walks the functions that an index of names lists for a kernel's unit. False: there is no index, or it is damaged.
static bool walk_index_of(struct dw_finder *finder, size_t unit)
{
	size_t n_found = finder->found.n;

	finder->is_damaged = false;
	if (!dw_index_unit_funcs(finder->file, unit, walk_listed, finder))
		return false;
	if (!finder->is_damaged)
		return true;
	finder->found.n = n_found;
	finder->abstract.n = finder->first_abstract;
	finder->bodies.n = 0;
	return false;
}

bool dw_walk_unit(void *ctx, size_t unit)
{
	struct dw_finder *finder = ctx;
	const char *file = finder->query->file;

	if (!enter_unit(finder, unit))
		return false;
	// With link-time optimisation a unit can have functions of files that its own table lacks; kernels are built without.
	if (file && finder->file->is_kernel && !dw_line_unit_match(finder->file, finder->d.unit.cu, file))
		return false;
	if (!finder->file->is_kernel || !walk_index_of(finder, unit))
		walk_scope(finder, &finder->d.unit, 0);
	walk_put_off(finder);
	return false;
}

static void note_body(void *ctx, uint32_t off)
{
	struct dw_finder *finder = ctx;
	Dwarf_Die die;

	if (function_at(finder, off, &die) && dw_range_has(&die))
		sp_vec_push(&finder->bodies, die);
}

// Takes the functions of a kernel's unit that the index of names lists, and the instances of those that are inlined.
void dw_walk_matches(struct dw_finder *finder, const struct dw_match *matches, size_t n)
{
	size_t n_found = finder->found.n;
	bool is_sound = true;
	Dwarf_Die die;

	if (!enter_unit(finder, matches->unit))
		return;
	for (size_t i = 0; i < n && (is_sound = function_at(finder, matches[i].die, &die) && name_fits(finder, &die)); i++)
		take_function(finder, &die);
	if (is_sound) {
		forget_covered(finder);
		if (finder->query->inlines && finder->abstract.n > finder->first_abstract)
			dw_index_unit_funcs(finder->file, matches->unit, note_body, finder);
		walk_put_off(finder);
		return;
	}
	// The index is damaged: walk the whole unit instead.
	finder->found.n = n_found;
	finder->abstract.n = finder->first_abstract;
	finder->visited.v[matches->unit] = false;
	dw_walk_unit(finder, matches->unit);
}
