// SPDX-License-Identifier: GPL-2.0-or-later
/** Restartable sequences (rseq(2)): code that the kernel restarts from its beginning when its thread is preempted there. */
#ifndef SP_DEBUG_DW_RSEQ_H
#define SP_DEBUG_DW_RSEQ_H

#include "compiler/debug/dwarf/dw_file.h"

struct dw_rseq;

/** Is a link-time address in one of those that the file describes? */
bool dw_rseq_holds(struct dw_file *file, uint64_t addr);

void dw_rseq_destroy(struct dw_rseq *sequences);

#endif
