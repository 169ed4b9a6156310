// SPDX-License-Identifier: GPL-2.0-or-later
/** The tables of __flags_str() and __enum_str(): names of numbers in a string literal of the library, for example
 *
 *      "O_RDONLY/3=0,O_WRONLY/3=1,O_RDWR/3=2,O_CREAT=0100,?O_???"
 *
 *  An entry is NAME=NUMBER or NAME/MASK=NUMBER; numbers are decimal, 0x hexadecimal or 0 octal. The entry has a value when
 *  the bits of its mask are NUMBER and no entry before it has claimed one of them. Without /MASK the mask of a flag is NUMBER,
 *  and that of an enumerator, or of the flag that is 0, all bits. "?TEXT", the last one, is what a value without any name is
 *  said to be. */
#ifndef SP_MODEL_NAME_TABLE_H
#define SP_MODEL_NAME_TABLE_H

#include "runtime/base/arena.h"

struct name_row {
	const char *name; // in the table's text
	uint32_t len;
	uint64_t mask, value;
};

struct name_table {
	struct name_row *rows;
	uint32_t n_rows;
	uint32_t longest; // bytes of the longest name
	const char *unknown; // in the table's text; NULL: the table has none
	uint32_t unknown_len;
};

/** Fills `ret`, in the arena. NULL, or what is wrong with the entry at byte `at_ret` of the text. */
const char *name_table_parse(struct sp_arena *arena, const char *text, bool is_enum, struct name_table *ret, uint32_t *at_ret);

/** Bytes of the longest text that the names make, with its NUL. */
uint64_t name_table_size(const struct name_table *table, bool is_enum);

#endif
