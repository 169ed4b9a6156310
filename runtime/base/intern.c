// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/intern.h"

void sp_intern_init(struct sp_intern *intern)
{
	*intern = (struct sp_intern){ 0 };
}

void sp_intern_deinit(struct sp_intern *intern)
{
	sp_hash_deinit(&intern->table);
	sp_arena_deinit(&intern->arena);
}

const char *sp_intern_strn(struct sp_intern *intern, const char *s, size_t len)
{
	void **place = sp_hash_insert(&intern->table, s, len);

	if (!*place)
		*place = sp_arena_strndup(&intern->arena, s, len);
	return *place;
}

const char *sp_intern_str(struct sp_intern *intern, const char *s)
{
	return sp_intern_strn(intern, s, strlen(s));
}
