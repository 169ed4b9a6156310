// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dw_sym.h"

#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

// A listing of one function asks once or twice, a wildcard thousands of times.
#define SORT_AFTER 3

struct dw_syms {
	const Elf64_Sym *raw; // NULL: no symbols, or relocated ones
	size_t n_raw;
	const char *strs;
	size_t strs_size;
	unsigned n_questions;
	bool is_sorted;
	SP_VEC(struct dw_sym) by_addr; // functions and labels of code
	struct name_count *counts; // a hash table
	size_t n_counts; // a power of 2
};

// How many symbols have a name, which lives in the string table. A copy of each would take longer than all the rest.
struct name_count {
	const char *name; // NULL: free
	uint32_t hash, n;
};

static Elf_Scn *symbol_section(Elf *elf, GElf_Shdr *ret)
{
	Elf_Scn *dynamic = NULL;
	GElf_Shdr shdr;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_entsize != sizeof(Elf64_Sym))
			continue;
		if (shdr.sh_type == SHT_SYMTAB) {
			*ret = shdr;
			return scn;
		}
		if (shdr.sh_type == SHT_DYNSYM) {
			*ret = shdr;
			dynamic = scn;
		}
	}
	return dynamic;
}

// The tables are read in place: one gelf call per symbol is too slow for 120,000 of them.
static struct dw_syms *syms_of(struct dw_file *file)
{
	GElf_Shdr shdr;

	if (file->syms)
		return file->syms;
	struct dw_syms *syms = file->syms = sp_calloc(1, sizeof(*syms));
	Elf_Scn *scn = file->mod ? NULL : symbol_section(file->sym_elf, &shdr);
	Elf_Scn *str_scn = scn ? elf_getscn(file->sym_elf, shdr.sh_link) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *strs = str_scn ? elf_getdata(str_scn, NULL) : NULL;
	if (!data || !data->d_buf || !strs || !strs->d_buf || !strs->d_size)
		return syms;
	if (((const char *)strs->d_buf)[strs->d_size - 1] != '\0')
		return syms;
	syms->raw = data->d_buf;
	syms->n_raw = data->d_size / sizeof(Elf64_Sym);
	syms->strs = strs->d_buf;
	syms->strs_size = strs->d_size;
	return syms;
}

void dw_syms_destroy(struct dw_syms *syms)
{
	if (!syms)
		return;
	sp_vec_deinit(&syms->by_addr);
	free(syms->counts);
	free(syms);
}

static bool next_relocated(const struct dw_file *file, size_t *pos, Elf64_Sym *sym, const char **name_ret)
{
	int n = dwfl_module_getsymtab(file->mod);
	GElf_Addr addr;

	if (n <= 0 || *pos >= (size_t)n)
		return false;
	*name_ret = dwfl_module_getsym_info(file->mod, (int)*pos, sym, &addr, NULL, NULL, NULL);
	sym->st_value = addr;
	++*pos;
	return true;
}

static bool next_raw(const struct dw_syms *syms, size_t *pos, Elf64_Sym *sym, const char **name_ret)
{
	if (*pos >= syms->n_raw)
		return false;
	memcpy(sym, &syms->raw[*pos], sizeof(*sym));
	*name_ret = sym->st_name < syms->strs_size ? syms->strs + sym->st_name : NULL;
	++*pos;
	return true;
}

bool dw_sym_next(struct dw_file *file, size_t *pos, struct dw_sym *ret)
{
	const struct dw_syms *syms = syms_of(file);
	const char *name = NULL;
	Elf64_Sym sym;

	while (file->mod ? next_relocated(file, pos, &sym, &name) : next_raw(syms, pos, &sym, &name)) {
		unsigned type = ELF64_ST_TYPE(sym.st_info);
		if (sym.st_shndx == SHN_UNDEF || !name || !*name)
			continue;
		if (type != STT_FUNC && type != STT_NOTYPE && type != STT_OBJECT && type != STT_GNU_IFUNC &&
		    type != STT_TLS)
			continue;
		*ret = (struct dw_sym){
			.name = name,
			.addr = sym.st_value,
			.size = sym.st_size,
			.is_func = type == STT_FUNC || type == STT_GNU_IFUNC,
			.is_code = type != STT_OBJECT && type != STT_TLS && sym.st_shndx != SHN_ABS,
			.is_local = ELF64_ST_BIND(sym.st_info) == STB_LOCAL,
		};
		return true;
	}
	return false;
}

