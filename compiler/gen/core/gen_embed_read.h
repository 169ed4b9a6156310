// SPDX-License-Identifier: GPL-2.0-or-later
/** The memory that embedded C reaches by its pointers: its own (variables, arguments, literals), or the kernel's. */
#ifndef SP_GEN_EMBED_READ_H
#define SP_GEN_EMBED_READ_H

#include <llvm-c/Core.h>
#include <stdbool.h>

/**
 * Does an address come from a number, or from memory that is not the code's own? What bpf_get_current_task_btf() returns, and what
 * is reached from there, counts as own: the kernel knows its type, and lets programs read it.
 */
bool gen_embed_is_foreign(LLVMValueRef address);

/** A call of bpf_probe_read(), which reads the memory of the current program or of the kernel, by the address. */
void gen_embed_build_read(LLVMBuilderRef b, LLVMValueRef to, LLVMValueRef size, LLVMValueRef from);

/** Makes loads and copies from foreign addresses, in all of the function, such reads: 0 where there is no memory. */
void gen_embed_guard_reads(LLVMBuilderRef b, LLVMValueRef fn);

#endif
