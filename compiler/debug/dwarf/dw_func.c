// SPDX-License-Identifier: GPL-2.0-or-later
// One search for functions, and four ways to read fewer DIEs than all of a file: by symbol, by the index of names, by the bytes of
// .debug_info, by the files of line tables. All share the walk over a unit, so they are in one file of more than 600 lines.
#define _GNU_SOURCE // memmem
#include "compiler/debug/dwarf/dw_func.h"

#include "compiler/debug/dbg_blacklist.h"
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_attr.h"
#include "compiler/debug/dwarf/dw_line.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/index/dw_grep.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"

#include <dwarf.h>
#include <stdlib.h>

#define MAX_DEPTH 256 // of scopes: inlining nests some twenty deep
#define FORGET_BYTES (16u << 20) // of units that have been walked
#define MAX_SEARCHED 16 // inline functions whose instances are looked for in the bytes of functions
// A share (dbg_take_share) is every n-th run of this many units of a kernel. Neighbouring units come from one folder of sources and
// are of similar size; spread like that, all shares take about the same time. Programs have fewer units, which are larger.
#define RUN_OF_SHARE 8

// A function of the index of names whose name matches.
struct match {
	uint32_t unit, die; // the unit's number, and the DIE's offset in it
};

struct finder {
	struct dw_file *file;
	const struct dbg_func_query *query;
	const char *last_name; // the part of query->name behind its last "::", a pattern for DW_AT_name
	bool is_qualified; // query->name has a "::"
	char *scope; // what stands before that, when it has no wildcards: dw_qualify_scope()
	uint64_t alias; // not 0: the function at this address is wanted, whatever its name
	unsigned share, n_shares; // dbg_take_share()
	SP_VEC(bool) visited; // by unit; shorter than the list of units while the last ones have not been visited
	uint64_t walked; // bytes of units since the last dw_units_forget()
	SP_VEC(struct dbg_func *) found;
	// With query->once, in a program: the inlined instances that have been found, by name, file and line, 1 + their number. A
	// function of a C++ header has thousands, in hundreds of units.
	struct sp_hash names;
	SP_VEC(size_t) by_name; // by that number: 1 + index in `found` of the one with the lowest address
	SP_VEC(Dwarf_Off) abstract; // functions that match and are described elsewhere: is_abstract()
	SP_VEC(Dwarf_Off) covered; // with query->once: of `abstract`, those with an instance that can be probed
	SP_VEC(struct match) matches; // from an index of names
	const struct dw_needles *needles; // of last_name, in a program; NULL: not known
	// The rest is about the unit that is being walked.
	struct dw_describer d;
	bool is_flat; // dw_qualify_is_flat()
	bool is_partial; // dwz has made it
	bool puts_off; // walk_scope() puts off the functions with code, in which inlined instances are looked for
	SP_VEC(Dwarf_Die) bodies; // these
	SP_VEC(Dwarf_Off) origins; // of a program: functions that match, which instances may name
	size_t first_abstract; // index of the first of `abstract` that is in this unit
	bool is_damaged; // the index of names lists what is no function of it
	bool is_searched; // a body is walked only when its bytes hold a reference to one of them: has_plain_origins()
	// The inline function of the last instance: instances of one function often follow each other.
	void *origin;
	struct dw_family *family;
	bool origin_matches;
};

static void finder_deinit(struct finder *finder)
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

static bool line_fits(struct finder *finder, Dwarf_Die *die, const struct dbg_func *func)
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

static void note_covered(struct finder *finder, Dwarf_Die *die, struct dbg_func *func)
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

static bool name_fits(struct finder *finder, Dwarf_Die *die)
{
	const char *name = dw_attr_name(die);

	if (finder->alias)
		return *name;
	if (!*name || !sp_glob_match(finder->last_name, name))
		return false;
	return !finder->is_qualified || dw_qualify_fits(finder->file, finder->query->name, finder->scope, die);
}

// Does the caller leave out this inline function? It is asked once in each search.
static bool is_skipped(struct finder *finder, struct dw_family *family)
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
static struct dw_family *family_of(struct finder *finder, Dwarf_Die *die)
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
static size_t *place_of_name(struct finder *finder, struct dw_family *family, const struct dbg_func *func)
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

static void keep(struct finder *finder, Dwarf_Die *die, Dwarf_Die *function, struct dw_family *family, struct dbg_func *func)
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

