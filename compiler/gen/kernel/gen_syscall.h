// SPDX-License-Identifier: GPL-2.0-or-later
/** Programs at the tracepoints that all system calls pass (SP_SITE_SYSCALL). */
#ifndef SP_GEN_SYSCALL_H
#define SP_GEN_SYSCALL_H

#include "compiler/gen/core/gen_core.h"

/** `size` bytes of the struct pt_regs that the context begins with a pointer to, zero-extended. */
LLVMValueRef gen_syscall_reg(struct gen *g, uint32_t offset, unsigned size);
/** Which of the program's sites the handler runs for, by the call's number, or for other hooks by the attach cookie. Below
 *  prog->n_sites. */
LLVMValueRef gen_site_index(struct gen *g);
/** That of `values`, below 65,536, which are by site, for the site that the handler runs for. */
LLVMValueRef gen_site_value(struct gen *g, const uint32_t *values);

#endif
