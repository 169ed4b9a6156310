// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem
#include "compiler/debug/dbg_elf_func.h"

#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_exit.h"
#include "compiler/debug/dwarf/dw_func.h"
#include "compiler/debug/dwarf/dw_go.h"
#include "compiler/debug/dwarf/dw_ifunc.h"
#include "compiler/debug/dwarf/dw_qualify.h"
#include "compiler/debug/dwarf/dw_scope.h"
#include "compiler/debug/dwarf/dw_sym.h"
#include "compiler/debug/dwarf/dw_unwind.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/demangle.h"

#include <dwarf.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>

struct finder {
	struct dbg_module *module;
	struct dw_file *file;
	const struct dbg_funcs *known;
	SP_VEC(struct dbg_func *) found;
	const char *ifunc; // the IFUNC whose implementations are being added
	bool is_chosen; // it has some
};

// A function without debug information: its symbol gives name and address.
static struct dbg_func *symbol_func(struct dbg_module *module, const struct dw_sym *sym)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct dbg_func *func = sp_arena_new(&file->arena, struct dbg_func);
	sp_cleanup_free char *source = sp_demangle(sym->name, false);
	const char *full_name = source ? sp_arena_strdup(&file->arena, source) : NULL;

	*func = (struct dbg_func){
		.module = module,
		.name = full_name ? dw_qualify_last(full_name) : sym->name,
		.full_name = full_name,
		.linkage_name = sym->name,
		.entry_pc = sym->addr,
		.low_pc = sym->addr,
		.high_pc = sym->addr + sym->size,
		.check_size = dw_go_check_size(file, sym->addr),
		.is_external = !sym->is_local,
	};
	func->body_pc = func->entry_pc + func->check_size;
	dw_scope_fill_symbol(file, func);
	return func;
}

struct dbg_func *dbg_elf_func_at(struct dbg_module *module, uint64_t addr)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct dw_sym sym;

	if (!dw_sym_at(file, addr, NULL, &sym) || !sym.is_code)
		return NULL;
	return symbol_func(module, &sym);
}

enum dbg_stack_use dbg_func_stack_use(const struct dbg_func *func)
{
	bool is_dwarf = func->module->source == DBG_DWARF;

	return dw_unwind_stack_use(dbg_impl(func->module)->file, func->name, is_dwarf ? func->scope : NULL);
}

bool dbg_find_exits(const struct dbg_func *func, struct dbg_exits *ret, const char **why_ret)
{
	return dw_exit_find(dbg_impl(func->module)->file, func, ret, why_ret);
}

bool dbg_call_at(struct dbg_func *func, uint64_t pc, enum dbg_call_at at, struct dbg_call *ret)
{
	return dw_exit_call(dbg_impl(func->module)->file, func, pc, at, ret);
}

bool dbg_symbol_address(const struct dbg_module *module, const char *name, uint64_t *ret)
{
	struct dw_file *file = dbg_impl(module)->file;
	bool is_found = false;
	struct dw_sym sym;

	for (size_t pos = 0; file && dw_sym_next_named(file, name, &pos, &sym);) {
		if (!sp_streq(sym.name, name))
			continue;
		if (is_found && sym.addr != *ret)
			return false;
		is_found = true;
		*ret = sym.addr;
	}
	return is_found;
}

// Is the function at `addr` described by debug information? A unit that covers it is not enough for assembly: assemblers describe
// lines, but seldom functions.
static bool is_described(struct dbg_module *module, uint64_t addr)
{
	Dwarf_Die unit;

	return dbg_unit_at(module, addr, &unit) && (dwarf_srclang(&unit) != DW_LANG_Mips_Assembler ||
						    dw_func_at(dbg_impl(module)->file, module, addr));
}

static bool is_mangled(const char *symbol)
{
	return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
}

// The source name of a C++ or Rust symbol; NULL: it has none, or the pattern cannot match it. Demangling takes microseconds, so only
// symbols are demangled that have the longest word of the pattern's last part: those stand in them as they are.
static char *source_name(const char *symbol, const char *pattern)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	size_t longest = 0;
	const char *best = pattern;

	if (!is_mangled(symbol))
		return NULL;
	for (const char *at = dw_qualify_last(pattern); *at && *at != '<'; at++) {
		size_t len = strspn(at, word);
		if (len > longest) {
			longest = len;
			best = at;
		}
		at += len ? len - 1 : 0;
	}
	if (longest && !memmem(symbol, strlen(symbol), best, longest) && !sp_starts_with(best, "operator"))
		return NULL;
	return sp_demangle(symbol, false);
}

