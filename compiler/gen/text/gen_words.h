// SPDX-License-Identifier: GPL-2.0-or-later
/** Strings word by word: their memory is a multiple of 8 bytes. In the kernel, long ones go through bpf_loop. */
#ifndef SP_GEN_GEN_WORDS_H
#define SP_GEN_GEN_WORDS_H

#include "compiler/gen/core/gen_core.h"

LLVMValueRef gen_words_swap(struct gen *g, LLVMValueRef word);
void gen_words_zero(struct gen *g, LLVMValueRef ptr, uint32_t size);
/** `whole`: also what is behind the NUL. */
void gen_words_copy(struct gen *g, LLVMValueRef dst, LLVMValueRef src, uint32_t size, bool whole);
/** A long: below 0, 0 or above 0, as the first word that differs is in `a`, with the first byte highest. */
LLVMValueRef gen_words_compare(struct gen *g, struct gen_str a, struct gen_str b);
/** Makes zeros of all that is behind the NUL, which the last byte becomes when there is none. */
void gen_words_pad(struct gen *g, struct gen_str s);
/** Kernel: the bytes in front of the NUL. */
LLVMValueRef gen_words_length(struct gen *g, struct gen_str s);

#endif
