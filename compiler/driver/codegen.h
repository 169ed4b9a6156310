// SPDX-License-Identifier: GPL-2.0-or-later
/** Loading the code generator, when code is made. */
#ifndef SP_DRIVER_CODEGEN_H
#define SP_DRIVER_CODEGEN_H

#include "compiler/driver/session.h"
#include "compiler/gen/core/gen.h"

/** It stays loaded as long as the process lives. */
struct sp_err *codegen_load(const struct spile *spile, const struct gen_api **ret);

#endif
