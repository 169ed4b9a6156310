// SPDX-License-Identifier: GPL-2.0-or-later
/** The bytes of an index of names, for what reads them (dw_names.c) and what makes them (dw_names_build.c). */
#ifndef SP_DEBUG_DW_NAMES_FORMAT_H
#define SP_DEBUG_DW_NAMES_FORMAT_H

#include "compiler/debug/index/dw_scan.h"

#include <assert.h>

#define DW_NAMES_MAGIC "spileidx"
#define DW_NAMES_VERSION 4
#define DW_NAMES_KIND_BITS 4

// The bytes: header, names, references, their DIEs, functions by unit, units that are left out,
// strings. Little-endian, as the hosts that we build for.
struct dw_names_header {
	char magic[8];
	uint32_t version;
	uint32_t n_units;
	uint64_t info_size;
	uint8_t build_id[32];
	uint32_t build_id_len;
	uint32_t n_names, n_refs, n_funcs, n_left_out, strings_size;
	uint32_t sum; // checksum of all bytes but these four
	uint32_t unused;
};

struct dw_names_entry {
	uint32_t hash;
	uint32_t string; // offset in the strings
	uint32_t first_ref, n_refs;
};

static_assert(sizeof(struct dw_names_header) == 88 && sizeof(struct dw_names_entry) == 16, "the layout of saved indexes");
static_assert(DW_NAME_KINDS <= 1 << DW_NAMES_KIND_BITS, "a kind fits a reference");

// Where the tables are in the bytes.
struct dw_names_layout {
	uint64_t refs, dies, first_funcs, left_out, strings, size;
};

static inline struct dw_names_layout dw_names_layout(const struct dw_names_header *header)
{
	struct dw_names_layout at = { .refs = sizeof(*header) + (uint64_t)header->n_names * sizeof(struct dw_names_entry) };

	at.dies = at.refs + (uint64_t)header->n_refs * sizeof(uint32_t);
	at.first_funcs = at.dies + (uint64_t)header->n_refs * sizeof(uint32_t);
	at.left_out = at.first_funcs + ((uint64_t)header->n_units + 1 + header->n_funcs) * sizeof(uint32_t);
	at.strings = at.left_out + (uint64_t)header->n_left_out * sizeof(uint32_t);
	at.size = at.strings + header->strings_size;
	return at;
}

struct dw_names {
	uint8_t *own; // the bytes, when the index was built here rather than mapped
	const uint8_t *bytes;
	size_t size;
	const struct dw_names_header *header;
	const struct dw_names_entry *names;
	const uint32_t *refs; // unit << DW_NAMES_KIND_BITS | kind
	const uint32_t *dies; // by reference: the offset of the DIE in its unit
	const uint32_t *first_funcs; // by unit, and one more behind the last: index of its first function in `funcs`
	const uint32_t *funcs; // offsets of the functions' DIEs in their units
	const uint32_t *left_out; // units
	const char *strings;
};

#endif
