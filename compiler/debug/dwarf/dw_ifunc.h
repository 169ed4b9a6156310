// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions that the resolver of an IFUNC (STT_GNU_IFUNC) can choose. */
#ifndef SP_DEBUG_DW_IFUNC_H
#define SP_DEBUG_DW_IFUNC_H

#include "compiler/debug/dwarf/dw_sym.h"

/** Calls `fn` with the address of each function that the resolver's code takes the address of, which is where these addresses come
 *  from; the one that is in use is among them, since there is no other way to it. Never: the code is not understood, as on other
 *  architectures than x86_64. */
void dw_ifunc_choices(struct dw_file *file, const struct dw_sym *resolver, void (*fn)(void *ctx, uint64_t addr), void *ctx);

#endif
