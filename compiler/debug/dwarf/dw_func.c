// SPDX-License-Identifier: GPL-2.0-or-later
// Four ways to read fewer DIEs than all of a file: by symbol, by the index of names, by the bytes of .debug_info, by the files of line
// tables. All share the walk over a unit: dw_walk.h.
#include "compiler/debug/dwarf/dw_func.h"

#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_range.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_walk.h"
#include "compiler/debug/index/dw_grep.h"
#include "compiler/debug/index/dw_index.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"

#include <stdlib.h>

static void walk_all(struct dw_finder *finder)
{
	for (size_t i = 0, n = dw_units_count(finder->file); i < n; i++)
		dw_walk_unit(finder, i);
}

// Has a unit with a function of a scope the scope's name? clang leaves the name of a class to its type unit.
static bool units_tell_scope(struct dw_finder *finder)
{
	size_t n = finder->scope ? dw_units_count(finder->file) : 0, i = 0;

	while (i < n && !finder->file->units->list.v[i].is_type)
		i++;
	return finder->scope && i == n;
}

// Walks the units that have a scope of that name, and those whose functions may be described in others.
static void walk_with_scope(struct dw_finder *finder)
{
	struct dw_needles needles;
	bool can_tell = dw_needles_of_name(finder->file, finder->scope, &needles);

	for (size_t i = 0, n = dw_units_count(finder->file); i < n; i++) {
		Dwarf_Die unit;

		dw_units_die(finder->file, i, &unit);
		if (dw_walk_is_of_share(finder, i) &&
		    (!can_tell || dw_grep_unit(finder->file, i, &needles) || !dw_walk_has_plain_origins(&unit)))
			dw_walk_unit(finder, i);
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
static bool walk_by_symbol(struct dw_finder *finder)
{
	const char *name = finder->query->name;
	bool is_pattern = sp_has_glob(name);
	SP_VEC(uint64_t) addrs = { 0 };
	struct dw_sym sym;

	if (finder->query->inlines || !dw_sym_next(finder->file, &(size_t){ 0 }, &sym))
		return false;
	for (size_t pos = 0; is_pattern ? dw_sym_next(finder->file, &pos, &sym) : dw_sym_next_named(finder->file, name, &pos, &sym);)
		if (sym.is_func && symbol_fits(sym.name, name, is_pattern))
			sp_vec_push(&addrs, sym.addr);
	sp_vec_each(addr, &addrs) {
		size_t unit;
		if (dw_units_at_pc(finder->file, *addr, &unit))
			dw_walk_unit(finder, unit);
	}
	sp_vec_deinit(&addrs);
	return true;
}

static void note_match(void *ctx, size_t unit, uint32_t die)
{
	struct dw_finder *finder = ctx;

	sp_vec_push(&finder->matches, (struct dw_match){ (uint32_t)unit, die });
}

static int by_unit(const void *a, const void *b)
{
	const struct dw_match *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return (x->die > y->die) - (x->die < y->die);
}

static bool walk_by_index(struct dw_finder *finder)
{
	if (!dw_index_funcs(finder->file, finder->query->name, note_match, finder))
		return false;
	if (finder->matches.n)
		qsort(finder->matches.v, finder->matches.n, sizeof(*finder->matches.v), by_unit);
	for (size_t i = 0, next; i < finder->matches.n; i = next) {
		for (next = i; next < finder->matches.n && finder->matches.v[next].unit == finder->matches.v[i].unit; next++)
			;
		if (finder->file->is_kernel)
			dw_walk_matches(finder, &finder->matches.v[i], next - i);
		else
			dw_walk_unit(finder, finder->matches.v[i].unit);
	}
	dw_index_left_out(finder->file, dw_walk_unit, finder);
	return true;
}

// Walks the units that define a function whose name matches a pattern. With a file in the query no index is made: dw_walk_unit()
// passes over a kernel's units whose line tables lack the file.
static void walk_by_pattern(struct dw_finder *finder)
{
	const struct dbg_func_query *query = finder->query;
	bool is_any = sp_streq(query->name, "*") || finder->is_qualified || query->file || finder->n_shares;

	if (query->file && dw_index_files(finder->file, query->file, dw_walk_unit, finder))
		return;
	if (units_tell_scope(finder))
		walk_with_scope(finder);
	else if (is_any || !walk_by_index(finder))
		walk_all(finder);
}

static void walk_by_name(struct dw_finder *finder)
{
	struct dw_needles needles;

	if (!finder->file->is_kernel && dw_needles_of_name(finder->file, finder->last_name, &needles))
		finder->needles = &needles;
	if (units_tell_scope(finder))
		dw_grep_scoped(finder->file, finder->scope, finder->last_name, dw_walk_unit, finder);
	else
		dw_index_with_name(finder->file, finder->last_name, DW_NAMES(DW_NAME_FUNC), dw_walk_unit, finder);
	// With link-time optimisation an instance may be in another unit than the function it names: search for references to it.
	if (!finder->file->is_kernel && finder->abstract.n)
		dw_grep_refs(finder->file, finder->abstract.v, finder->abstract.n, dw_walk_unit, finder);
	finder->needles = NULL;
}

// Finds a function by a symbol that is a second name of it, as malloc is of __libc_malloc.
static void walk_aliases(struct dw_finder *finder)
{
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next_named(finder->file, finder->query->name, &pos, &sym);) {
		size_t unit;
		if (!sym.is_func || sym.is_ifunc || !dw_sym_is_named(sym.name, finder->query->name) ||
		    !dw_units_at_pc(finder->file, sym.addr, &unit))
			continue;
		finder->visited.n = 0;
		finder->alias = sym.addr;
		dw_walk_unit(finder, unit);
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
static bool is_repeated(const struct dbg_func_query *query, const struct dbg_func *a, const struct dbg_func *b)
{
	return !a->is_inline && !b->is_inline && a->entry_pc == b->entry_pc &&
	       (query->is_probed || sp_streq(a->linkage_name, b->linkage_name));
}

// "f.part.0" is what gcc cut off from f. It is entered in the middle of a call of f, which its head has seen already.
static bool is_part(const struct dbg_func *func)
{
	return !func->is_inline && func->symbol && func->symbol_off == 0 && strstr(func->symbol, ".part.");
}

// The place in the table of what is declared there under that name.
static void **declared_in(struct sp_hash *hash, const struct dbg_func *func, bool insert)
{
	struct {
		uint64_t line, name;
	} key = { func->line, sp_hash_bytes(func->name, strlen(func->name)) };

	return insert ? sp_hash_insert(hash, &key, sizeof(key)) : sp_hash_find(hash, &key, sizeof(key));
}

// Leaves out the parts of functions whose head was found, too, by itself or inlined. Returns how many functions are left.
static size_t leave_out_parts(struct dbg_func **v, size_t n)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash heads = { 0 };
	size_t n_left = 0;
	void **head;

	for (size_t i = 0; i < n; i++)
		if (is_part(v[i]))
			declared_in(&heads, v[i], true);
	if (!heads.n_live)
		return n;
	for (size_t i = 0; i < n; i++)
		if (!is_part(v[i]) && (head = declared_in(&heads, v[i], false)))
			*head = v[i];
	for (size_t i = 0; i < n; i++) {
		const struct dbg_func *of_part = is_part(v[i]) ? *declared_in(&heads, v[i], false) : NULL;
		if (!of_part || !sp_streq(of_part->file, v[i]->file))
			v[n_left++] = v[i];
	}
	return n_left;
}

static void give_result(struct dw_finder *finder, struct dbg_funcs *ret)
{
	size_t n = 0;

	if (finder->found.n)
		qsort(finder->found.v, finder->found.n, sizeof(*finder->found.v), by_entry);
	// With query->once all names are wanted: descriptions of one function can name its file in two ways.
	sp_vec_each(func, &finder->found)
		if (finder->query->once || n == 0 || !is_repeated(finder->query, finder->found.v[n - 1], *func))
			finder->found.v[n++] = *func;
	n = leave_out_parts(finder->found.v, n);
	ret->v = sp_arena_memdup(finder->d.arena, finder->found.v, n * sizeof(*finder->found.v));
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
	struct dw_finder finder = {
		.file = file,
		.query = query,
		.d = { .file = file, .arena = &file->arena, .module = module },
	};
	if (!query->in_all_units && (!module->is_kernel || module == dbg_impl(module)->dbg->kernel_module)) {
		finder.share = dbg_impl(module)->dbg->share;
		finder.n_shares = dbg_impl(module)->dbg->n_shares;
	}
	if (finder.n_shares)
		finder.d.arena = &file->of_share;
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
	dw_walk_deinit(&finder);
	return NULL;
}

struct dbg_func *dw_func_at(struct dw_file *file, struct dbg_module *module, uint64_t pc)
{
	static const struct dbg_func_query all = { .name = "*", .calls = true, .inlines = true };
	struct dw_finder finder = { .file = file, .query = &all, .last_name = all.name,
				 .d = { .file = file, .arena = &file->arena, .module = module } };
	struct dbg_func *innermost = NULL;
	struct sp_err *err = dw_units_open(file);
	size_t unit;

	if (err) {
		sp_err_free(err);
		return NULL;
	}
	if (dw_units_at_pc(file, pc, &unit))
		dw_walk_unit(&finder, unit);
	// The walk goes from the outside in, so the last one that covers the address is the innermost.
	sp_vec_each(func, &finder.found) {
		struct dw_scope *scope = (*func)->scope;
		if (dw_range_covers(&scope->die, pc))
			innermost = *func;
	}
	dw_walk_deinit(&finder);
	return innermost;
}