static void add(struct finder *finder, Dwarf_Die *die, Dwarf_Die *function, const char *caller, bool is_inline)
{
	const struct dbg_func_query *query = finder->query;
	struct dw_family *family = is_inline ? family_of(finder, die) : NULL;
	struct dbg_func func = family ? *family->func : dw_scope_declared(&finder->d, die);

	func.is_inline = is_inline;
	func.caller = caller;
	if (!func.name || (query->file && (!func.file || !dw_line_match(func.file, query->file))))
		return;
	if (!dw_scope_code(&finder->d, die, function, &func) || !line_fits(finder, die, &func))
		return;
	if (finder->alias && (func.entry_pc != finder->alias || is_inline))
		return;
	keep(finder, die, function, family, &func);
}

static void walk_scope(struct finder *finder, Dwarf_Die *scope, int depth);

// Can the tree of a DIE, up to its next sibling, have an instance of an inline function that matches?
static bool may_have_instance(const struct finder *finder, const Dwarf_Die *die, const Dwarf_Die *next)
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

// Looks into a function for what is inlined there, and for the methods of its local classes (a lambda is one).
static void walk_body(struct finder *finder, Dwarf_Die *scope, Dwarf_Die *function, const char *caller, int depth)
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
			if (finder->query->inlines && family && finder->origin_matches)
				add(finder, &child, function, caller, true);
			walk_body(finder, &child, function, family ? family->func->name : NULL, depth + 1);
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
		default:
			break;
		}
	}
}

// Can the code of a function, or instances of it, be described elsewhere? Link-time optimisation describes the code of functions in
// units of its own, which refer to those of the sources. Of classes that dwz has moved to partial units, the methods' definitions do so.
static bool is_abstract(const struct finder *finder, Dwarf_Die *function)
{
	return finder->is_partial || dwarf_hasattr(function, DW_AT_inline) ||
	       (!finder->file->is_kernel && !dwarf_hasattr(function, DW_AT_declaration) &&
		!dwarf_hasattr(function, DW_AT_abstract_origin));
}

// Takes a function that matches: one with code is found; of an abstract one the instances are still to be found.
static void take_function(struct finder *finder, Dwarf_Die *function)
{
	bool has_code = dw_range_has(function);

	if (!name_fits(finder, function))
		return;
	if (finder->needles)
		sp_vec_push(&finder->origins, dwarf_dieoffset(function));
	if (has_code && finder->query->calls)
		add(finder, function, function, NULL, false);
	if (!has_code && is_abstract(finder, function))
		sp_vec_push(&finder->abstract, dwarf_dieoffset(function));
}

// Can the bytes of the function hold the name that is looked for?
static bool may_hold_name(const struct finder *finder, Dwarf_Die *function)
{
	Dwarf_Die next;

	return dwarf_siblingof(function, &next) != 0 || next.addr <= function->addr ||
	       dw_needles_are_in(finder->needles, function->addr, next.addr);
}

// Takes a function of a scope, and what is in it: of one without code the methods of local classes, which instances elsewhere may name.
static void walk_function(struct finder *finder, Dwarf_Die *function, int depth)
{
	bool has_code = dw_range_has(function);

	take_function(finder, function);
	if (has_code ? !finder->query->inlines && finder->is_flat : finder->is_flat || !finder->needles || !may_hold_name(finder, function))
		return;
	if (finder->puts_off && has_code)
		sp_vec_push(&finder->bodies, *function);
	else
		walk_body(finder, function, function, dw_attr_name(function), depth);
}

static void walk_scope(struct finder *finder, Dwarf_Die *scope, int depth)
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

// Do all functions and inlined instances of the unit that are described elsewhere say where by DW_FORM_ref4, an offset from the
// unit's start?
static bool has_plain_origins(Dwarf_Die *unit)
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

static void forget_covered(struct finder *finder)
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
static void walk_bodies(struct finder *finder)
{
	bool has_alt = finder->file->alt.elf;

	forget_covered(finder);
	size_t n_abstract = finder->abstract.n - finder->first_abstract;

	if (!n_abstract && !has_alt)
		return;
	finder->is_searched = !has_alt && n_abstract <= MAX_SEARCHED && has_plain_origins(&finder->d.unit);
	sp_vec_each(body, &finder->bodies) {
		Dwarf_Die next;
		if (dwarf_siblingof(body, &next) == 0 && !may_have_instance(finder, body, &next))
			continue;
		walk_body(finder, body, body, dw_attr_name(body), 0);
		forget_covered(finder);
		if (finder->abstract.n == finder->first_abstract && !has_alt)
			break;
	}
	finder->is_searched = false;
}

