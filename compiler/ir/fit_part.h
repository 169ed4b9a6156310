// SPDX-License-Identifier: GPL-2.0-or-later
/** Parts: a jump of BPF reaches 32,767 instructions, and LLVM ends the process at one that is too far. So the statements
 *  of a large body are given to functions of their own, which are called in their order. */
#ifndef SP_IR_FIT_PART_H
#define SP_IR_FIT_PART_H

#include "compiler/ir/fit_calls.h"

/** Sets `part` of statements, `is_parted` of functions and programs and `size` of functions; the forms of loops are known. */
void fit_part(struct ir_unit *unit, const struct fit_calls *calls);

#endif
