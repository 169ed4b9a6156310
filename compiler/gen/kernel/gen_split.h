// SPDX-License-Identifier: GPL-2.0-or-later
/** Arrays whose keys end in a text that may be long (plan_map.is_split).
 *
 *  The problem. The kernel hashes and compares all bytes of a key, and a text has room for MAXSTRINGLEN of them, though most are short.
 *
 *  The idea. Elements whose text is short (sp_short_text) are in a second map, SP_MAP_SHORT, whose keys end there.
 *
 *  The invariant. Texts have zeros behind their NUL, at least up to that size: so the last byte of these tells in which of both
 *  maps an element is, and it can be in that one alone. The array's limit is that of both maps together; the number of elements is
 *  in spile_data: an element is counted when it has been made, and no more before it is deleted, so that no array is full too early. */
#ifndef SP_GEN_GEN_SPLIT_H
#define SP_GEN_GEN_SPLIT_H

#include "compiler/gen/core/gen_core.h"

/** The address of the element of that key, a number; 0: there is none. */
LLVMValueRef gen_split_lookup(struct gen *g, uint32_t map, LLVMValueRef key);
/** Makes an element. Returns 0, -EEXIST, -E2BIG when the array is full, or another negative errno; as helpers do, in 32 bits. */
LLVMValueRef gen_split_add(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef first);
/** Puts an element in the place of another one, or makes it: 0, or an error. */
LLVMValueRef gen_split_set(struct gen *g, uint32_t map, LLVMValueRef key, LLVMValueRef value);
void gen_split_delete(struct gen *g, uint32_t map, LLVMValueRef key);

#endif
