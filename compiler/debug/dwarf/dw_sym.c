// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_sym.h"

#include "compiler/debug/dwarf/dw_gosym.h"

#include "runtime/base/name_index.h"
#include "runtime/base/vec.h"

#define RADIX_BITS 13
#define RADIX_SIZE (1u << RADIX_BITS)

// A script with one probe asks once or twice which symbols have a name, or which one an address has; a wildcard asks thousands
// of times. So the first questions read the whole list of symbols, and a table is made at the one after these.
#define INDEX_AFTER 3
#define SORT_AFTER 3

// A symbol of code, as it is sorted by its address.
struct sym_key {
	uint64_t addr;
	size_t pos; // for dw_sym_next()
};

struct dw_syms {
	const Elf64_Sym *raw; // NULL: no symbols, or those of a relocatable file, which libdwfl relocates
	struct dw_gosyms go; // which `raw` may be
	Elf64_Sym *widened; // of a 32-bit file, which `raw` may be; NULL: none
	size_t n_raw, first_global; // local ones come before it
	const char *strs;
	size_t strs_size;
	bool is_sorted;
	enum { MANGLED_UNKNOWN, MANGLED_SOME, MANGLED_NONE } mangled; // names of C++ and Rust
	SP_VEC(struct sym_key) by_addr; // functions and labels of code
	unsigned n_questions_at; // dw_sym_at() before `by_addr` was sorted
	unsigned n_questions; // for names, before `names` was made
	struct name_index names; // of symbols, up to the first '.' or '@': their places in the list
};

static Elf_Scn *symbol_section(Elf *elf, GElf_Shdr *ret)
{
	Elf_Scn *dynamic = NULL;
	GElf_Shdr shdr;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_entsize != gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT))
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

static Elf64_Sym *widen(Elf_Data *data, size_t n)
{
	Elf64_Sym *ret = sp_calloc(n + 1, sizeof(*ret));

	for (size_t i = 0; i < n; i++)
		gelf_getsym(data, (int)i, &ret[i]);
	return ret;
}

// The tables are read in place: one gelf call per symbol is too slow for 120,000 of them.
static struct dw_syms *syms_of(struct dw_file *file)
{
	GElf_Shdr shdr = { 0 };

	if (file->syms)
		return file->syms;
	struct dw_syms *syms = file->syms = sp_calloc(1, sizeof(*syms));
	Elf_Scn *scn = file->mod ? NULL : symbol_section(file->sym_elf, &shdr);
	if (!file->mod && (!scn || shdr.sh_type != SHT_SYMTAB) && dw_gosym_read(file, &syms->go)) {
		syms->raw = syms->go.v;
		syms->n_raw = syms->go.n;
		syms->strs = syms->go.strings;
		syms->strs_size = syms->go.strings_size;
		return syms;
	}
	Elf_Scn *str_scn = scn ? elf_getscn(file->sym_elf, shdr.sh_link) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	Elf_Data *strs = str_scn ? elf_getdata(str_scn, NULL) : NULL;
	if (!data || !data->d_buf || !strs || !strs->d_buf || !strs->d_size)
		return syms;
	if (((const char *)strs->d_buf)[strs->d_size - 1] != '\0')
		return syms;
	syms->n_raw = data->d_size / shdr.sh_entsize;
	if (shdr.sh_entsize != sizeof(Elf64_Sym))
		syms->widened = widen(data, syms->n_raw);
	syms->raw = syms->widened ? syms->widened : data->d_buf;
	syms->first_global = SP_MIN(shdr.sh_info, syms->n_raw);
	syms->strs = strs->d_buf;
	syms->strs_size = strs->d_size;
	return syms;
}

