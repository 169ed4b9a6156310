// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_gosym.h"

#include <stdlib.h>
#include <string.h>

// The head of .gopclntab since Go 1.18 (its src/runtime/symtab.go). Offsets are from the section's start.
struct head {
	uint32_t magic;
	uint8_t zero[2], min_code, pointer_size;
	uint64_t n_funcs, n_files, text, names, units, files, pcs, funcs;
};

struct func {
	uint32_t entry; // from `text`
	uint32_t info; // from `funcs`: there is the entry again, and the offset of the name in `names`
};

static bool is_magic(uint32_t magic)
{
	return magic == 0xfffffff0 || magic == 0xfffffff1; // Go 1.18, Go 1.20
}

static bool table_of(const struct dw_file *file, struct dw_section *ret)
{
	return dw_elf_section(file->elf, ".gopclntab", ret) || dw_elf_section(file->elf, ".data.rel.ro.gopclntab", ret);
}

bool dw_gosym_is_go(const struct dw_file *file)
{
	struct dw_section table;

	return table_of(file, &table);
}

// In a position-independent program the address of the code is filled in when the program is loaded.
static uint64_t text_of(const struct dw_file *file, uint64_t text)
{
	for (Elf_Scn *scn = NULL; !text && (scn = elf_nextscn(file->elf, scn));) {
		GElf_Shdr shdr;
		size_t strndx;
		const char *name;
		if (elf_getshdrstrndx(file->elf, &strndx) == 0 && gelf_getshdr(scn, &shdr) &&
		    (name = elf_strptr(file->elf, strndx, shdr.sh_name)) && sp_streq(name, ".text"))
			text = shdr.sh_addr;
	}
	return text;
}

bool dw_gosym_read(const struct dw_file *file, struct dw_gosyms *ret)
{
	struct dw_section table;
	struct head head;

	if (!table_of(file, &table) || table.size < sizeof(head))
		return false;
	memcpy(&head, table.data, sizeof(head));
	if (!is_magic(head.magic) || head.pointer_size != 8 || head.names >= table.size || head.funcs >= table.size ||
	    head.n_funcs >= (table.size - head.funcs) / sizeof(struct func) || table.data[table.size - 1])
		return false;
	uint64_t text = text_of(file, head.text);
	const uint8_t *funcs = table.data + head.funcs;
	*ret = (struct dw_gosyms){ .v = sp_calloc(head.n_funcs + 1, sizeof(*ret->v)),
				   .strings = (const char *)table.data + head.names,
				   .strings_size = table.size - head.names };
	for (uint64_t i = 0; i < head.n_funcs; i++) {
		struct func func;
		uint32_t next, name;
		memcpy(&func, funcs + i * sizeof(func), sizeof(func));
		memcpy(&next, funcs + (i + 1) * sizeof(func), sizeof(next)); // the last one is followed by the end of the code
		if (func.info > table.size - head.funcs - 8 || next < func.entry)
			continue;
		memcpy(&name, funcs + func.info + 4, sizeof(name));
		ret->v[ret->n++] = (Elf64_Sym){ .st_name = name, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
						.st_value = text + func.entry, .st_size = next - func.entry };
	}
	return true;
}
