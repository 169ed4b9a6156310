// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/gosym.h"

#include <string.h>

// The head of the table since Go 1.18 (its src/runtime/symtab.go). Offsets are from the table's start.
struct head {
	uint32_t magic;
	uint8_t zero[2], min_code, pointer_size;
	uint64_t n_funcs, n_files, text, names, units, files, pcs, funcs;
};

struct func {
	uint32_t entry; // from `text`
	uint32_t info; // from `funcs`: there is the entry again, and the offset of the name in `names`
};

bool sp_gosyms_open(const void *table, size_t size, uint64_t text, struct sp_gosyms *ret)
{
	struct head head;

	if (size < sizeof(head))
		return false;
	memcpy(&head, table, sizeof(head));
	if ((head.magic != 0xfffffff0 && head.magic != 0xfffffff1) || head.pointer_size != 8 || head.names >= size || // Go 1.18, Go 1.20
	    head.funcs >= size || head.n_funcs >= (size - head.funcs) / sizeof(struct func) || ((const uint8_t *)table)[size - 1])
		return false;
	*ret = (struct sp_gosyms){ table, size, head.text ? head.text : text, head.names, head.funcs, head.n_funcs };
	return true;
}

bool sp_gosyms_at(const struct sp_gosyms *syms, uint64_t i, const char **name_ret, uint64_t *address_ret, uint64_t *size_ret)
{
	const uint8_t *funcs = syms->table + syms->funcs;
	struct func func;
	uint32_t next, name;

	memcpy(&func, funcs + i * sizeof(func), sizeof(func));
	memcpy(&next, funcs + (i + 1) * sizeof(func), sizeof(next)); // the last one is followed by the end of the code
	if (syms->size - syms->funcs < 8 || func.info > syms->size - syms->funcs - 8 || next < func.entry)
		return false;
	memcpy(&name, funcs + func.info + 4, sizeof(name));
	if (name >= syms->size - syms->names)
		return false;
	*name_ret = (const char *)syms->table + syms->names + name;
	*address_ret = syms->text + func.entry;
	*size_ret = next - func.entry;
	return true;
}
