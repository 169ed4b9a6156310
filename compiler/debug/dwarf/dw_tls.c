// SPDX-License-Identifier: GPL-2.0-or-later
// The block of the program itself lies right below the thread pointer (variant II of the document). Where a library's block lies is
// decided by the dynamic linker, which writes it into words of the library's global offset table; the location program reads one of
// these words.
#include "compiler/debug/dwarf/dw_tls.h"

#include "compiler/debug/dwarf/dw_loc.h"

// What such a word holds.
enum word_kind {
	WORD_NONE,
	WORD_MODULE, // the library's number in the thread's vector of blocks (R_X86_64_DTPMOD64)
	WORD_OFFSET, // the offset of byte `at` of the block from the thread pointer (R_X86_64_TPOFF64)
};

struct word {
	enum word_kind kind;
	uint64_t address; // link-time
	uint64_t at;
};

// Calls `is` for the entries of the dynamic section until it returns true.
static bool any_dynamic(const struct dw_file *file, bool (*is)(const GElf_Dyn *dyn, const char *text))
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn dyn;

	while ((section = elf_nextscn(file->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC || !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getdyn(data, i, &dyn); i++)
			if (is(&dyn, dyn.d_tag == DT_NEEDED ? elf_strptr(file->elf, header.sh_link, dyn.d_un.d_val) : NULL))
				return true;
	}
	return false;
}

static bool says_pie(const GElf_Dyn *dyn, const char *text SP_UNUSED)
{
	return dyn->d_tag == DT_FLAGS_1 && dyn->d_un.d_val & DF_1_PIE;
}

static bool is_program(const struct dw_file *file)
{
	return file->ehdr.e_type == ET_EXEC || any_dynamic(file, says_pie);
}

static bool says_musl(const GElf_Dyn *dyn SP_UNUSED, const char *text)
{
	return text && (sp_streq(text, "libc.so") || sp_starts_with(text, "libc.musl-"));
}

static bool find_segment(const struct dw_file *file, GElf_Phdr *ret)
{
	size_t n = 0;

	elf_getphdrnum(file->elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(file->elf, (int)i, ret) && ret->p_type == PT_TLS)
			return true;
	return false;
}

// Is the word about the file's own block? It is when its relocation has no symbol, or one that the file defines.
static bool own_symbol(Elf_Data *symbols, size_t index, uint64_t *at_ret)
{
	GElf_Sym sym;

	*at_ret = 0;
	if (!index)
		return true;
	if (!symbols || !gelf_getsym(symbols, (int)index, &sym) || sym.st_shndx == SHN_UNDEF)
		return false;
	*at_ret = sym.st_value;
	return true;
}

static struct word find_word_in(struct dw_file *file, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	Elf_Scn *symbol_section = elf_getscn(file->elf, header->sh_link);
	Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
	GElf_Rela rela;
	uint64_t at;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);

		if ((type != R_X86_64_DTPMOD64 && type != R_X86_64_TPOFF64) ||
		    !own_symbol(symbols, GELF_R_SYM(rela.r_info), &at))
			continue;
		return (struct word){ type == R_X86_64_DTPMOD64 ? WORD_MODULE : WORD_OFFSET, rela.r_offset,
				      at + (uint64_t)rela.r_addend };
	}
	return (struct word){ 0 };
}

static struct word find_word(struct dw_file *file)
{
	struct word word = { 0 };
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while (!word.kind && (section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			word = find_word_in(file, section, &header);
	return word;
}

uint64_t dw_tls_offset(const struct dw_file *file, uint64_t offset)
{
	GElf_Phdr segment;

	if (!find_segment(file, &segment) || offset < segment.p_memsz || offset - segment.p_vaddr >= segment.p_memsz)
		return offset;
	return offset - segment.p_vaddr;
}

unsigned dw_tls_block(struct dw_file *file, struct loc_op ret[DW_TLS_MAX_OPS], const char **why_ret)
{
	GElf_Phdr segment;
	struct word word;
	unsigned n = 0;

	if (file->ehdr.e_machine != EM_X86_64) {
		*why_ret = "it is thread-local, and spile reads such variables on x86_64 only";
		return 0;
	}
	if (!find_segment(file, &segment)) {
		*why_ret = "it is thread-local in a file that has no thread-local data (broken debug information)";
		return 0;
	}
	ret[n++] = (struct loc_op){ .kind = LOC_TLS };
	if (is_program(file)) {
		uint64_t align = SP_MAX(segment.p_align, 1u), end = segment.p_vaddr + segment.p_memsz;

		ret[n++] = (struct loc_op){ .kind = LOC_CONST, .a = -(int64_t)(segment.p_memsz + (align - end % align) % align) };
		ret[n++] = (struct loc_op){ .kind = LOC_ADD };
		return n;
	}
	word = find_word(file);
	switch (word.kind) {
	case WORD_NONE:
		*why_ret = "it is thread-local in a library that does not tell where its block is (it was compiled with "
			   "-mtls-dialect=gnu2, or does not use the variable itself)";
		return 0;
	case WORD_OFFSET:
		ret[n++] = dw_loc_address_op(file, word.address);
		ret[n++] = (struct loc_op){ .kind = LOC_DEREF, .a = 8 };
		ret[n++] = (struct loc_op){ .kind = LOC_ADD };
		ret[n++] = (struct loc_op){ .kind = LOC_CONST, .a = -(int64_t)word.at };
		ret[n++] = (struct loc_op){ .kind = LOC_ADD };
		return n;
	case WORD_MODULE: // the word at thread pointer + 8 points to the vector of blocks, 16 bytes for each library; musl: 8
		ret[n++] = (struct loc_op){ .kind = LOC_CONST, .a = 8 };
		ret[n++] = (struct loc_op){ .kind = LOC_ADD };
		ret[n++] = (struct loc_op){ .kind = LOC_DEREF, .a = 8 };
		ret[n++] = dw_loc_address_op(file, word.address);
		ret[n++] = (struct loc_op){ .kind = LOC_DEREF, .a = 8 };
		ret[n++] = (struct loc_op){ .kind = LOC_CONST, .a = any_dynamic(file, says_musl) ? 8 : 16 };
		ret[n++] = (struct loc_op){ .kind = LOC_MUL };
		ret[n++] = (struct loc_op){ .kind = LOC_ADD };
		ret[n++] = (struct loc_op){ .kind = LOC_DEREF, .a = 8 };
		return n;
	}
	return 0;
}
