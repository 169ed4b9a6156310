// SPDX-License-Identifier: GPL-2.0-or-later
/** Interned strings: equal text has one address, valid as long as the table. */
#ifndef SP_BASE_INTERN_H
#define SP_BASE_INTERN_H

#include "runtime/base/arena.h"
#include "runtime/base/hash.h"

struct sp_intern {
	struct sp_hash table;
	struct sp_arena arena;
};

void sp_intern_init(struct sp_intern *intern);
void sp_intern_deinit(struct sp_intern *intern);

const char *sp_intern_str(struct sp_intern *intern, const char *s);
const char *sp_intern_strn(struct sp_intern *intern, const char *s, size_t len);

#endif
