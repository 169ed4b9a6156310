// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/sums.h"

#include "runtime/base/util.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

static bool has_instructions(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_SSE4_1 && c & bit_SSSE3 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA;
}

// Intel's "SHA Extensions": two registers hold a, b, e, f and c, d, g, h; an instruction does two rounds, and two make four words of the
// message schedule.
__attribute__((target("sha,sse4.1,ssse3"))) static void add_block(uint32_t state[8], const uint8_t *block)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1); // c, d, a, b
	__m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state + 1), 0x1b); // e, f, g, h
	__m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
	__m128i w[4], abef_before = abef, cdgh_before = cdgh;

#pragma GCC unroll 16
	for (unsigned i = 0; i < 16; i++) {
		__m128i *four = &w[i % 4], *last = &w[(i + 3) % 4], sum;

		if (i < 4)
			*four = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block + i), swap);
		else
			*four = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*four, w[(i + 1) % 4]),
								   _mm_alignr_epi8(*last, w[(i + 2) % 4], 4)), *last);
		sum = _mm_add_epi32(*four, _mm_loadu_si128((const __m128i *)sp_sha256_constants + i));
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
	}
	abef = _mm_add_epi32(abef, abef_before);
	cdgh = _mm_add_epi32(cdgh, cdgh_before);
	low = _mm_shuffle_epi32(abef, 0x1b); // f, e, b, a
	high = _mm_shuffle_epi32(cdgh, 0xb1); // d, c, h, g
	_mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
	_mm_storeu_si128((__m128i *)state + 1, _mm_alignr_epi8(high, low, 8));
}

void sums_sha256(const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	if (has_instructions())
		sp_sha256_by(add_block, bytes, size, ret);
	else
		sp_sha256(bytes, size, ret);
}
#else
void sums_sha256(const void *bytes, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	sp_sha256(bytes, size, ret);
}
#endif
