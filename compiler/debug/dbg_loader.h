// SPDX-License-Identifier: GPL-2.0-or-later
/** What DWARF and BTF have in common for dbg.c: a type knows its loader. Only for debug/. */
#ifndef SP_DEBUG_DBG_LOADER_H
#define SP_DEBUG_DBG_LOADER_H

#include "compiler/debug/dbg.h"
#include "compiler/model/type.h"

/** First member of what `c_type.module` points to. */
struct dbg_loader {
	/** As dbg_complete_type; `type` is stripped and not yet complete. */
	const struct c_type *(*complete)(struct dbg_loader *loader, struct c_type *type);
	struct dbg_module *kernel; // of a kernel module: may define what that only declares; else NULL
};

#endif
