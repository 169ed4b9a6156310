// SPDX-License-Identifier: GPL-2.0-or-later
/** The kernel's part of a bundle, its BPF code, read into tables and validated: a foreign loader would trust the file. After
 *  code_elf_read() every index is within its table, and every relocation names a map, a place in an area, or a function. */
#ifndef SP_RUNTIME_CODE_H
#define SP_RUNTIME_CODE_H

#include "runtime/base/util.h"

#include <linux/bpf.h>

/** A map that the programs use: of the script, or an area of memory that they share with us. */
struct code_map {
	const char *name;
	uint32_t type, key_size, value_size, max_entries; // as bpf(2) has them
	uint32_t flags; // BPF_F_*
	uint32_t key_type, value_type; // BTF's ids of them; 0: none
	const uint8_t *bytes; // an area: its initial bytes, value_size of them; else NULL
	bool is_constant; // an area that nobody writes after the load
};

enum code_target { CODE_MAP, CODE_AREA, CODE_FUNCTION };

/** What an instruction refers to. */
struct code_reference {
	uint32_t insn; // in its section
	enum code_target target;
	uint32_t index; // of a map or a function
	uint32_t offset; // CODE_AREA
};

/** As the kernel takes them, but for insn_off: bytes from the start of the section. */
struct code_records {
	const uint8_t *bytes; // sorted by their first member
	uint32_t n;
};

enum code_record { CODE_FUNC_INFO, CODE_LINE_INFO, CODE_CORE_RELO, CODE_RECORDS };

struct code_section {
	const char *name;
	const struct bpf_insn *insns; // NULL: the section has no code
	uint32_t n_insns;
	struct code_reference *references; // sorted by instruction
	uint32_t n_references;
	struct code_records records[CODE_RECORDS];
};

/** A program, or a function that programs call. */
struct code_function {
	const char *name;
	uint32_t section, first, n; // instructions
};

struct code {
	const struct code_section *sections; // by their number in the file
	const struct code_map *maps;
	const struct code_function *functions; // sorted by section and first instruction
	uint32_t n_sections, n_maps, n_functions;
	const uint8_t *btf; // with the places of variables filled in; NULL: none
	uint32_t btf_size;
	const char *texts; // of the BTF
	uint32_t texts_size;
};

/** The sizes of the records of .BTF.ext. */
extern const uint32_t code_record_sizes[CODE_RECORDS];

/** UINT32_MAX: there is none. */
uint32_t code_find_map(const struct code *code, const char *name);
uint32_t code_find_function(const struct code *code, const char *name);
/** The function that begins there; UINT32_MAX: none does. */
uint32_t code_function_at(const struct code *code, uint32_t section, uint64_t insn);
/** The text in the BTF; "" when there is none. */
const char *code_text(const struct code *code, uint32_t offset);

#endif
