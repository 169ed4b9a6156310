// SPDX-License-Identifier: GPL-2.0-or-later
/** The BPF code of a bundle, from its ELF sections: instructions, symbols, relocations, type information. */
#ifndef SP_RUNTIME_CODE_ELF_H
#define SP_RUNTIME_CODE_ELF_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/load/code.h"

#include <elf.h>

/** The file has been checked so far: its section headers lie in it, and their names, too. What is read is from `arena`, or in
 *  the file. */
struct code_file {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Shdr *heads;
	uint32_t n_heads;
	const char *names;
};

struct sp_err *code_elf_read(const struct code_file *file, struct sp_arena *arena, struct code *ret);

#endif
