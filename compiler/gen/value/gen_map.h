// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's arrays, as far as both engines treat them alike: what stands for them in code, their keys and values. What is
 *  done with them is in struct gen_engine_map. */
#ifndef SP_GEN_GEN_MAP_H
#define SP_GEN_GEN_MAP_H

#include "compiler/gen/core/gen_core.h"

/** The variable of a map in the kernel module; the marker of one in the VM's. */
LLVMValueRef gen_map_ref(struct gen *g, uint32_t map);
/** The key's address: in its slot, or where its only part is. A scalar aggregate's is a constant. */
LLVMValueRef gen_map_key(struct gen *g, uint32_t map, struct ir_expr **args, struct plan_slot slot);
/** MAP_SET: the address of the value. */
LLVMValueRef gen_map_value(struct gen *g, const struct ir_stmt *s);
/** Fails when the result of a call that makes elements is an error. */
void gen_map_fail_if_full(struct gen *g, LLVMValueRef result, uint32_t map, uint32_t place);

#endif