// Walks those functions of a program's unit whose bytes can hold what is looked for: first where the name is, which may be that of a
// method of a local class, then where an instance refers to one of the functions that are known now.
static void search_bodies(struct finder *finder)
{
	size_t n = 0;

	finder->puts_off = false;
	sp_vec_each(body, &finder->bodies) {
		if (may_hold_name(finder, body))
			walk_body(finder, body, body, dw_attr_name(body), 0);
		else
			finder->bodies.v[n++] = *body;
	}
	finder->bodies.n = n;
	finder->is_searched = finder->origins.n <= MAX_SEARCHED && has_plain_origins(&finder->d.unit);
	if (finder->is_searched && !finder->origins.n)
		finder->bodies.n = 0;
	sp_vec_each(body, &finder->bodies) {
		Dwarf_Die next;
		if (dwarf_siblingof(body, &next) != 0 || may_have_instance(finder, body, &next))
			walk_body(finder, body, body, dw_attr_name(body), 0);
	}
	finder->is_searched = false;
}

static bool is_of_share(const struct finder *finder, size_t unit)
{
	size_t run = finder->file->is_kernel ? unit / RUN_OF_SHARE : unit;

	return !finder->n_shares || run % finder->n_shares == finder->share;
}

// Begins a unit. False: it is not to be walked (already walked, of another share, or a type unit).
static bool enter_unit(struct finder *finder, size_t unit)
{
	const struct dw_unit *u = dw_units_at(finder->file, unit);

	if (!u || u->is_type || !is_of_share(finder, unit))
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
static bool function_at(struct finder *finder, uint32_t off, Dwarf_Die *ret)
{
	Dwarf_Off start = dwarf_dieoffset(&finder->d.unit) - dwarf_cuoffset(&finder->d.unit);

	return dwarf_offdie(finder->file->dwarf, start + off, ret) && ret->cu == finder->d.unit.cu &&
	       dwarf_tag(ret) == DW_TAG_subprogram;
}

static void walk_listed(void *ctx, uint32_t off)
{
	struct finder *finder = ctx;
	Dwarf_Die die;

	finder->is_damaged |= !function_at(finder, off, &die);
	if (!finder->is_damaged)
		walk_function(finder, &die, 0);
}

// Walks the functions that an index of names lists for a kernel's unit. False: there is no index, or it is damaged.
static bool walk_index_of(struct finder *finder, size_t unit)
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

static bool walk_unit(void *ctx, size_t unit)
{
	struct finder *finder = ctx;
	const char *file = finder->query->file;

	if (!enter_unit(finder, unit))
		return false;
	// With link-time optimisation a unit can have functions of files that its own table lacks; kernels are built without.
	if (file && finder->file->is_kernel && !dw_line_unit_match(finder->file, finder->d.unit.cu, file))
		return false;
	if (!finder->file->is_kernel || !walk_index_of(finder, unit))
		walk_scope(finder, &finder->d.unit, 0);
	if (finder->file->is_kernel)
		walk_bodies(finder);
	else if (finder->puts_off)
		search_bodies(finder);
	return false;
}

static void walk_all(struct finder *finder)
{
	for (size_t i = 0, n = dw_units_count(finder->file); i < n; i++)
		walk_unit(finder, i);
}

// Has a unit with a function of a scope the scope's name? clang leaves the name of a class to its type unit.
static bool units_tell_scope(struct finder *finder)
{
	size_t n = finder->scope ? dw_units_count(finder->file) : 0, i = 0;

	while (i < n && !finder->file->units->list.v[i].is_type)
		i++;
	return finder->scope && i == n;
}

// Walks the units that have a scope of that name, and those whose functions may be described in others.
static void walk_with_scope(struct finder *finder)
{
	struct dw_needles needles;
	bool can_tell = dw_needles_of_name(finder->file, finder->scope, &needles);

	for (size_t i = 0, n = dw_units_count(finder->file); i < n; i++) {
		Dwarf_Die unit;

		dw_units_die(finder->file, i, &unit);
		if (is_of_share(finder, i) &&
		    (!can_tell || dw_grep_unit(finder->file, i, &needles) || !has_plain_origins(&unit)))
			walk_unit(finder, i);
	}
}

static bool symbol_fits(const char *symbol, const char *pattern, bool is_pattern)
{
	char base[256];

	if (!is_pattern)
		return dw_sym_is_clone(symbol, pattern);
	size_t len = strcspn(symbol, ".");
	if (len >= sizeof(base))
		return true;
	memcpy(base, symbol, len);
	base[len] = '\0';
	return sp_glob_match(pattern, base);
}

// Walks only the units with symbols that match. Each function of a kernel with code has a symbol, "NAME" or "NAME.isra.0". Inlined
// instances are not found like that: also of a name with a global symbol there can be static functions in other units, and headers
// define what is inlined in place of a call of it ("extern inline", as fortify-string.h does). False: the symbols do not answer the
// question.
static bool walk_by_symbol(struct finder *finder)
{
	bool is_pattern = sp_has_glob(finder->query->name), has_symbols = false;
	SP_VEC(uint64_t) addrs = { 0 };
	struct dw_sym sym;

	if (finder->query->inlines)
		return false;
	for (size_t pos = 0; dw_sym_next(finder->file, &pos, &sym);) {
		has_symbols = true;
		if (sym.is_func && symbol_fits(sym.name, finder->query->name, is_pattern))
			sp_vec_push(&addrs, sym.addr);
	}
	sp_vec_each(addr, &addrs) {
		size_t unit;
		if (dw_units_at_pc(finder->file, *addr, &unit))
			walk_unit(finder, unit);
	}
	sp_vec_deinit(&addrs);
	return has_symbols;
}

static void note_match(void *ctx, size_t unit, uint32_t die)
{
	struct finder *finder = ctx;

	sp_vec_push(&finder->matches, (struct match){ (uint32_t)unit, die });
}

static int by_unit(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->die > y->die) - (x->die < y->die);
}

