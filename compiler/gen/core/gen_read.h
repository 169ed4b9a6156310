// SPDX-License-Identifier: GPL-2.0-or-later
/** Reads of memory of the kernel and of the probed program.
 *
 *  A handler that may sleep (plan_sleep.h) reads memory of the program twice when it is not there at once: between both it touches the
 *  pages with bpf_copy_from_user, which brings them in. That helper alone would not do, since it knows no strings. */
#ifndef SP_GEN_GEN_READ_H
#define SP_GEN_GEN_READ_H

#include "compiler/gen/core/gen_core.h"

struct gen_read {
	enum ir_space space; // KERNEL or USER
	bool is_text; // up to a NUL
	LLVMValueRef to, size, address; // longs but `to`
	uint32_t most; // that `size` can be
};

/** What the helper gives: less than 0 for a fault, the length of a text with its NUL, 0 for other memory. */
LLVMValueRef gen_read(struct gen *g, const struct gen_read *read);

#endif
