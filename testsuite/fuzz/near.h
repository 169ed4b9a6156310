// SPDX-License-Identifier: GPL-2.0-or-later
// What is near an input: itself, and when no fuzzing engine makes such ones, each bit flipped, and cut off anywhere.
#ifndef SP_TEST_FUZZ_NEAR_H
#define SP_TEST_FUZZ_NEAR_H

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static inline void fuzz_near(const uint8_t *data, size_t size, void (*check)(const char *bytes, size_t len))
{
	sp_cleanup_free uint8_t *copy = sp_malloc(size + !size);

	memcpy(copy, data, size);
	check((const char *)copy, size);
	for (size_t bit = 0; bit < size * 8 && !LLVMFuzzerMutate; bit++) {
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check((const char *)copy, size);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t len = 0; len < size && !LLVMFuzzerMutate; len++) {
		sp_cleanup_free uint8_t *cut = sp_malloc(len + !len); // no more than that, so that the address sanitizer sees a read behind it

		memcpy(cut, data, len);
		check((const char *)cut, len);
	}
}

#endif
