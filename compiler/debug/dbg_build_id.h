// SPDX-License-Identifier: GPL-2.0-or-later
/** Programs and libraries that are named by their build-id: process("a1b2..."). */
#ifndef SP_DEBUG_DBG_BUILD_ID_H
#define SP_DEBUG_DBG_BUILD_ID_H

#include <stdbool.h>

/** Can the name be a build-id, in hexadecimal digits? */
bool dbg_build_id_is(const char *name);
/** The file with that build-id: of those that /usr/lib/debug/.build-id has links to, that processes run or use, or that are in a
 *  folder of PATH. To be freed; NULL: none. */
char *dbg_build_id_find(const char *sysroot, const char *id);

#endif
