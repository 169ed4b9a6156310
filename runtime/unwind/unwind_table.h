// SPDX-License-Identifier: GPL-2.0-or-later
/** The table of a file by which stacks are walked (abi/unwind.h), made of its .eh_frame, or of its .debug_frame when it has only that. */
#ifndef SP_RUNTIME_UNWIND_TABLE_H
#define SP_RUNTIME_UNWIND_TABLE_H

#include "runtime/base/err.h"
#include "runtime/base/vec.h"

struct unwind_table {
	SP_VEC(uint64_t) elements; // buckets, then rows; empty: nothing is known of the file
	uint32_t n_buckets, shift;
};

/** Of an ELF file that is mapped like `path`. A file that is not for x86_64, or has no such section, has an empty table. */
struct sp_err *unwind_table_read(const char *path, struct unwind_table *ret);
/** Of an ELF file in memory. */
struct sp_err *unwind_table_read_memory(void *bytes, size_t size, struct unwind_table *ret);
void unwind_table_deinit(struct unwind_table *table);

static inline size_t unwind_table_rows(const struct unwind_table *table)
{
	return table->elements.n - table->n_buckets;
}

#endif
