// SPDX-License-Identifier: GPL-2.0-or-later
/** What fuzzers do whose corpus is bytes as text (hex_text.h): an engine may make up anything; without one, each text of the corpus has to
 *  be what it seems, and is tried with changes. */
#ifndef SP_FUZZ_HEX_FUZZ_H
#define SP_FUZZ_HEX_FUZZ_H

#include "hex_text.h"

__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/** Gives the bytes to `take` `n` times, each time with others of them changed, every eighth time cut off; some changes stay. */
static void hex_fuzz_vary(uint8_t *bytes, size_t size, int n, void (*take)(const uint8_t *bytes, size_t size))
{
	uint64_t state = size;

	for (int i = 0; i < n && size; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		size_t at = (state >> 33) % size;
		uint8_t before = bytes[at];

		bytes[at] ^= (uint8_t)(state >> 25) | 1;
		take(bytes, i % 8 ? size : at);
		if (i % 3)
			bytes[at] = before;
	}
}

/** LLVMFuzzerTestOneInput. `is_right`: whether bytes of the corpus are what they seem; others test nothing. */
static int hex_fuzz_test(const uint8_t *data, size_t size, int n_variants, bool (*is_right)(const uint8_t *bytes, size_t size),
			 void (*take)(const uint8_t *bytes, size_t size))
{
	uint8_t *bytes;

	if (!hex_text_is(data, size)) {
		take(data, size);
		return 0;
	}
	bytes = hex_text_bytes(data, size, &size);
	if (!LLVMFuzzerMutate && (!bytes || !is_right(bytes, size)))
		abort();
	if (!LLVMFuzzerMutate)
		hex_fuzz_vary(bytes, size, n_variants, take);
	free(bytes);
	return 0;
}

/** LLVMFuzzerCustomMutator. */
static size_t hex_fuzz_mutate(uint8_t *data, size_t size, size_t max_size)
{
	return LLVMFuzzerMutate(data, hex_text_unpack(data, size, max_size), max_size);
}

#endif
