// SPDX-License-Identifier: GPL-2.0-or-later
/** What a process has mapped at an instruction, and which table its file has. */
#ifndef SP_GEN_GEN_UNWIND_MAP_H
#define SP_GEN_GEN_UNWIND_MAP_H

#include "compiler/gen/kernel/gen_unwind_frame.h"

/** Makes state.mapping and state.table those of the instruction f->at, of frame `index`. An address at which no code is mapped is no
 *  part of the stack, and the frame is not counted: where the stack itself is mapped, a walk by frame pointers has met a value that is no
 *  address of code. */
void gen_unwind_map_find(struct gen *g, const struct unwind_frame *f, LLVMValueRef index);

#endif
