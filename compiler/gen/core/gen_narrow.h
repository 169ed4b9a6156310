// SPDX-License-Identifier: GPL-2.0-or-later
/** Numbers of 8 and 16 bits of embedded C that are compared, and say where it reads and writes.
 *
 *  The problem. A register holds such a number with bits that do not count. LLVM clears them where it is compared, and once more where it is
 *  an index: the verifier has seen the check of another register.
 *
 *  The idea. They are cleared once, where the number is made; that one is compared, and is the index. */
#ifndef SP_GEN_NARROW_H
#define SP_GEN_NARROW_H

#include <llvm-c/Core.h>

void gen_narrow_widen_checked(LLVMBuilderRef builder, LLVMValueRef fn);

#endif
