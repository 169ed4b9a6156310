// SPDX-License-Identifier: GPL-2.0-or-later
/** The types of BTF as C declarations, for embedded C. */
#ifndef SP_DEBUG_BTF_C_H
#define SP_DEBUG_BTF_C_H

#include "compiler/debug/btf/btf.h"
#include "runtime/base/buf.h"

/** As dbg_types_as_c. */
struct sp_err *btf_c_dump(struct btf_file *file, const char *text, struct sp_buf *ret);

#endif
