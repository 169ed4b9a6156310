// SPDX-License-Identifier: GPL-2.0-or-later
/** The pass that compiles embedded C: its text, the kernel's types when it names them, clang, and clang's messages as
 *  diagnostics. */
#ifndef SP_DRIVER_EMBED_H
#define SP_DRIVER_EMBED_H

#include "compiler/driver/session.h"
#include "compiler/ir/embedded.h"

/** Fills in what is known of the unit's pieces of C; nothing when it has none. `text_ret` gets the C text; NULL: it is not
 *  wanted. */
struct sp_err *embed_compile(struct spile *spile, const struct ir_unit *unit, struct embedded *ret, struct sp_buf *text_ret);

#endif