void dw_syms_destroy(struct dw_syms *syms)
{
	if (!syms)
		return;
	sp_vec_deinit(&syms->by_addr);
	name_index_deinit(&syms->names);
	free(syms->go.v);
	free(syms->widened);
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

// The types of symbols that are handed out; sections and source files are left out.
#define TYPES (1u << STT_FUNC | 1u << STT_NOTYPE | 1u << STT_OBJECT | 1u << STT_GNU_IFUNC | 1u << STT_TLS)

// False: the symbol is left out. The characters of the name are not read, so that pages of the string table which nobody needs do
// not become resident.
static inline bool take_symbol(const Elf64_Sym *sym, const char *name, struct dw_sym *ret)
{
	unsigned type = ELF64_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF || !name || !sym->st_name || !(TYPES >> type & 1))
		return false;
	*ret = (struct dw_sym){
		.name = name,
		.addr = sym->st_value,
		.size = sym->st_size,
		.is_func = type == STT_FUNC || type == STT_GNU_IFUNC,
		.is_ifunc = type == STT_GNU_IFUNC,
		.is_code = type != STT_OBJECT && type != STT_TLS && sym->st_shndx != SHN_ABS,
		.is_local = ELF64_ST_BIND(sym->st_info) == STB_LOCAL,
		.is_weak = ELF64_ST_BIND(sym->st_info) == STB_WEAK,
	};
	return true;
}

bool dw_sym_next(struct dw_file *file, size_t *pos, struct dw_sym *ret)
{
	const struct dw_syms *syms = file->syms ? file->syms : syms_of(file);
	const char *name = NULL;
	Elf64_Sym sym;

	while (*pos < syms->n_raw) {
		memcpy(&sym, &syms->raw[(*pos)++], sizeof(sym)); // a broken file need not align them
		if (sym.st_name < syms->strs_size && take_symbol(&sym, syms->strs + sym.st_name, ret))
			return true;
	}
	while (file->mod && next_relocated(file, pos, &sym, &name))
		if (take_symbol(&sym, name, ret))
			return true;
	return false;
}

bool dw_sym_is_clone(const char *symbol, const char *name)
{
	size_t len = strlen(name);
	return strncmp(symbol, name, len) == 0 && (symbol[len] == '\0' || symbol[len] == '.');
}

// The length of a suffix with which the compiler has named another copy of a whole function; 0: there is none. Suffixes of parts of
// a function, ".part.0" and ".cold", are not among them.
static size_t clone_suffix(const char *at)
{
	static const char *const kinds[] = { ".constprop.", ".isra.", ".lto_priv.", ".llvm." };

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i]), digits = sp_starts_with(at, kinds[i]) ? strspn(at + len, "0123456789") : 0;
		if (digits)
			return len + digits;
	}
	return 0;
}

size_t dw_sym_name_len(const char *symbol)
{
	size_t whole = strcspn(symbol, "@"), len = strcspn(symbol, ".@"), at = len;

	for (size_t suffix; at < whole && (suffix = clone_suffix(symbol + at)); at += suffix)
		;
	return at == whole ? len : whole;
}

bool dw_sym_is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return strncmp(symbol, name, len) == 0 && (!symbol[len] || symbol[len] == '@' || dw_sym_name_len(symbol) == len);
}

size_t dw_sym_first_global(struct dw_file *file)
{
	return syms_of(file)->first_global;
}

// The part of a name that is the same for all that is made of it: "f" of "f.isra.0" and "f@@V1".
static size_t stem(const char *name)
{
	return strcspn(name, ".@");
}

// In the order of the list, of which the last one that is added is the first one.
static void index_names(struct dw_file *file)
{
	struct name_index *names = &file->syms->names;
	struct dw_sym sym;
	SP_VEC(uint32_t) places = { 0 };
	size_t end = 0;

	for (; dw_sym_next(file, &end, &sym);)
		sp_vec_push(&places, (uint32_t)end - 1);
	name_index_init(names, end);
	for (size_t i = places.n; i-- > 0;) {
		size_t pos = places.v[i];

		dw_sym_next(file, &pos, &sym);
		name_index_add(names, places.v[i], sym.name, stem(sym.name));
	}
	sp_vec_deinit(&places);
}

