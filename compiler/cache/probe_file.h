// SPDX-License-Identifier: GPL-2.0-or-later
/** Files of the probe cache: debug information of some functions of a program or kernel (debug/dbg_partial.h says what for), named
 *  after its build-id. */
#ifndef SP_CACHE_PROBE_FILE_H
#define SP_CACHE_PROBE_FILE_H

#include "runtime/base/sha256.h"
#include "runtime/base/util.h"

#define PROBE_FILE_MAGIC "spileprb"
#define PROBE_FILE_LAYOUT 1
#define PROBE_FILE_MAX (UINT64_C(1) << 30) // bytes of a reduced debug file

enum probe_file_sort { PROBE_FILE_PROBES, PROBE_FILE_FUNCTIONS, PROBE_FILE_N_SORTS };

/** The beginning of the file. Behind it are texts, each a line: "object PATH", "definition TEXT", "funcs NAME\tFILE\tLINE"; then the
 *  ELF file, compressed by zlib. */
struct probe_file_head {
	char magic[8];
	uint32_t version, sort; // enum probe_file_sort
	uint32_t is_kernel, build_id_len;
	uint8_t build_id[32];
	char release[96]; // of a kernel; else ""
	uint64_t text_size, elf_size, packed_size;
	uint8_t digest[SP_SHA256_SIZE]; // of the head up to here and of all behind it
};

extern const char *const probe_file_endings[PROBE_FILE_N_SORTS];

/** The name of a file in the cache; to be freed. */
char *probe_file_name(const uint8_t *build_id, unsigned len, enum probe_file_sort sort);
void probe_file_digest(const struct probe_file_head *head, const uint8_t *rest, size_t size, uint8_t ret[SP_SHA256_SIZE]);
/** What is wrong with the bytes of such a file; NULL: nothing. */
const char *probe_file_check(const uint8_t *bytes, size_t size);

struct probe_file_line {
	const char *text; // behind the kind; not terminated
	size_t len;
};

/** Finds the next line of a kind ("definition") in a file that has been checked; *at is NULL at first. */
bool probe_file_next(const char **at, const struct probe_file_head *head, const char *kind, struct probe_file_line *ret);

#endif
