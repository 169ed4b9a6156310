// SPDX-License-Identifier: GPL-2.0-or-later
/** Constant tables of texts in embedded C, as in `static const char *names[] = { "a", "b" }`. BPF programs have no tables of
 *  addresses: the texts go into one constant, and the table has their places in it. */
#ifndef SP_GEN_EMBED_TABLE_H
#define SP_GEN_EMBED_TABLE_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/** A constant variable of the module's own. */
LLVMValueRef gen_embed_add_constant(LLVMModuleRef mod, LLVMValueRef value, const char *name);

/** Does a constant hold the address of something? */
bool gen_embed_has_address(LLVMValueRef constant);

/** Does so with a constant variable that has addresses. false, and nothing is changed, when there are others than those of texts, or
 *  when the code does more with the variable than to read it. Texts are then read as memory of the kernel. */
bool gen_embed_settle_table(LLVMBuilderRef b, LLVMValueRef table);

#endif
