// SPDX-License-Identifier: GPL-2.0-or-later
/** What becomes of a number: all that is computed from it. */
#ifndef SP_GEN_USES_H
#define SP_GEN_USES_H

#include <llvm-c/Core.h>
#include <stdbool.h>

enum gen_use { USE_ENDS, USE_GIVES, USE_HARMS }; // nothing depends on what comes of it; its result has to be looked at, too; it is not allowed

typedef enum gen_use gen_use_judge(const void *ctx, LLVMValueRef user, LLVMValueRef value);

/** Is there no use that harms, as the judge says of each? False for what has too many to tell. */
bool gen_uses_are_harmless(LLVMValueRef value, gen_use_judge *judge, const void *ctx);

#endif
