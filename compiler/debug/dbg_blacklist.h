// SPDX-License-Identifier: GPL-2.0-or-later
/** Kernel functions in which probes are refused, or which are gone when the kernel runs. */
#ifndef SP_DEBUG_DBG_BLACKLIST_H
#define SP_DEBUG_DBG_BLACKLIST_H

#include "compiler/debug/dbg.h"

struct dbg_blacklist;

/** Fills `no_probe` of functions of the kernel or of a kernel module. */
void dbg_blacklist_mark(struct dbg_module *module, struct dbg_funcs *funcs);
/** NULL is fine. */
void dbg_blacklist_destroy(struct dbg_blacklist *list);

#endif
