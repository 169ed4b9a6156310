// SPDX-License-Identifier: GPL-2.0-or-later
/** Loads the code generator, the module spile-gen.so, which needs LLVM's library. It is loaded only when code is made: scripts with
 *  mistakes, listings and -p1 to -p3 start faster without it. */
#ifndef SP_DRIVER_CODEGEN_H
#define SP_DRIVER_CODEGEN_H

#include "compiler/driver/session.h"
#include "compiler/gen/core/gen.h"

/** The code generator's functions. It stays loaded until the process ends. */
struct sp_err *codegen_load(const struct spile *spile, const struct gen_api **ret);

#endif
