// SPDX-License-Identifier: GPL-2.0-or-later
/** The two objects of LLVM and the tables of the unit become one .spo. */
#ifndef SP_GEN_OBJECT_H
#define SP_GEN_OBJECT_H

#include "compiler/plan/plan.h"
#include "runtime/base/buf.h"
#include "runtime/base/err.h"

/** `kernel` and `user` are ELF files (`user` may be empty); `scratch_size` is that of a frame. Appends to `ret`. */
struct sp_err *object_link(const struct plan *plan, uint32_t scratch_size, const struct sp_buf *kernel,
			   const struct sp_buf *user, struct sp_buf *ret);

#endif
