// SPDX-License-Identifier: GPL-2.0-or-later
/** Builtins that read the registers of the probe, or tell where it is: register("rax"), __arg(1), addr(), is_return(). */
#ifndef SP_LOWER_REGS_H
#define SP_LOWER_REGS_H

#include "compiler/lower/lower_ctx.h"

/** The value of a call of a builtin that is BUILTIN_LOWER_REGISTERS. sema/access.c has refused what the site does not have. */
struct ir_expr *lower_site_builtin(struct lower *l, const struct ast_expr *e);
/** The register that a call of @kregister or @uregister names; NULL: there is none here. */
const struct abi_reg *lower_register(const struct lower *l, const struct ast_expr *e);
/** The address of the probed instruction, or, in a .return probe, of where the function returns to; 0 where nothing is known. */
struct ir_expr *lower_address(struct lower *l);

#endif
