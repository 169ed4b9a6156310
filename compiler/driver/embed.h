// SPDX-License-Identifier: GPL-2.0-or-later
/** The pass that compiles embedded C: makes one C text of all pieces, adds the kernel's types when they include its headers, runs
 *  clang, and reports clang's messages as diagnostics. */
#ifndef SP_DRIVER_EMBED_H
#define SP_DRIVER_EMBED_H

#include "compiler/driver/session.h"
#include "compiler/ir/embedded.h"

/** Compiles the unit's pieces of C to `ret`; does nothing when it has none. `text_ret` gets the C text for a dump; NULL: it is not
 *  wanted. */
struct sp_err *embed_compile(struct spile *spile, const struct ir_unit *unit, struct embedded *ret, struct sp_buf *text_ret);

#endif
