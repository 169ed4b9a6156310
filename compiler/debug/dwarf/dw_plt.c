// SPDX-License-Identifier: GPL-2.0-or-later
// Linkers lay the table out in several ways (.plt, .plt.sec with branch tracking, .plt.got without lazy binding). In all of
// them a stub jumps through a word of the global offset table, and a relocation says whose address goes there.
#include "compiler/debug/dwarf/dw_plt.h"

#include "compiler/debug/dwarf/dw_loc.h"

#include "runtime/base/hash.h"

#define STUB_ALIGN 8
#define STUB_MAX 16 // bytes; a table's entries are 8 or 16

struct finder {
	struct dw_file *file;
	struct sp_hash names; // address in the global offset table -> name
	uint64_t table; // i386: DT_PLTGOT, the address of that table
	SP_VEC(struct dbg_stub) found;
};

// SHT_REL, which i386 has, and SHT_RELA; both say where an address goes, and whose.
static bool get_relocation(Elf_Data *data, int i, GElf_Word type, GElf_Rela *ret)
{
	GElf_Rel rel;

	if (type == SHT_RELA)
		return gelf_getrela(data, i, ret);
	if (!gelf_getrel(data, i, &rel))
		return false;
	*ret = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	return true;
}

static void read_relocations(struct finder *f, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbols = elf_getscn(f->file->elf, header->sh_link);
	Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Shdr symbol_header;
	GElf_Rela rela;
	GElf_Sym sym;

	if (!data || !symbol_data || !gelf_getshdr(symbols, &symbol_header))
		return;
	for (int i = 0; get_relocation(data, i, header->sh_type, &rela); i++) {
		if (!gelf_getsym(symbol_data, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		const char *name = elf_strptr(f->file->elf, symbol_header.sh_link, sym.st_name);
		uint64_t address = rela.r_offset;
		if (name && *name)
			*sp_hash_insert(&f->names, &address, sizeof(address)) = (void *)name;
	}
}

// x86_64: [endbr64] [bnd] jmp *displacement(%rip)
// i386: [endbr32] jmp *address, or jmp *displacement(%ebx), which holds the address of the global offset table
static bool stub_target(const struct finder *f, const uint8_t *code, size_t size, uint64_t pc, uint64_t *ret)
{
	bool is_32 = f->file->abi->word_size == 4;
	const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, is_32 ? 0xfb : 0xfa };
	size_t at = size >= sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)) ? sizeof(endbr) : 0;
	int32_t displacement;

	at += at < size && code[at] == 0xf2;
	if (at + 6 > size || code[at] != 0xff || (code[at + 1] != 0x25 && !(is_32 && code[at + 1] == 0xa3)))
		return false;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	if (!is_32)
		*ret = pc + at + 6 + (uint64_t)(int64_t)displacement;
	else
		*ret = (uint32_t)((code[at + 1] == 0xa3 ? f->table : 0) + (uint64_t)(int64_t)displacement);
	return true;
}

static void read_stubs(struct finder *f, const GElf_Shdr *header, Elf_Scn *section, const char *pattern)
{
	Elf_Data *data = elf_getdata(section, NULL);
	uint64_t target;

	for (size_t at = 0; data && data->d_buf && at + STUB_ALIGN <= data->d_size; at += STUB_ALIGN) {
		size_t size = SP_MIN(data->d_size - at, (size_t)STUB_MAX);
		if (!stub_target(f, (const uint8_t *)data->d_buf + at, size, header->sh_addr + at, &target))
			continue;
		void **name = sp_hash_find(&f->names, &target, sizeof(target));
		if (name && sp_glob_match(pattern, *name))
			sp_vec_push(&f->found, ((struct dbg_stub){ sp_arena_strdup(&f->file->arena, *name), header->sh_addr + at }));
	}
}

static uint64_t table_address(Elf_Scn *dynamic)
{
	Elf_Data *data = elf_getdata(dynamic, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		if (entry.d_tag == DT_PLTGOT)
			return entry.d_un.d_ptr;
	return 0;
}

void dw_plt_find(struct dw_file *file, const char *name, struct dbg_stubs *ret)
{
	struct finder f = { .file = file };
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names = 0;

	elf_getshdrstrndx(file->elf, &names);
	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			f.table = table_address(section);
		else if (gelf_getshdr(section, &header) && (header.sh_type == SHT_RELA || header.sh_type == SHT_REL))
			read_relocations(&f, section, &header);
	while ((section = elf_nextscn(file->elf, section))) {
		const char *text = gelf_getshdr(section, &header) ? elf_strptr(file->elf, names, header.sh_name) : NULL;
		if (text && header.sh_type == SHT_PROGBITS && file->ehdr.e_machine != EM_AARCH64 && sp_starts_with(text, ".plt"))
			read_stubs(&f, &header, section, name);
	}
	ret->v = sp_arena_memdup(&file->arena, f.found.v, f.found.n * sizeof(*f.found.v));
	ret->n = (unsigned)f.found.n;
	sp_vec_deinit(&f.found);
	sp_hash_deinit(&f.names);
}

static bool is_of_variable(const struct dw_file *file, const GElf_Rela *rela)
{
	unsigned type = (unsigned)GELF_R_TYPE(rela->r_info);

	switch (file->ehdr.e_machine) {
	case EM_X86_64:
		return type == R_X86_64_GLOB_DAT;
	case EM_386:
		return type == R_386_GLOB_DAT;
	case EM_AARCH64:
		return type == R_AARCH64_GLOB_DAT;
	default:
		return false;
	}
}

static bool find_slot(struct dw_file *file, Elf_Scn *section, const GElf_Shdr *header, uint64_t address, uint64_t *ret)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbols = elf_getscn(file->elf, header->sh_link);
	Elf_Data *symbol_data = symbols ? elf_getdata(symbols, NULL) : NULL;
	GElf_Rela rela;
	GElf_Sym sym;

	for (int i = 0; data && symbol_data && get_relocation(data, i, header->sh_type, &rela); i++) {
		if (!is_of_variable(file, &rela) || !gelf_getsym(symbol_data, (int)GELF_R_SYM(rela.r_info), &sym) ||
		    sym.st_shndx == SHN_UNDEF || sym.st_value != address || GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		*ret = rela.r_offset;
		return true;
	}
	return false;
}

void dw_plt_variable(struct dw_file *file, struct dbg_var *var)
{
	uint64_t address = (uint64_t)var->loc->pieces[0].ops[0].a, slot;
	struct loc_op ops[] = { { .kind = LOC_ADDR }, { .kind = LOC_DEREF, .a = file->abi->word_size } };
	struct loc_piece piece = { .where = LOC_IN_MEMORY, .n_ops = SP_ARRAY_SIZE(ops) };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (file->ehdr.e_type == ET_DYN && (section = elf_nextscn(file->elf, section))) {
		if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_RELA && header.sh_type != SHT_REL) || !(header.sh_flags & SHF_ALLOC) ||
		    !find_slot(file, section, &header, address, &slot))
			continue;
		ops[0].a = (int64_t)slot;
		piece.ops = sp_arena_memdup(&file->arena, ops, sizeof(ops));
		var->loc = dw_loc_make(&file->arena, &piece, 1);
		var->at = address;
		return;
	}
}
