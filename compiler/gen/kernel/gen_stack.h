// SPDX-License-Identifier: GPL-2.0-or-later
/** How much of the kernel's 512 bytes of stack machine code takes: what LLVM made of it is known only when it is made. */
#ifndef SP_GEN_GEN_STACK_H
#define SP_GEN_GEN_STACK_H

#include "compiler/gen/object/object_elf.h"

#include <linux/bpf.h>

/** What the verifier lets a program and all that it calls have together (MAX_BPF_STACK). */
#define GEN_STACK_MAX 512
#define GEN_STACK_FRAMES 8 // MAX_CALL_FRAMES

/** How far below its frame pointer a function goes. */
unsigned gen_stack_of(const struct bpf_insn *insns, size_t n);
/** What the deepest chains of calls take, callbacks of helpers included. */
struct gen_stack {
	unsigned bytes; // each frame as the verifier rounds it up
	unsigned frames;
};

/** From the function `name` on; zeros when there is none. */
struct gen_stack gen_stack_chain(const struct object_elf *elf, const char *name);

#endif