bool dw_sym_has_mangled(struct dw_file *file)
{
	struct dw_syms *syms = syms_of(file);
	struct dw_sym sym;

	if (syms->mangled == MANGLED_UNKNOWN) {
		syms->mangled = MANGLED_NONE;
		for (size_t pos = 0; syms->mangled == MANGLED_NONE && dw_sym_next(file, &pos, &sym);)
			if (sp_starts_with(sym.name, "_Z") || sp_starts_with(sym.name, "_R"))
				syms->mangled = MANGLED_SOME;
	}
	return syms->mangled == MANGLED_SOME;
}

static bool begins_with(const char *symbol, const char *name, size_t len)
{
	return strncmp(symbol, name, len) == 0 && (!symbol[len] || symbol[len] == '.' || symbol[len] == '@');
}

bool dw_sym_next_named(struct dw_file *file, const char *name, size_t *pos, struct dw_sym *ret)
{
	struct dw_syms *syms = syms_of(file);
	size_t len = strlen(name);

	if (!*pos && !syms->names.slots && syms->n_questions++ >= INDEX_AFTER)
		index_names(file);
	if (syms->names.slots) {
		uint32_t place = *pos ? name_index_next(&syms->names, (uint32_t)*pos - 1) : name_index_first(&syms->names, name, stem(name));

		for (; place != NAME_INDEX_END; place = name_index_next(&syms->names, place)) {
			*pos = place;
			if (dw_sym_next(file, pos, ret) && begins_with(ret->name, name, len))
				return true;
		}
		return false;
	}
	while (dw_sym_next(file, pos, ret))
		if (*ret->name == *name && begins_with(ret->name, name, len))
			return true;
	return false;
}

bool dw_sym_find(struct dw_file *file, const char *name, struct dw_sym *ret)
{
	struct dw_sym sym;
	bool found = false;

	for (size_t pos = 0; dw_sym_next_named(file, name, &pos, &sym);) {
		if (!sp_streq(sym.name, name) || (found && (sym.is_local || !ret->is_local)))
			continue;
		*ret = sym;
		found = true;
		if (!sym.is_local)
			break;
	}
	return found;
}

// Which of two symbols at one address is the better name for it. Negative: `a`.
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

// A radix sort: qsort(3) takes ten times as long for a kernel's 120,000 symbols. Equal addresses keep their order.
static void sort_keys(struct sym_key *keys, size_t n)
{
	struct sym_key *from = keys, *to = sp_malloc((n + 1) * sizeof(*to)), *spare = to;
	size_t *starts = sp_malloc(RADIX_SIZE * sizeof(*starts)); // much for a stack

	for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
		size_t sum = 0;

		memset(starts, 0, RADIX_SIZE * sizeof(*starts));
		for (size_t i = 0; i < n; i++)
			starts[from[i].addr >> shift & (RADIX_SIZE - 1)]++;
		if (!n || starts[from[0].addr >> shift & (RADIX_SIZE - 1)] == n)
			continue; // all the same
		for (size_t i = 0; i < RADIX_SIZE; i++) {
			size_t count = starts[i];
			starts[i] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			to[starts[from[i].addr >> shift & (RADIX_SIZE - 1)]++] = from[i];
		struct sym_key *last = from;
		from = to;
		to = last;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof(*keys));
	free(starts);
	free(spare);
}

// Sorts the symbols of code by address. A kernel has some near 0 and the others at the end of the address space. Sorted apart, each
// group differs in few digits, and the radix sort skips the rest.
static void sort(struct dw_file *file)
{
	struct dw_syms *syms = file->syms;
	SP_VEC(struct sym_key) low = { 0 };
	size_t n_high = 0;
	struct dw_sym sym;

	for (size_t pos = 0; dw_sym_next(file, &pos, &sym);)
		if (sym.is_code)
			sp_vec_push(&syms->by_addr, (struct sym_key){ sym.addr, pos - 1 });
	sp_vec_each(key, &syms->by_addr) {
		if (key->addr >> 63)
			syms->by_addr.v[n_high++] = *key;
		else
			sp_vec_push(&low, *key);
	}
	sort_keys(low.v, low.n);
	sort_keys(syms->by_addr.v, n_high);
	if (n_high && low.n)
		memmove(syms->by_addr.v + low.n, syms->by_addr.v, n_high * sizeof(*low.v));
	if (low.n)
		memcpy(syms->by_addr.v, low.v, low.n * sizeof(*low.v));
	sp_vec_deinit(&low);
	syms->is_sorted = true;
}

