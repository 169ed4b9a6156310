// SPDX-License-Identifier: GPL-2.0-or-later
/** Globals that a script writes and never reads are printed when it ends: `name=42`, `name="text"`,
 *  `name["key",2]=5`, elements in descending order of value, in columns; a stack among the keys as lines with names; of an aggregate
 *  that is no array the histogram. Numbers that the compiler has marked are hexadecimal; arrays that are SP_MAP_PLAIN are as SystemTap
 *  has them. */
#ifndef SP_RUNTIME_UNREAD_H
#define SP_RUNTIME_UNREAD_H

#include "runtime/base/buf.h"
#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"
#include "runtime/vm/store.h"

struct unread {
	const struct bundle *bundle;
	const void *data;
	struct store *store;
	struct symbols *symbols; // names of addresses in keys
	const bool *shown; // by map, those that have been shown in another way; NULL: none
	bool with_read; // also those that the script does read
	unsigned most; // elements of an array, those with the greatest values; 0: all. As JSON only
};

void unread_print(struct sp_buf *out, const struct unread *what);
/** Is the one of that index among them? */
bool unread_shows_global(const struct unread *what, unsigned global);
bool unread_shows_map(const struct unread *what, unsigned map);

#endif
