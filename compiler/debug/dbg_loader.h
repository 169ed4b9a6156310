// SPDX-License-Identifier: GPL-2.0-or-later
/** How dbg.c completes a type without asking whether it came from DWARF or from BTF: every type points to its loader. For the
 *  files of debug/ alone. */
#ifndef SP_DEBUG_DBG_LOADER_H
#define SP_DEBUG_DBG_LOADER_H

#include "compiler/debug/dbg.h"
#include "compiler/model/type.h"

/** The first member of what `c_type.module` points to: struct dw_types or struct btf_file. */
struct dbg_loader {
	/** As dbg_complete_type; `type` is stripped and not yet complete. */
	const struct c_type *(*complete)(struct dbg_loader *loader, struct c_type *type);
	struct dbg_module *kernel; // of a kernel module: the kernel, which may define types that the module only declares; else NULL
};

#endif
