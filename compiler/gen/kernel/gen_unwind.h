// SPDX-License-Identifier: GPL-2.0-or-later
/** The walk of a program's stack by the tables that the runtime makes of .eh_frame (runtime/abi/unwind.h).
 *
 *  The idea. bpf_loop calls one shared function for each frame. It finds what is mapped at the address (gen_unwind_map.h), the file's
 *  table, in that the row, and by the row the caller's registers. So nothing need be known of a process beforehand, and
 *  what it maps later is found as well. Rows that were found are kept (gen_unwind_rule.h), and the stack is read in large pieces.
 *
 *  The limits. Where there is no table or no row, a frame pointer is hoped for, as in code that is made while it runs. When the
 *  first address has none, the kernel walks the whole stack. Other architectures have the kernel's walk alone. */
#ifndef SP_GEN_GEN_UNWIND_H
#define SP_GEN_GEN_UNWIND_H

#include "compiler/gen/core/gen_core.h"

/** gen_engine.unwind */
LLVMValueRef gen_unwind(struct gen *g, LLVMValueRef state, LLVMValueRef places);

#endif