static bool is_named(const char *symbol, const char *pattern)
{
	size_t len = dw_sym_name_len(symbol);
	sp_cleanup_free char *source = NULL;
	char name[256];

	if (sp_glob_match(pattern, symbol))
		return true;
	if ((source = source_name(symbol, pattern)) && dw_qualify_match(pattern, source))
		return true;
	if (!symbol[len] || len >= sizeof(name))
		return false;
	memcpy(name, symbol, len);
	name[len] = '\0';
	return sp_glob_match(pattern, name);
}

// ---- IFUNCs: the symbol is that of a resolver, which the dynamic linker calls once to choose the function that is used --------

static bool is_known(const struct finder *finder, uint64_t addr)
{
	for (unsigned i = 0; i < finder->known->n; i++)
		if (finder->known->v[i]->entry_pc == addr && !finder->known->v[i]->is_inline)
			return true;
	sp_vec_each(func, &finder->found)
		if ((*func)->entry_pc == addr)
			return true;
	return false;
}

// The function that begins at an address, for which the IFUNC's name has to do when it has none of its own.
static struct dbg_func *func_from(struct finder *finder, uint64_t addr)
{
	struct dbg_func *func = finder->module->source == DBG_DWARF ? dw_func_at(finder->file, finder->module, addr) : NULL;

	if (func && func->is_inline)
		func = dw_scope_outer(func);
	if (!func || func->entry_pc != addr)
		func = dbg_elf_func_at(finder->module, addr);
	if (!func || func->entry_pc != addr)
		func = symbol_func(finder->module, &(struct dw_sym){ .name = finder->ifunc, .addr = addr });
	return func;
}

// A function that debug information has under a shorter name: with clang's -gsimple-template-names, "twice<int>" is `twice` there.
static struct dbg_func *func_named(struct finder *finder, const struct dw_sym *sym)
{
	struct dbg_func *named = symbol_func(finder->module, sym), *described, *func;

	described = named->full_name && finder->module->source == DBG_DWARF ? dw_func_at(finder->file, finder->module, sym->addr) : NULL;
	if (!described || described->is_inline || described->entry_pc != sym->addr)
		return named;
	func = sp_arena_memdup(&finder->file->arena, described, sizeof(*func));
	func->name = named->name;
	func->full_name = named->full_name;
	func->file = NULL;
	func->line = 0;
	return func;
}

static bool has_other_name(const struct finder *finder, const struct dw_sym *sym)
{
	struct dw_sym names[8];
	unsigned n = dw_sym_all_at(finder->file, sym->addr, names, SP_ARRAY_SIZE(names));
	size_t len = dw_sym_name_len(sym->name);

	for (unsigned i = 0; i < n; i++)
		if (dw_sym_name_len(names[i].name) != len || strncmp(names[i].name, sym->name, len))
			return true;
	return false;
}

// Finds the function that debug information has under another name, which the wildcard does not mean, as it has "pthread_create" under
// "__pthread_create_2_1". False: this symbol is no second name.
static bool add_second_name(struct finder *finder, const struct dw_sym *sym, const char *pattern)
{
	struct dbg_func *func;

	if (finder->module->source != DBG_DWARF || finder->module->is_kernel || !sp_has_glob(pattern) || sp_streq(pattern, "*") ||
	    is_mangled(sym->name) || !has_other_name(finder, sym))
		return false;
	func = dw_func_at(finder->file, finder->module, sym->addr);
	if (func && func->is_inline)
		func = dw_scope_outer(func);
	if (!func || func->entry_pc != sym->addr || is_named(func->name, pattern))
		return false;
	if (!is_known(finder, sym->addr))
		sp_vec_push(&finder->found, func);
	return true;
}