static void note_body(void *ctx, uint32_t off)
{
	struct finder *finder = ctx;
	Dwarf_Die die;

	if (function_at(finder, off, &die) && dw_range_has(&die))
		sp_vec_push(&finder->bodies, die);
}

// Takes the functions of a kernel's unit that the index of names lists, and the instances of those that are inlined.
static void walk_matches(struct finder *finder, const struct match *matches, size_t n)
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
		walk_bodies(finder);
		return;
	}
	// The index is damaged: walk the whole unit instead.
	finder->found.n = n_found;
	finder->abstract.n = finder->first_abstract;
	finder->visited.v[matches->unit] = false;
	walk_unit(finder, matches->unit);
}

static bool walk_by_index(struct finder *finder)
{
	if (!dw_index_funcs(finder->file, finder->query->name, note_match, finder))
		return false;
	if (finder->matches.n)
		qsort(finder->matches.v, finder->matches.n, sizeof(*finder->matches.v), by_unit);
	for (size_t i = 0, next; i < finder->matches.n; i = next) {
		for (next = i; next < finder->matches.n && finder->matches.v[next].unit == finder->matches.v[i].unit; next++)
			;
		if (finder->file->is_kernel)
			walk_matches(finder, &finder->matches.v[i], next - i);
		else
			walk_unit(finder, finder->matches.v[i].unit);
	}
	return true;
}

// Walks the units that define a function whose name matches a pattern. With a file in the query no index is made: walk_unit()
// passes over a kernel's units whose line tables lack the file.
static void walk_by_pattern(struct finder *finder)
{
	const struct dbg_func_query *query = finder->query;
	bool is_any = sp_streq(query->name, "*") || finder->is_qualified || query->file || finder->n_shares;

	if (query->file && dw_index_files(finder->file, query->file, walk_unit, finder))
		return;
	if (units_tell_scope(finder))
		walk_with_scope(finder);
	else if (is_any || !walk_by_index(finder))
		walk_all(finder);
}

static void walk_by_name(struct finder *finder)
{
	struct dw_needles needles;

	if (!finder->file->is_kernel && dw_needles_of_name(finder->file, finder->last_name, &needles))
		finder->needles = &needles;
	if (units_tell_scope(finder))
		dw_grep_scoped(finder->file, finder->scope, finder->last_name, walk_unit, finder);
	else
		dw_index_with_name(finder->file, finder->last_name, DW_NAMES(DW_NAME_FUNC), walk_unit, finder);
	// With link-time optimisation an instance may be in another unit than the function it names: search for references to it.
	if (!finder->file->is_kernel && finder->abstract.n)
		dw_grep_refs(finder->file, finder->abstract.v, finder->abstract.n, walk_unit, finder);
	finder->needles = NULL;
}

// Finds a function by a symbol that is a second name of it, as malloc is of __libc_malloc.
static void walk_aliases(struct finder *finder)
{
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(finder->file, &pos, &sym);) {
		size_t unit;
		if (!sym.is_func || sym.is_ifunc || !dw_sym_is_named(sym.name, finder->query->name) ||
		    !dw_units_at_pc(finder->file, sym.addr, &unit))
			continue;
		finder->visited.n = 0;
		finder->alias = sym.addr;
		walk_unit(finder, unit);
	}
	finder->alias = 0;
}

