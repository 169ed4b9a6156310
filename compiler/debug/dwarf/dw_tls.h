// SPDX-License-Identifier: GPL-2.0-or-later
/** The address of a file's thread-local variables in the current thread (ELF Handling For Thread-Local Storage, 2013). */
#ifndef SP_DEBUG_DW_TLS_H
#define SP_DEBUG_DW_TLS_H

#include "compiler/debug/dwarf/dw_file.h"
#include "compiler/model/loc.h"

#define DW_TLS_MAX_OPS 12

/** Operations that push the address of the current thread's block of the file's thread-local variables. Returns how many;
 *  0: it cannot be told, and why. */
unsigned dw_tls_block(struct dw_file *file, struct loc_op ret[DW_TLS_MAX_OPS], const char **why_ret);
/** The offset of a thread-local variable in its file's block. With -gsplit-dwarf gcc (12) writes the variable's address in the
 *  file's image of the block in its place, which no offset is. */
uint64_t dw_tls_offset(const struct dw_file *file, uint64_t offset);

#endif