static void add_choice(void *ctx, uint64_t addr)
{
	struct finder *finder = ctx;
	struct dbg_func *func;

	finder->is_chosen = true;
	if (is_known(finder, addr))
		return;
	func = sp_arena_memdup(&finder->file->arena, func_from(finder, addr), sizeof(*func));
	func->ifunc = finder->ifunc;
	sp_vec_push(&finder->found, func);
}

static void add_ifunc(struct finder *finder, const struct dw_sym *sym)
{
	struct dbg_func *resolver;

	finder->ifunc = sym->name;
	finder->is_chosen = false;
	dw_ifunc_choices(finder->file, sym, add_choice, finder);
	if (finder->is_chosen || is_known(finder, sym->addr))
		return;
	resolver = symbol_func(finder->module, sym);
	resolver->ifunc = sym->name;
	resolver->is_resolver = true;
	sp_vec_push(&finder->found, resolver);
}

// ----------------------------------------------------------------------------------------------------------------------

static int by_entry(const void *a, const void *b)
{
	const struct dbg_func *x = *(struct dbg_func *const *)a, *y = *(struct dbg_func *const *)b;

	return (x->entry_pc > y->entry_pc) - (x->entry_pc < y->entry_pc);
}

// Of a function's names the best comes first: one without underscores in front, the default version.
static int by_entry_and_name(const void *a, const void *b)
{
	const struct dbg_func *x = *(struct dbg_func *const *)a, *y = *(struct dbg_func *const *)b;
	int order = by_entry(a, b);

	if (!order)
		order = (*x->name == '_') - (*y->name == '_');
	return order ? order : strcmp(x->name, y->name);
}

// A call of a function that has several names, as "f@V1" and "f@@V2" or the "C1" and "C2" of a constructor, is one call.
static void leave_out_names(struct finder *finder)
{
	size_t n = 0;

	sp_vec_each(func, &finder->found)
		if (!n || finder->found.v[n - 1]->entry_pc != (*func)->entry_pc)
			finder->found.v[n++] = *func;
	finder->found.n = n;
}

// Puts what was found among the others.
static void merge_found(struct finder *finder, bool is_probed, struct dbg_funcs *ret)
{
	struct dbg_funcs all = { 0 };

	if (finder->found.n)
		qsort(finder->found.v, finder->found.n, sizeof(*finder->found.v), by_entry_and_name);
	if (is_probed)
		leave_out_names(finder);
	all.v = sp_arena_array(&finder->file->arena, struct dbg_func *, ret->n + finder->found.n);
	for (size_t i = 0, k = 0; all.n < ret->n + finder->found.n;)
		all.v[all.n++] = k == finder->found.n || (i < ret->n && by_entry(&ret->v[i], &finder->found.v[k]) <= 0) ?
					 ret->v[i++] : finder->found.v[k++];
	sp_vec_deinit(&finder->found);
	*ret = all;
}

void dbg_elf_func_add(struct dbg_module *module, const struct dbg_func_query *query, bool described, struct dbg_funcs *ret)
{
	struct finder finder = { .module = module, .file = dbg_impl(module)->file, .known = ret };
	struct dw_sym sym;

	if (!finder.file || query->file || query->line || !query->calls)
		return;
	bool is_plain = !sp_has_glob(query->name) && !strchr(query->name, '\\') && !dw_sym_has_mangled(finder.file);
	for (size_t pos = 0; is_plain ? dw_sym_next_named(finder.file, query->name, &pos, &sym) : dw_sym_next(finder.file, &pos, &sym);) {
		if (!sym.is_func || !is_named(sym.name, query->name))
			continue;
		if (sym.is_ifunc)
			add_ifunc(&finder, &sym);
		else if (!add_second_name(&finder, &sym, query->name) && (!described || !is_described(module, sym.addr)))
			sp_vec_push(&finder.found, func_named(&finder, &sym));
	}
	merge_found(&finder, query->is_probed, ret);
}

// ---- versions of a symbol: "memcpy@GLIBC_2.14", "memcpy@@GLIBC_2.14" when it is the default one ------------------------------

struct versions {
	Elf *elf;
	Elf_Data *syms, *indexes, *definitions;
	uint32_t sym_strs, definition_strs; // sections
	size_t n;
};

