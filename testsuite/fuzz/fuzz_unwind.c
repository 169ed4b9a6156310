// SPDX-License-Identifier: GPL-2.0-or-later
// The door of call frame information: ELF files of programs that are traced. An input is a file, or the bytes of an .eh_frame; each
// is also taken with bytes of it changed. What comes out is sorted, and a search in it stays within it.
#include "runtime/abi/unwind.h"
#include "runtime/unwind/cfi.h"
#include "runtime/unwind/unwind_table.h"

#include "hex_fuzz.h"

#include <stdio.h>

#define N_VARIANTS 500

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void check_rows(const uint8_t *data, size_t size, bool is_debug_frame)
{
	struct cfi_rows rows = { 0 };

	cfi_read(&(struct cfi_input){ data, size, 0x400000, is_debug_frame }, &rows);
	for (size_t i = 1; i < rows.v.n; i++)
		if (rows.v.v[i - 1].pc >= rows.v.v[i].pc)
			abort();
	sp_vec_deinit(&rows.v);
}

static void check_table(uint8_t *data, size_t size)
{
	struct unwind_table table = { 0 };
	struct sp_err *err = unwind_table_read_memory(data, size, &table);

	for (uint32_t i = 0; !err && table.elements.n && i < table.n_buckets; i++) {
		uint64_t low = table.elements.v[i] & UINT32_MAX, high = table.elements.v[i] >> 32;

		if (low < table.n_buckets || low >= high || high > table.elements.n ||
		    high - low > (UINT64_C(1) << SP_UNWIND_MAX_SHIFT) + 1)
			abort();
	}
	sp_err_free(err);
	unwind_table_deinit(&table);
}

static void check(const uint8_t *data, size_t size)
{
	uint8_t *bytes = sp_malloc(size + 1); // behind its end there is nothing

	memcpy(bytes, data, size);
	check_rows(bytes, size, false);
	check_rows(bytes, size, true);
	check_table(bytes, size);
	free(bytes);
}

static bool is_right(const uint8_t *data, size_t size)
{
	uint8_t *bytes = sp_malloc(size);
	struct unwind_table table = { 0 };
	struct sp_err *err;
	bool has_rows;

	memcpy(bytes, data, size);
	err = unwind_table_read_memory(bytes, size, &table);
	has_rows = !err && unwind_table_rows(&table) >= 10;
	sp_err_free(err);
	free(bytes);
	unwind_table_deinit(&table);
	return has_rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return hex_fuzz_test(data, size, N_VARIANTS, is_right, check);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	(void)seed;
	return hex_fuzz_mutate(data, size, max_size);
}
