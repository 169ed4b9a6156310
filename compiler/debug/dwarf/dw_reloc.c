// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_reloc.h"

#include "runtime/base/util.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MADV_WRITE_ALL 23 // MADV_POPULATE_WRITE, which <sys/mman.h> has since glibc 2.35: from Linux 5.14 on

struct reloc {
	struct dw_image *image;
	unsigned machine;
	size_t strndx;
	Elf_Data *symbols;
	uint8_t *target; // the section that is relocated
	uint64_t target_size;
};

// The bytes that the relocation writes; 0: it is another sort.
static unsigned width_of(unsigned machine, uint32_t type)
{
	if (machine == EM_X86_64)
		return type == R_X86_64_64 ? 8 : type == R_X86_64_32 || type == R_X86_64_32S ? 4 : 0;
	return machine != EM_AARCH64 ? 0 : type == R_AARCH64_ABS64 ? 8 : type == R_AARCH64_ABS32 ? 4 : 0;
}

// Where the symbol is. False: libdwfl may know.
static bool value_of(const struct reloc *r, uint32_t symbol, uint64_t *ret)
{
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (!gelf_getsym(r->symbols, (int)symbol, &sym) || sym.st_shndx == SHN_UNDEF || sym.st_shndx >= SHN_LORESERVE ||
	    !gelf_getshdr(elf_getscn(r->image->elf, sym.st_shndx), &shdr) || (shdr.sh_flags & SHF_ALLOC && !shdr.sh_addr))
		return false;
	*ret = shdr.sh_addr + sym.st_value;
	return true;
}

static bool apply_one(const struct reloc *r, const Elf64_Rela *rela, uint64_t value)
{
	unsigned width = width_of(r->machine, ELF64_R_TYPE(rela->r_info));

	if (!width || rela->r_offset > r->target_size || r->target_size - rela->r_offset < width)
		return false;
	value += (uint64_t)rela->r_addend;
	memcpy(r->target + rela->r_offset, &value, width);
	return true;
}

static bool apply_all(const struct reloc *r, const uint8_t *relas, size_t n)
{
	uint32_t symbol = 0, last = UINT32_MAX; // one after the other they have few symbols: those of sections
	uint64_t value = 0;
	Elf64_Rela rela;

	for (size_t i = 0; i < n; i++) {
		memcpy(&rela, relas + i * sizeof(rela), sizeof(rela));
		symbol = ELF64_R_SYM(rela.r_info);
		if (symbol != last && !value_of(r, symbol, &value))
			return false;
		last = symbol;
		if (!apply_one(r, &rela, value))
			return false;
	}
	return true;
}

// Copies of all pages of the section at once: one by one, as each is written to, takes several times that.
static void prepare(const struct reloc *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)r->target & (page - 1);

	madvise(r->target - before, r->target_size + before, MADV_WRITE_ALL);
}

// Relocations that are done are not read again. The pages that have others, too, stay.
static void forget(const uint8_t *relas, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = ((uintptr_t)relas + page - 1) & ~(page - 1), to = ((uintptr_t)relas + size) & ~(page - 1);

	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

static bool is_debug(const struct reloc *r, const GElf_Shdr *shdr)
{
	const char *name = elf_strptr(r->image->elf, r->strndx, shdr->sh_name);

	return shdr->sh_type == SHT_PROGBITS && !(shdr->sh_flags & (SHF_ALLOC | SHF_COMPRESSED)) && name && sp_starts_with(name, ".debug_");
}

static void apply_section(struct reloc *r, Elf_Scn *scn)
{
	Elf *elf = r->image->elf;
	GElf_Shdr shdr, target;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || shdr.sh_entsize != sizeof(Elf64_Rela) ||
	    !gelf_getshdr(elf_getscn(elf, shdr.sh_info), &target) || !is_debug(r, &target))
		return;
	r->symbols = elf_getdata(elf_getscn(elf, shdr.sh_link), NULL);
	r->target = r->image->map + target.sh_offset;
	r->target_size = target.sh_size;
	prepare(r);
	if (!r->symbols || !apply_all(r, r->image->map + shdr.sh_offset, shdr.sh_size / sizeof(Elf64_Rela)))
		return;
	forget(r->image->map + shdr.sh_offset, shdr.sh_size);
	shdr.sh_size = 0;
	gelf_update_shdr(scn, &shdr);
}

// Sections that are written to must not be where the headers are, which are read again and again: by then they have been checked.
static struct sp_err *check_headers(const struct dw_image *image, const GElf_Ehdr *ehdr)
{
	uint64_t end = ehdr->e_shoff + (uint64_t)ehdr->e_shentsize * ehdr->e_shnum;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
		GElf_Shdr shdr;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || shdr.sh_type == SHT_NULL || !shdr.sh_size)
			continue;
		if (shdr.sh_offset < ehdr->e_ehsize || (shdr.sh_offset < end && shdr.sh_offset + shdr.sh_size > ehdr->e_shoff))
			return sp_err_new(SP_ERR_FORMAT, "%s: broken ELF file: section %zu lies where the headers are", image->path,
					  elf_ndxscn(scn));
	}
	return NULL;
}

struct sp_err *dw_reloc_apply(struct dw_image *image)
{
	struct reloc r = { .image = image };
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(image->elf, &ehdr) || elf_getshdrstrndx(image->elf, &r.strndx) < 0)
		return NULL;
	SP_TRY(check_headers(image, &ehdr));
	r.machine = ehdr.e_machine;
	for (Elf_Scn *scn = NULL; gelf_getclass(image->elf) == ELFCLASS64 && (scn = elf_nextscn(image->elf, scn));)
		apply_section(&r, scn);
	return NULL;
}
