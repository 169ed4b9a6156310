// SPDX-License-Identifier: GPL-2.0-or-later
/** Names of integer types. A script may write "long unsigned" or "unsigned long int"; debug information has one spelling for each
 *  type, also within the names of templates: gcc's "long unsigned int", clang's "unsigned long". */
#ifndef SP_DEBUG_SPELLING_H
#define SP_DEBUG_SPELLING_H

#include "runtime/base/buf.h"

enum spelling { SPELLING_GCC, SPELLING_CLANG, SPELLING_COUNT };

/** The name that this compiler gives the integer type; false: `name` is no integer type. */
bool spelling_integer(const char *name, enum spelling spelling, struct sp_buf *ret);
/** A name or pattern with its template arguments spelt as this compiler spells them: "Box<long>::grow" becomes
 *  "Box<long int>::grow" for gcc. False: that changes nothing. */
bool spelling_template(const char *name, enum spelling spelling, struct sp_buf *ret);
/** The pattern in which stars that look like pointers, in template arguments behind a type, stand for themselves: "Box<int*>::g*"
 *  becomes "Box<int\*>::g*". False: there are none. */
bool spelling_pointers(const char *name, struct sp_buf *ret);
/** The patterns that instances of templates match whose name is given without arguments, one for each `i` from 0: "gen" is "gen<*>",
 *  "Box::put" is "Box<*>::put", "Box::put<*>" and "Box<*>::put<*>". Of a longer name the last three parts have arguments. False: no more. */
bool spelling_instances(const char *name, unsigned i, struct sp_buf *ret);
/** Is that an instance of the name without arguments? "ns::Box<int>::put<char>" is one of "Box::put". */
bool spelling_is_instance(const char *name, const char *instance);

#endif
