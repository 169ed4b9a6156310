// SPDX-License-Identifier: GPL-2.0-or-later
/** LLVM's objects of an engine's parts become one object, as if all had been in one module.
 *
 *  The idea. Code and constants of sections that have the same name stand behind each other. Variables (maps, the script's data)
 *  are in each part that uses them, and those of the same name are the same one: it stands in the object once.
 *
 *  The invariant. The bytes depend on the objects and their order alone. */
#ifndef SP_GEN_OBJECT_JOIN_H
#define SP_GEN_OBJECT_JOIN_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

/** Appends to `ret`. A single object stays as it is. */
struct sp_err *object_join(const struct sp_buf *objects, size_t n, struct sp_buf *ret);

#endif
