// SPDX-License-Identifier: GPL-2.0-or-later
/** Types of header files: a C compiler makes an object of them, whose debug information is read like a program's. */
#ifndef SP_DRIVER_HEADER_H
#define SP_DRIVER_HEADER_H

#include "compiler/driver/session.h"

/** point_env.header_module; `ctx` is the session, whose `dbg` there is. */
struct sp_err *header_module(void *ctx, const char *headers, struct dbg_module **ret);

#endif
