// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's arrays in the kernel: elements are looked up, and used where they are. */
#ifndef SP_GEN_GEN_KERNEL_MAP_H
#define SP_GEN_GEN_KERNEL_MAP_H

#include "compiler/gen/core/gen_core.h"

/** Of struct gen_engine_map. */
LLVMValueRef gen_kernel_map_get(struct gen *g, const struct ir_expr *e);
void gen_kernel_map_get_str(struct gen *g, const struct ir_expr *e, struct gen_str dst);
LLVMValueRef gen_kernel_map_has(struct gen *g, const struct ir_expr *e);
LLVMValueRef gen_kernel_map_kept(struct gen *g, const struct ir_expr *e);
LLVMValueRef gen_kernel_map_add(struct gen *g, const struct ir_expr *e);
void gen_kernel_map_set(struct gen *g, const struct ir_stmt *s);
LLVMValueRef gen_kernel_map_place(struct gen *g, const struct plan_extreme *x, LLVMValueRef value, LLVMValueRef wanted,
				  LLVMBasicBlockRef none);
void gen_kernel_map_delete(struct gen *g, const struct ir_stmt *s);

/** The address of an element, which is made of zeros when there is none yet; a full map fails. When it wraps, the new element
 *  may be gone at once, others having come: then code goes to `gone`. */
LLVMValueRef gen_kernel_map_element(struct gen *g, uint32_t map, LLVMValueRef key, uint32_t place, LLVMBasicBlockRef gone);
/** Code for the number that stands for the text `e`. */
LLVMValueRef gen_kernel_map_known(struct gen *g, const struct plan_known *known, const struct ir_expr *e);
/** Deletes the element of that key. */
void gen_kernel_map_drop(struct gen *g, uint32_t map, LLVMValueRef key);

#endif
