// SPDX-License-Identifier: GPL-2.0-or-later
/** Go's promoted fields: those of an embedded structure, or of one that an embedded pointer points to, count as fields of the structure
 *  around it. Of several of a name the one that is least deep counts; two at the same depth are none (The Go Programming Language
 *  Specification, "Selectors"). */
#ifndef SP_SEMA_PROMOTED_H
#define SP_SEMA_PROMOTED_H

#include "compiler/model/type.h"

/** The embedded field that has the member or leads to it; NULL: none, or several. `type` is complete and has no such member. */
const char *promoted_through(const struct c_type *type, const char *name);

#endif
