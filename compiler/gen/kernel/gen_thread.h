// SPDX-License-Identifier: GPL-2.0-or-later
/** The current thread's element of an array that is_of_thread (plan_thread.h): a struct sp_direct, which once made is there as long as the
 *  thread, so that to delete it is to say so in it. The kernel refuses to make one without memory, and while this processor is making or
 *  deleting another, which the handler has interrupted: then the handler is over, and counted with those that a lock ends. */
#ifndef SP_GEN_GEN_THREAD_H
#define SP_GEN_GEN_THREAD_H

#include "compiler/gen/core/gen_core.h"

/** 0 when there is none */
LLVMValueRef gen_thread_get(struct gen *g, uint32_t map);
LLVMValueRef gen_thread_has(struct gen *g, uint32_t map);
/** Gives the value before. */
LLVMValueRef gen_thread_add(struct gen *g, uint32_t map, LLVMValueRef delta);
void gen_thread_set(struct gen *g, uint32_t map, LLVMValueRef value);
void gen_thread_delete(struct gen *g, uint32_t map);

#endif