static void find_versions(Elf *elf, struct versions *ret)
{
	GElf_Shdr shdr;

	*ret = (struct versions){ .elf = elf };
	for (Elf_Scn *scn = NULL; elf && (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_DYNSYM && shdr.sh_entsize) {
			ret->syms = elf_getdata(scn, NULL);
			ret->sym_strs = shdr.sh_link;
			ret->n = shdr.sh_size / shdr.sh_entsize;
		} else if (shdr.sh_type == SHT_GNU_versym) {
			ret->indexes = elf_getdata(scn, NULL);
		} else if (shdr.sh_type == SHT_GNU_verdef) {
			ret->definitions = elf_getdata(scn, NULL);
			ret->definition_strs = shdr.sh_link;
		}
	}
}

// NULL: the file defines no version of that number.
static const char *version_name(const struct versions *v, unsigned index)
{
	GElf_Verdaux aux;
	GElf_Verdef def;

	for (int at = 0; gelf_getverdef(v->definitions, at, &def); at += (int)def.vd_next) {
		if (def.vd_ndx == index && !(def.vd_flags & VER_FLG_BASE) && gelf_getverdaux(v->definitions, at + (int)def.vd_aux, &aux))
			return elf_strptr(v->elf, v->definition_strs, aux.vda_name);
		if (!def.vd_next || def.vd_next > INT_MAX - (unsigned)at)
			break;
	}
	return NULL;
}

static bool is_version(const struct versions *v, size_t index, const char *version)
{
	bool only_default = *version == '@';
	GElf_Versym versym;
	const char *name;

	if (!gelf_getversym(v->indexes, (int)index, &versym) || (only_default && versym & 0x8000)) // VERSYM_HIDDEN
		return false;
	name = version_name(v, versym & 0x7fff);
	return name && sp_glob_match(version + only_default, name);
}

void dbg_elf_func_versions(struct dbg_module *module, const char *name, struct sp_buf *ret)
{
	struct dw_file *file = dbg_impl(module)->file;
	struct versions v;
	GElf_Versym versym;
	GElf_Sym sym;

	find_versions(file ? file->elf : NULL, &v);
	if (!v.syms || !v.indexes || !v.definitions)
		return;
	for (size_t i = 0; i < v.n && gelf_getsym(v.syms, (int)i, &sym); i++) {
		const char *of = sym.st_shndx == SHN_UNDEF ? NULL : elf_strptr(v.elf, v.sym_strs, sym.st_name), *version;

		if (!of || !sp_streq(of, name) || !gelf_getversym(v.indexes, (int)i, &versym))
			continue;
		version = version_name(&v, versym & 0x7fff);
		if (version)
			sp_buf_printf(ret, "%s%s@%s%s", ret->len ? ", " : "", name, versym & 0x8000 ? "" : "@", version);
	}
}

static void add_version(struct finder *finder, const GElf_Sym *sym, const char *name)
{
	struct dw_sym of = { .name = sp_arena_strdup(&finder->file->arena, name), .addr = sym->st_value, .size = sym->st_size };

	finder->ifunc = of.name;
	if (GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC)
		add_ifunc(finder, &of);
	else if (!is_known(finder, of.addr))
		sp_vec_push(&finder->found, func_from(finder, of.addr));
}

void dbg_elf_func_add_version(struct dbg_module *module, const char *pattern, const char *version, struct dbg_funcs *ret)
{
	struct finder finder = { .module = module, .file = dbg_impl(module)->file, .known = ret };
	struct versions v;
	GElf_Sym sym;

	find_versions(finder.file ? finder.file->elf : NULL, &v);
	if (!v.syms || !v.indexes || !v.definitions)
		return;
	for (size_t i = 0; i < v.n && gelf_getsym(v.syms, (int)i, &sym); i++) {
		const char *name = sym.st_shndx == SHN_UNDEF ? NULL : elf_strptr(v.elf, v.sym_strs, sym.st_name);
		unsigned type = GELF_ST_TYPE(sym.st_info);

		if (name && (type == STT_FUNC || type == STT_GNU_IFUNC) && is_named(name, pattern) && is_version(&v, i, version))
			add_version(&finder, &sym, name);
	}
	merge_found(&finder, true, ret);
}
