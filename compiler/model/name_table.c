// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/name_table.h"

#include "runtime/base/util.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_SIZE 20 // "|0xffffffffffffffff"
#define MAX_ROWS 512
#define MAX_NAME 64 // it is copied word by word, without a loop

static bool read_number(const char **at, uint64_t *ret)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*ret = strtoull(*at, &end, 0);
	*at = end;
	return **at == '=' || **at == ',' || !**at;
}

// One entry, up to the comma or the end.
static const char *read_row(const char **at, bool is_enum, struct name_row *ret)
{
	bool has_mask;

	ret->name = *at;
	ret->len = (uint32_t)strcspn(*at, "/=,");
	if (!ret->len || ret->len > MAX_NAME)
		return ret->len ? "the name has more than 64 bytes" : "a name is expected";
	*at += ret->len;
	has_mask = **at == '/';
	if (has_mask) {
		++*at;
		if (!read_number(at, &ret->mask) || **at != '=')
			return "NAME/MASK=NUMBER is expected";
	}
	if (**at != '=')
		return "NAME=NUMBER is expected";
	++*at;
	if (!read_number(at, &ret->value) || **at == '=')
		return "a number is expected";
	if (!has_mask)
		ret->mask = is_enum || !ret->value ? UINT64_MAX : ret->value;
	return ret->value & ~ret->mask ? "the number has bits that its mask lacks" : NULL;
}

const char *name_table_parse(struct sp_arena *arena, const char *text, bool is_enum, struct name_table *ret, uint32_t *at_ret)
{
	struct name_table table = { .rows = sp_arena_array(arena, struct name_row, MAX_ROWS) };
	const char *at = text, *wrong;

	while (*at != '?') {
		struct name_row *row = &table.rows[table.n_rows];

		*at_ret = (uint32_t)(at - text);
		wrong = table.n_rows == MAX_ROWS ? "the table has more than 512 names" : read_row(&at, is_enum, row);
		if (wrong)
			return wrong;
		table.n_rows++;
		table.longest = SP_MAX(table.longest, row->len);
		if (!*at)
			break;
		at++;
	}
	if (*at == '?') {
		table.unknown = at + 1;
		table.unknown_len = (uint32_t)strlen(at + 1);
	}
	*ret = table;
	return NULL;
}

uint64_t name_table_size(const struct name_table *table, bool is_enum)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < table->n_rows && !is_enum; i++)
		size += table->rows[i].len + 1;
	size = is_enum ? table->longest : size;
	return SP_MAX(size + NUMBER_SIZE, (uint64_t)NUMBER_SIZE + table->unknown_len + 7);
}
