// SPDX-License-Identifier: GPL-2.0-or-later
/** IR to the bytes of a .spo, through LLVM. */
#ifndef SP_GEN_GEN_H
#define SP_GEN_GEN_H

#include "compiler/ir/ir.h"
#include "runtime/base/err.h"

struct gen_opts {
	bool optimize; // false with -u
	struct sp_buf *llvm_ir; // gets the textual LLVM IR after optimisation (--dump=llvm); NULL: not wanted
};

/** The unit has been through ir_fit. `ret` is appended to. Errors: SP_ERR_BUG when LLVM refuses what we made. */
struct sp_err *gen_bundle(const struct ir_unit *unit, const struct gen_opts *opts,
			  struct sp_buf *ret);

#endif
