// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions of a stripped Go program: its runtime needs their names, so .gopclntab has them. (Go 1.18 and later.) */
#ifndef SP_DEBUG_DW_GOSYM_H
#define SP_DEBUG_DW_GOSYM_H

#include "compiler/debug/dwarf/dw_file.h"

struct dw_gosyms {
	Elf64_Sym *v; // NULL: none
	size_t n;
	const char *strings; // st_name is an offset here
	size_t strings_size;
};

/** Is it a Go program, as far as its sections tell? */
bool dw_gosym_is_go(const struct dw_file *file);
/** The array is the caller's, to be freed. False: the file has no such table. */
bool dw_gosym_read(const struct dw_file *file, struct dw_gosyms *ret);

#endif
