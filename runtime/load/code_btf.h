// SPDX-License-Identifier: GPL-2.0-or-later
/** The type information of a bundle's BPF code (Documentation/bpf/btf.rst of Linux): what the sizes of maps are, and which lines the
 *  instructions come from. The kernel checks the types; here is what we read ourselves. */
#ifndef SP_RUNTIME_CODE_BTF_H
#define SP_RUNTIME_CODE_BTF_H

#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/load/code.h"

#include <linux/btf.h>

struct code_types {
	uint8_t *bytes; // a copy, which code_types_place() changes
	uint32_t size;
	const char *texts; // end with a NUL
	uint32_t texts_size;
	uint32_t *offsets; // of each type in `bytes`; the first is type 1
	uint32_t n;
};

struct sp_err *code_types_read(const void *bytes, size_t size, struct sp_arena *arena, struct code_types *ret);
/** Type, sizes and flags of the map that the variable `name` of section .maps defines. */
struct sp_err *code_types_map(const struct code_types *types, const char *name, struct code_map *ret);
/** Fills in what the compiler leaves to a linker: the sizes of sections, and where variables are in them. `place` tells
 *  both; false: it does not know. */
struct sp_err *code_types_place(struct code_types *types, bool (*place)(void *ctx, const char *section, const char *variable, uint32_t *ret),
				void *ctx);
/** The records of .BTF.ext, by section. */
struct sp_err *code_types_records(const struct code_types *types, const void *ext, size_t size, struct code_section *sections, uint32_t n);

#endif
