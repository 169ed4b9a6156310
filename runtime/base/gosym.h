// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions of a Go program, by the table that its own runtime has of them (.gopclntab), also when the program is stripped. That
 *  of Go 1.18 and later is read. */
#ifndef SP_BASE_GOSYM_H
#define SP_BASE_GOSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SP_GOSYM_SECTION ".gopclntab" // may begin with .data.rel.ro

struct sp_gosyms {
	const uint8_t *table;
	size_t size;
	uint64_t text, names, funcs, n;
};

/** `text` is the link-time address of .text: in a position-independent program the table has it when that is loaded. False: it is no such
 *  table. */
bool sp_gosyms_open(const void *table, size_t size, uint64_t text, struct sp_gosyms *ret);
/** The i-th of `n` functions: its name is in the table. False: the table is broken there. */
bool sp_gosyms_at(const struct sp_gosyms *syms, uint64_t i, const char **name_ret, uint64_t *address_ret, uint64_t *size_ret);

#endif
