// SPDX-License-Identifier: GPL-2.0-or-later
/** Names of integer types. C and C++ take many ("long unsigned", "unsigned long int"); debug information has one of each,
 *  also within the names of templates: gcc says "long unsigned int", clang "unsigned long". */
#ifndef SP_DEBUG_SPELLING_H
#define SP_DEBUG_SPELLING_H

#include "runtime/base/buf.h"

enum spelling { SPELLING_GCC, SPELLING_CLANG, SPELLING_COUNT };

/** The compiler's name of the type; false: it is no integer type. */
bool spelling_integer(const char *name, enum spelling spelling, struct sp_buf *ret);
/** A name or pattern with its template arguments as the compiler writes them; false: that is how they are written. */
bool spelling_template(const char *name, enum spelling spelling, struct sp_buf *ret);

#endif
