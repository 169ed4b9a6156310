// SPDX-License-Identifier: GPL-2.0-or-later
/** Bitcode of embedded C: reading it, and what it may hold. (gen.h has the functions for the driver.) */
#ifndef SP_GEN_GEN_EMBED_CHECK_H
#define SP_GEN_GEN_EMBED_CHECK_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/** Is it what clang makes of an access to a member of a kernel structure: a variable that the kernel's loader would set? */
bool gen_embed_is_member(LLVMValueRef value);
/** NULL: this LLVM cannot read it. */
LLVMModuleRef gen_embed_parse(LLVMContextRef ctx, const struct sp_buf *bitcode);
/** Puts functions that are to be inlined into their callers; `machine` may be NULL. */
struct sp_err *gen_embed_inline(LLVMModuleRef mod, LLVMTargetMachineRef machine);

#endif
