// SPDX-License-Identifier: GPL-2.0-or-later
/** Debug information, from which LLVM makes .BTF and .BTF.ext: script lines, map definitions,
 *  variables. Kernel module only; every function takes NULL and does nothing then. */
#ifndef SP_GEN_GEN_DEBUG_H
#define SP_GEN_GEN_DEBUG_H

#include "compiler/gen/core/gen_core.h"

struct gen_debug *gen_debug_create(struct gen *g);
/** Completes the module's debug information. */
void gen_debug_destroy(struct gen_debug *d);

/** From here on the builder's places are in this function. */
void gen_debug_function(struct gen_debug *d, LLVMValueRef fn, const char *name, uint32_t place);
struct gen_debug_scope {
	LLVMMetadataRef fn, inlined_at, location;
	const char *file;
};

/** The same for a script function that is inlined here; `ret` is for gen_debug_leave. */
void gen_debug_enter(struct gen_debug *d, const char *name, uint32_t place,
		     struct gen_debug_scope *ret);
void gen_debug_leave(struct gen_debug *d, const struct gen_debug_scope *scope);
/** The same for a callback of the kernel with that many parameters. */
void gen_debug_callback(struct gen_debug *d, LLVMValueRef fn, const char *name, unsigned n_params, uint32_t place,
			struct gen_debug_scope *ret);
/** The same for a global function. `sizes`: of what its parameters point at, in bytes; 0: a long. NULL: all are longs. */
void gen_debug_global(struct gen_debug *d, LLVMValueRef fn, const char *name, unsigned n_params, const uint32_t *sizes,
		      struct gen_debug_scope *ret);
/** What is built from here on belongs to `place` (IR_NO_PLACE: no change). */
void gen_debug_place(struct gen_debug *d, uint32_t place);

/** A variable `uint64_t name[count]`; `is_volatile`: const volatile. */
void gen_debug_array(struct gen_debug *d, LLVMValueRef global, const char *name, unsigned count,
		     bool is_volatile);

/** Members of a BTF-defined map (libbpf): an integer N is the type int(*)[N]. */
struct gen_debug_map {
	const char *name;
	unsigned type, max_entries, key_size, value_size, flags;
	bool is_typed; // the kernel wants types of the key, an int, and of the value, of numbers
};
void gen_debug_map(struct gen_debug *d, LLVMValueRef global, const struct gen_debug_map *map);
/** The members that are not 0: each is a pointer in the variable. */
unsigned gen_debug_map_members(const struct gen_debug_map *map);

#endif