static int by_entry(const void *a, const void *b)
{
	const struct dbg_func *x = *(struct dbg_func *const *)a, *y = *(struct dbg_func *const *)b;

	if (x->entry_pc != y->entry_pc)
		return x->entry_pc < y->entry_pc ? -1 : 1;
	if (x->is_inline != y->is_inline)
		return x->is_inline ? 1 : -1;
	const struct dw_scope *p = x->scope, *q = y->scope;
	return p->die.addr < q->die.addr ? -1 : p->die.addr > q->die.addr;
}

// Are both descriptions of one function? Every C++ unit that uses an inline function describes the one copy that the linker kept.
static bool is_repeated(const struct dbg_func *a, const struct dbg_func *b)
{
	return !a->is_inline && !b->is_inline && a->entry_pc == b->entry_pc &&
	       sp_streq(a->linkage_name, b->linkage_name);
}

static void give_result(struct finder *finder, struct dbg_funcs *ret)
{
	size_t n = 0;

	if (finder->found.n)
		qsort(finder->found.v, finder->found.n, sizeof(*finder->found.v), by_entry);
	// With query->once all names are wanted: descriptions of one function can name its file in two ways.
	sp_vec_each(func, &finder->found)
		if (finder->query->once || n == 0 || !is_repeated(finder->found.v[n - 1], *func))
			finder->found.v[n++] = *func;
	ret->v = sp_arena_memdup(&finder->file->arena, finder->found.v, n * sizeof(*finder->found.v));
	ret->n = n;
}

// Then a class may have its name in a unit of its own, and not where its methods are.
static bool has_type_units(struct dw_file *file)
{
	size_t n = file->is_kernel ? 0 : dw_units_count(file), i = 0;

	while (i < n && !file->units->list.v[i].is_type)
		i++;
	return i < n || file->units->has_split;
}

struct sp_err *dw_func_find(struct dw_file *file, struct dbg_module *module, const struct dbg_func_query *query,
			    struct dbg_funcs *ret)
{
	SP_TRY(dw_units_open(file));
	struct finder finder = {
		.file = file,
		.query = query,
		.d = { .file = file, .module = module },
	};
	if (!query->in_all_units && (!module->is_kernel || module == dbg_impl(module)->dbg->kernel_module)) {
		finder.share = dbg_impl(module)->dbg->share;
		finder.n_shares = dbg_impl(module)->dbg->n_shares;
	}
	file->n_searches++;
	finder.last_name = dw_qualify_last(query->name);
	finder.is_qualified = finder.last_name != query->name;
	const char *method = file->is_kernel ? NULL : dw_qualify_method(&file->arena, query->name);
	finder.scope = finder.is_qualified && !method && !has_type_units(file) ? dw_qualify_scope(query->name) : NULL;
	// A '*' matches across "::", so of "ns::a*b" only "*b" is certain to be of the function's own name.
	if (method)
		finder.last_name = method;
	else if (finder.is_qualified && strrchr(finder.last_name, '*'))
		finder.last_name = strrchr(finder.last_name, '*');
	if (!file->is_kernel || !walk_by_symbol(&finder)) {
		if (sp_has_glob(finder.last_name))
			walk_by_pattern(&finder);
		else
			walk_by_name(&finder);
	}
	if (finder.found.n == 0 && query->calls && !query->file && !sp_has_glob(query->name))
		walk_aliases(&finder);
	give_result(&finder, ret);
	finder_deinit(&finder);
	return NULL;
}

struct dbg_func *dw_func_at(struct dw_file *file, struct dbg_module *module, uint64_t pc)
{
	static const struct dbg_func_query all = { .name = "*", .calls = true, .inlines = true };
	struct finder finder = { .file = file, .query = &all, .last_name = all.name,
				 .d = { .file = file, .module = module } };
	struct dbg_func *innermost = NULL;
	struct sp_err *err = dw_units_open(file);
	size_t unit;

	if (err) {
		sp_err_free(err);
		return NULL;
	}
	if (dw_units_at_pc(file, pc, &unit))
		walk_unit(&finder, unit);
	// The walk goes from the outside in, so the last one that covers the address is the innermost.
	sp_vec_each(func, &finder.found) {
		struct dw_scope *scope = (*func)->scope;
		if (dw_range_covers(&scope->die, pc))
			innermost = *func;
	}
	finder_deinit(&finder);
	return innermost;
}
