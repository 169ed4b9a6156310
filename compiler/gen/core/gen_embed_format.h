// SPDX-License-Identifier: GPL-2.0-or-later
/** The formats of embedded C's snprintf(). The kernel's bpf_snprintf() takes fewer than printf(3): no precision, no `#`, no letter
 *  behind "%s", nothing that is not ASCII. */
#ifndef SP_GEN_EMBED_FORMAT_H
#define SP_GEN_EMBED_FORMAT_H

#include "runtime/base/arena.h"

#include <llvm-c/Core.h>

/**
 * Makes a call of bpf_snprintf() one that the kernel takes and that prints the same: with texts as values of %s, and values that
 * are cut beforehand. %p prints the address itself, as "0x" and its digits.
 *
 * Returns NULL, or what cannot be printed; `call` may be gone.
 */
const char *gen_embed_fit_format(struct sp_arena *arena, LLVMBuilderRef b, LLVMValueRef call);

#endif
