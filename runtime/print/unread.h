// SPDX-License-Identifier: GPL-2.0-or-later
/** Globals that a script writes and never reads are printed when it ends: `name=42`, `name="text"`,
 *  `name["key",2]=5`, elements in descending order of value. Numbers that the compiler has marked are hexadecimal. */
#ifndef SP_RUNTIME_UNREAD_H
#define SP_RUNTIME_UNREAD_H

#include "runtime/base/buf.h"
#include "runtime/load/bundle.h"
#include "runtime/vm/store.h"

/** `shown`: by map, those that have been shown in another way; NULL: none. `all`: those that the script reads, too. */
void unread_print(struct sp_buf *out, const struct bundle *bundle, const void *data, struct store *store,
		  const bool *shown, bool all);

#endif