bool dw_sym_is_unique(struct dw_file *file, const char *name)
{
	struct dw_sym sym;
	unsigned n = 0;

	for (size_t pos = 0; dw_sym_next_named(file, name, &pos, &sym);)
		n += sp_streq(sym.name, name);
	return n == 1;
}

// Moves *pos past symbols that do not cover the address, without the work that dw_sym_next() does for each.
static void skip_others(const struct dw_syms *syms, uint64_t addr, size_t *pos)
{
	Elf64_Sym sym;

	for (; *pos < syms->n_raw; ++*pos) {
		memcpy(&sym, &syms->raw[*pos], sizeof(sym));
		if (sym.st_value <= addr && (!sym.st_size || addr - sym.st_value < sym.st_size))
			return;
	}
}

// As search_sorted(), before the symbols have been sorted.
static bool search_all(struct dw_file *file, uint64_t addr, const char *prefer, struct dw_sym *ret)
{
	bool found = false;
	struct dw_sym sym;
	size_t pos = 0;

	while (skip_others(file->syms, addr, &pos), dw_sym_next(file, &pos, &sym)) {
		if (!is_better(&sym, found ? ret : NULL, addr, prefer))
			continue;
		*ret = sym;
		found = true;
	}
	return found;
}

static bool search_sorted(struct dw_file *file, uint64_t addr, const char *prefer, struct dw_sym *ret)
{
	const struct dw_syms *syms = file->syms;
	size_t behind = sp_bisect(syms->by_addr.n, i, syms->by_addr.v[i].addr > addr);
	bool found = false;

	// Labels without a size may lie between the address and the function that covers it.
	for (size_t i = behind, steps = 0; i-- > 0 && steps < 64; steps++) {
		size_t pos = syms->by_addr.v[i].pos;
		struct dw_sym sym;
		if (found && syms->by_addr.v[i].addr < ret->addr)
			break;
		if (!dw_sym_next(file, &pos, &sym) || !is_better(&sym, found ? ret : NULL, addr, prefer))
			continue;
		*ret = sym;
		found = true;
	}
	return found;
}

// The symbols are sorted when addresses have been asked for a few times.
static bool is_sorted(struct dw_file *file)
{
	struct dw_syms *syms = syms_of(file);

	if (!syms->is_sorted && syms->n_questions_at++ >= SORT_AFTER)
		sort(file);
	return syms->is_sorted;
}

bool dw_sym_at(struct dw_file *file, uint64_t addr, const char *prefer, struct dw_sym *ret)
{
	return is_sorted(file) ? search_sorted(file, addr, prefer, ret) : search_all(file, addr, prefer, ret);
}

unsigned dw_sym_all_at(struct dw_file *file, uint64_t addr, struct dw_sym *ret, unsigned max)
{
	const struct dw_syms *syms;
	unsigned n = 0;
	size_t pos = 0;

	if (is_sorted(file)) {
		syms = file->syms;
		for (size_t i = sp_bisect(syms->by_addr.n, i, syms->by_addr.v[i].addr >= addr);
		     n < max && i < syms->by_addr.n && syms->by_addr.v[i].addr == addr; i++) {
			pos = syms->by_addr.v[i].pos;
			n += dw_sym_next(file, &pos, &ret[n]);
		}
		return n;
	}
	while (n < max && (skip_others(file->syms, addr, &pos), dw_sym_next(file, &pos, &ret[n])))
		n += ret[n].addr == addr;
	return n;
}
