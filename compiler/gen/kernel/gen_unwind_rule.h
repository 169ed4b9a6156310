// SPDX-License-Identifier: GPL-2.0-or-later
/** The rules that walks of stacks have found before (struct sp_unwind_rule).
 *
 *  The problem. What is mapped at an address, its file, and the row of the file's table take three searches, and the same addresses are in
 *  most stacks.
 *
 *  The idea. An address's rule is kept with the process and with the number of changes of what that has mapped, both by the kernel's own
 *  count: x86's mm_context_t.ctx_id is never given twice, and mm_struct.mm_lock_seq (Linux 6.4) changes before the lock is released
 *  under which mappings change. What another program, another life of the process's number, or another library had there is never found.
 *
 *  The limits. A place has one rule, the last one. While one handler writes it, others find nothing there. They rely on the order of
 *  x86_64's loads and stores. Rules of code that is in no file with a table are not kept: they depend on the stack, too. */
#ifndef SP_GEN_GEN_UNWIND_RULE_H
#define SP_GEN_GEN_UNWIND_RULE_H

#include "compiler/gen/kernel/gen_unwind_frame.h"

/** Stores the info of the rule for the instruction f->at to the variable `info` and goes to `found`; else code goes on. */
void gen_unwind_rule_find(struct gen *g, const struct unwind_frame *f, LLVMValueRef info, LLVMBasicBlockRef found);
/** Keeps f->info. */
void gen_unwind_rule_keep(struct gen *g, const struct unwind_frame *f);

#endif
