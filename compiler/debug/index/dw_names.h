// SPDX-License-Identifier: GPL-2.0-or-later
/** An index of all names of a file: for each name the units that define it. It is one block of bytes, which can be saved and
 *  mapped. Its answers are hints where to look: a damaged index costs time or misses a name, and breaks nothing. */
#ifndef SP_DEBUG_DW_NAMES_H
#define SP_DEBUG_DW_NAMES_H

#include "compiler/debug/index/dw_scan.h"

/** What an index belongs to. */
struct dw_names_key {
	uint8_t build_id[32];
	unsigned build_id_len;
	uint64_t info_size; // of .debug_info
	uint32_t n_units; // 0: not known yet
};

struct dw_names_unit {
	uint64_t off, end; // in .debug_info
};

struct dw_names;

/** Reads all units, in several threads. Those that dw_scan_unit() does not read, as the Rust of a kernel, are left out, and listed.
 *  NULL: they are more than a sixteenth of the bytes. */
struct dw_names *dw_names_build(const struct dw_scan_source *source, const struct dw_names_unit *units,
				const struct dw_names_key *key);
/** Takes the bytes of a saved index, which stay the caller's. NULL: they are not an index of that file. */
struct dw_names *dw_names_open(const uint8_t *bytes, size_t size, const struct dw_names_key *key);
/** The same without a look at the checksum. */
struct dw_names *dw_names_view(const uint8_t *bytes, size_t size, const struct dw_names_key *key);
void dw_names_destroy(struct dw_names *names);
/** Writes the checksum of an index into it: dw_names_open() refuses one with a wrong checksum. */
void dw_names_seal(uint8_t *bytes, size_t size);
/** The bytes to save. */
const uint8_t *dw_names_bytes(const struct dw_names *names, size_t *size_ret);

/** The bit of a kind of names, in a set of kinds. */
#define DW_NAMES(kind) (1u << (kind))
#define DW_NAMES_VARS (DW_NAMES(DW_NAME_VAR) | DW_NAMES(DW_NAME_EXTERN))
#define DW_NAMES_TYPES \
	(DW_NAMES(DW_NAME_STRUCT) | DW_NAMES(DW_NAME_UNION) | DW_NAMES(DW_NAME_ENUM) | DW_NAMES(DW_NAME_TYPE))

/** Calls `fn` with the units that define a matching name as one of `kinds`, once for each name, until it returns true. Of types and
 *  of declarations of variables the index has only the first unit of each name. True: `fn` wants no more. */
typedef bool dw_names_fn(void *ctx, size_t unit);
bool dw_names_find(const struct dw_names *names, const char *pattern, unsigned kinds, dw_names_fn *fn, void *ctx);

/** Calls `fn` with the units that the index leaves out, until it returns true. */
void dw_names_left_out(const struct dw_names *names, dw_names_fn *fn, void *ctx);
bool dw_names_leave_out(const struct dw_names *names, size_t unit);

/** Calls `fn` with the units of a kernel whose line tables have a file that matches (dw_line_match()) and is no header. */
void dw_names_files(const struct dw_names *names, const char *pattern, dw_names_fn *fn, void *ctx);

/** Calls `fn` with each function whose name matches, as a unit and the offset of its DIE there: DW_TAG_subprogram with code, or
 *  abstract. The offsets of a damaged index can be anything. */
typedef void dw_names_die_fn(void *ctx, size_t unit, uint32_t die);
void dw_names_funcs(const struct dw_names *names, const char *pattern, dw_names_die_fn *fn, void *ctx);
/** The same for all functions of one unit. */
typedef void dw_names_func_fn(void *ctx, uint32_t die);
void dw_names_unit_funcs(const struct dw_names *names, size_t unit, dw_names_func_fn *fn, void *ctx);

#endif
