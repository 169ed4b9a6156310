// SPDX-License-Identifier: GPL-2.0-or-later
/** Aggregates in the kernel: records of abi/stat.h in per-CPU maps, which handlers fill and merge by inline code. */
#ifndef SP_GEN_GEN_STAT_H
#define SP_GEN_GEN_STAT_H

#include "compiler/gen/core/gen_core.h"

void gen_stat_add(struct gen *g, const struct ir_stmt *s);
LLVMValueRef gen_stat_get(struct gen *g, const struct ir_expr *e);
void gen_stat_print(struct gen *g, const struct ir_stmt *s);
/** What an extractor but @variance and the histograms gives of all CPUs' records; `count_ret`, or NULL, gets the number of
 *  values where the extractor fails when there are none. */
LLVMValueRef gen_stat_read(struct gen *g, uint32_t map, LLVMValueRef key, enum sp_stat what, LLVMValueRef *count_ret);
/** Empties a scalar aggregate. */
void gen_stat_clear(struct gen *g, uint32_t map);

#endif