bool dw_sym_is_clone(const char *symbol, const char *name)
{
	size_t len = strlen(name);
	return strncmp(symbol, name, len) == 0 && (symbol[len] == '\0' || symbol[len] == '.');
}

bool dw_sym_is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);
	return strncmp(symbol, name, len) == 0 && (symbol[len] == '\0' || symbol[len] == '@');
}

bool dw_sym_find(struct dw_file *file, const char *name, struct dw_sym *ret)
{
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);) {
		if (!sp_streq(sym.name, name))
			continue;
		*ret = sym;
		return true;
	}
	return false;
}

// Which of two symbols names a place better. Negative: `a`.
static int rank(const struct dw_sym *a, const struct dw_sym *b, const char *prefer)
{
	if (prefer) {
		int by_name = (int)!dw_sym_is_clone(a->name, prefer) - (int)!dw_sym_is_clone(b->name, prefer);
		if (by_name)
			return by_name;
	}
	if (a->is_func != b->is_func)
		return a->is_func ? -1 : 1;
	if (a->is_local != b->is_local)
		return a->is_local ? 1 : -1;
	return strcmp(a->name, b->name);
}

// True when `sym` is a better answer for `addr` than `best` (NULL: there is none so far).
static bool is_better(const struct dw_sym *sym, const struct dw_sym *best, uint64_t addr, const char *prefer)
{
	if (!sym->is_code || sym->addr > addr)
		return false;
	if (sym->size && addr - sym->addr >= sym->size)
		return false;
	if (!sym->size && sym->addr != addr && !sym->is_func)
		return false;
	if (!best || sym->addr > best->addr)
		return true;
	return sym->addr == best->addr && rank(sym, best, prefer) < 0;
}

static bool scan(struct dw_file *file, uint64_t addr, const char *prefer, struct dw_sym *ret, bool *unique_ret)
{
	struct dw_sym sym, best;
	bool found = false;
	unsigned count = 0;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);) {
		if (is_better(&sym, found ? &best : NULL, addr, prefer)) {
			best = sym;
			found = true;
		}
	}
	if (!found)
		return false;
	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		count += sp_streq(sym.name, best.name);
	*ret = best;
	*unique_ret = count == 1;
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct dw_sym *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

// The place of a name in the table: its own, or a free one.
static struct name_count *count_of(const struct dw_syms *syms, const char *name)
{
	uint32_t hash = (uint32_t)sp_hash_bytes(name, strlen(name));

	for (size_t i = hash;; i++) {
		struct name_count *count = &syms->counts[i & (syms->n_counts - 1)];
		if (count->name && (count->hash != hash || !sp_streq(count->name, name)))
			continue;
		count->hash = hash;
		return count;
	}
}

static void sort(struct dw_file *file)
{
	struct dw_syms *syms = file->syms;
	struct dw_sym sym;
	size_t n = 0;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		n++;
	for (syms->n_counts = 64; syms->n_counts < 2 * n; syms->n_counts *= 2)
		;
	syms->counts = sp_calloc(syms->n_counts, sizeof(*syms->counts));
	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);) {
		struct name_count *count = count_of(syms, sym.name);
		count->name = sym.name;
		count->n++;
		if (sym.is_code)
			sp_vec_push(&syms->by_addr, sym);
	}
	if (syms->by_addr.n)
		qsort(syms->by_addr.v, syms->by_addr.n, sizeof(*syms->by_addr.v), by_addr);
	syms->is_sorted = true;
}

static bool search(const struct dw_syms *syms, uint64_t addr, const char *prefer, struct dw_sym *ret)
{
	size_t low = 0, high = syms->by_addr.n;
	const struct dw_sym *best = NULL;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (syms->by_addr.v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	// Labels without a size may lie between the address and the function that covers it.
	for (size_t i = low, steps = 0; i-- > 0 && steps < 64; steps++) {
		const struct dw_sym *sym = &syms->by_addr.v[i];
		if (best && sym->addr < best->addr)
			break;
		if (is_better(sym, best, addr, prefer))
			best = sym;
	}
	if (best)
		*ret = *best;
	return best != NULL;
}

bool dw_sym_at(struct dw_file *file, uint64_t addr, const char *prefer, struct dw_sym *ret, bool *unique_ret)
{
	struct dw_syms *syms = syms_of(file);

	if (!syms->is_sorted && ++syms->n_questions <= SORT_AFTER)
		return scan(file, addr, prefer, ret, unique_ret);
	if (!syms->is_sorted)
		sort(file);
	if (!search(syms, addr, prefer, ret))
		return false;
	*unique_ret = count_of(syms, ret->name)->n == 1;
	return true;
}
