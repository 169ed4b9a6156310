// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_gosym.h"

#include "runtime/base/gosym.h"

#include <stdlib.h>

static bool table_of(const struct dw_file *file, struct dw_section *ret)
{
	return dw_elf_section(file->elf, SP_GOSYM_SECTION, ret) || dw_elf_section(file->elf, ".data.rel.ro" SP_GOSYM_SECTION, ret);
}

bool dw_gosym_is_go(const struct dw_file *file)
{
	struct dw_section table;

	return table_of(file, &table);
}

static uint64_t text_of(const struct dw_file *file)
{
	GElf_Shdr shdr;
	size_t strndx;

	for (Elf_Scn *scn = NULL; elf_getshdrstrndx(file->elf, &strndx) == 0 && (scn = elf_nextscn(file->elf, scn));) {
		if (gelf_getshdr(scn, &shdr) && dw_elf_is_text(file->elf, strndx, shdr.sh_name, ".text"))
			return shdr.sh_addr;
	}
	return 0;
}

bool dw_gosym_read(const struct dw_file *file, struct dw_gosyms *ret)
{
	uint64_t address, size;
	struct dw_section table;
	struct sp_gosyms syms;
	const char *name;

	if (!table_of(file, &table) || !sp_gosyms_open(table.data, table.size, text_of(file), &syms))
		return false;
	*ret = (struct dw_gosyms){ .v = sp_calloc(syms.n + 1, sizeof(*ret->v)), .strings = (const char *)table.data + syms.names,
				   .strings_size = table.size - syms.names };
	for (uint64_t i = 0; i < syms.n; i++)
		if (sp_gosyms_at(&syms, i, &name, &address, &size))
			ret->v[ret->n++] = (Elf64_Sym){ .st_name = (uint32_t)(name - ret->strings), .st_shndx = 1,
							.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_value = address,
							.st_size = size };
	return true;
}
