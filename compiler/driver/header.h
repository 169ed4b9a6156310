// SPDX-License-Identifier: GPL-2.0-or-later
/** Types of header files, for @cast(p, "type", "<header.h>"): a C compiler makes a shared library of the headers, whose debug
 *  information is read like a program's. */
#ifndef SP_DRIVER_HEADER_H
#define SP_DRIVER_HEADER_H

#include "compiler/driver/session.h"

/** The callback point_env.header_module; `ctx` is the session, whose `dbg` must be open. */
struct sp_err *header_module(void *ctx, const char *headers, struct dbg_module **ret);

#endif
