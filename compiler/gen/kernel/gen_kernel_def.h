// SPDX-License-Identifier: GPL-2.0-or-later
/** The kernel's maps as its object defines them: those of the script's arrays, and our own. */
#ifndef SP_GEN_GEN_KERNEL_DEF_H
#define SP_GEN_GEN_KERNEL_DEF_H

#include "compiler/gen/core/gen_core.h"

/** The map of an array. */
LLVMValueRef gen_kernel_def_array(struct gen *g, uint32_t map);
/** What user-side handlers have added to an aggregate, when it is kept apart. */
LLVMValueRef gen_kernel_def_own(struct gen *g, uint32_t map);
/** SP_MAP_THREADS of an array that is_of_thread. */
LLVMValueRef gen_kernel_def_threads(struct gen *g, uint32_t map);
/** The elements with short texts of an array that is split (gen_split.h). */
LLVMValueRef gen_kernel_def_short(struct gen *g, uint32_t map);
/** Another map beside that of an array; `name` takes the array's index. */
LLVMValueRef gen_kernel_def_beside(struct gen *g, const char *name, uint32_t index, unsigned type, uint32_t max_entries,
				   uint32_t key_size, uint32_t value_size);
/** Deletes the element of that key from the array's map and from what is kept apart of it. */
void gen_kernel_def_forget(struct gen *g, uint32_t map, LLVMValueRef key);

/** The ring buffer of records; the processes of -c and -x. */
LLVMValueRef gen_kernel_def_events(struct gen *g);
LLVMValueRef gen_kernel_def_family(struct gen *g);
LLVMValueRef gen_kernel_def_counters(struct gen *g);
LLVMValueRef gen_kernel_def_since(struct gen *g);
LLVMValueRef gen_kernel_def_counts(struct gen *g);
/** The scratch frames, whose size is known later: when it is in g->scratch_size ... */
LLVMValueRef gen_kernel_def_scratch(struct gen *g);
/** ... which this is told by. */
void gen_kernel_def_scratch_done(struct gen *g);

/** A kernel before Linux 5.12: its atomic operations do not tell what was there before, and the current task may have no type. */
bool gen_kernel_def_is_old(const struct gen *g);

#endif
