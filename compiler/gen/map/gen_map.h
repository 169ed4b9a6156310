// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's arrays. */
#ifndef SP_GEN_GEN_MAP_H
#define SP_GEN_GEN_MAP_H

#include "compiler/gen/core/gen_core.h"

LLVMValueRef gen_map_get(struct gen *g, const struct ir_expr *e);
void gen_map_get_str(struct gen *g, const struct ir_expr *e, struct gen_str dst);
LLVMValueRef gen_map_has(struct gen *g, const struct ir_expr *e);
/** Kernel: does the handler remember where the element is, once it has been found? Then MAP_HAS asks for its address. */
bool gen_map_keeps(struct gen *g, uint32_t map, struct ir_expr **args);
/** The element's address, or NULL. */
LLVMValueRef gen_map_find(struct gen *g, const struct ir_expr *e);
LLVMValueRef gen_map_add(struct gen *g, const struct ir_expr *e);
void gen_map_set(struct gen *g, const struct ir_stmt *s);
void gen_map_delete(struct gen *g, const struct ir_stmt *s);
/** Kernel: what user-side handlers have added to an aggregate, when it is kept apart. */
LLVMValueRef gen_map_own(struct gen *g, uint32_t map);
/** Kernel: deletes the element of that key from the array's map, and what is kept apart of it. */
void gen_map_forget(struct gen *g, uint32_t map, LLVMValueRef key);
/** Kernel: deletes the element of that key. */
void gen_map_drop(struct gen *g, uint32_t map, LLVMValueRef key);

/** The key's address: in its slot, or where its only part is. A scalar aggregate's is a constant. */
LLVMValueRef gen_map_key(struct gen *g, uint32_t map, struct ir_expr **args, struct plan_slot slot);
/** Kernel: the address of an element, which is made of zeros when there is none yet; a full map fails. When it wraps, the
 *  new element may be gone at once, others having come: then code goes to `gone`. */
LLVMValueRef gen_map_element(struct gen *g, uint32_t map, LLVMValueRef key, uint32_t place, LLVMBasicBlockRef gone);
/** Fails when the result of a call that makes elements is an error. */
void gen_map_fail_if_full(struct gen *g, LLVMValueRef result, uint32_t map, uint32_t place);

/** The variable of a map in the kernel module; the marker of one in the VM's. */
LLVMValueRef gen_map_ref(struct gen *g, uint32_t map);
/** A map of the generator's own beside that of an array; `name` takes the array's index. */
LLVMValueRef gen_map_beside(struct gen *g, const char *name, uint32_t index, unsigned type, uint32_t max_entries,
			    uint32_t key_size, uint32_t value_size);
LLVMValueRef gen_map_events(struct gen *g);
LLVMValueRef gen_map_scratch(struct gen *g);
/** When g->scratch_size is known. */
void gen_map_define_scratch(struct gen *g);
LLVMValueRef gen_map_family(struct gen *g);

#endif
