// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/delta.h"

#include <stdlib.h>
#include <string.h>

#define WORD 8 // bytes: a shorter run of equal bytes is not worth a step of the delta

static void put_number(struct sp_buf *out, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		sp_buf_putc(out, (char)(n | 0x80));
	sp_buf_putc(out, (char)n);
}

static uint64_t from_signed(int64_t n)
{
	return n < 0 ? ~((uint64_t)n << 1) : (uint64_t)n << 1;
}

static int64_t to_signed(uint64_t n)
{
	return n & 1 ? (int64_t)~(n >> 1) : (int64_t)(n >> 1);
}

static bool take_number(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	*ret = 0;
	for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
		uint8_t byte = *(*at)++;

		*ret |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

// ---- making ---------------------------------------------------------------------------------------------------------

/** Where words of the other bytes are, by their hash; of several with one hash the first. */
struct words {
	uint32_t *places; // position + 1; 0: none
	uint32_t mask;
};

static uint32_t hash_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, WORD);
	return (uint32_t)((word * 0x9e3779b97f4a7c15ull) >> 32);
}

static struct words find_words(const uint8_t *base, size_t size)
{
	struct words words = { .mask = 1023 };

	while (words.mask < size)
		words.mask = words.mask * 2 + 1;
	words.places = sp_calloc((size_t)words.mask + 1, sizeof(*words.places));
	for (size_t i = 0; i + WORD <= size; i++) {
		uint32_t *place = &words.places[hash_word(base + i) & words.mask];

		if (!*place)
			*place = (uint32_t)i + 1;
	}
	return words;
}

struct run {
	size_t from, length;
};

static size_t equal_length(const uint8_t *a, const uint8_t *b, size_t max)
{
	size_t n = 0;

	while (n < max && a[n] == b[n])
		n++;
	return n;
}

// The run of the other bytes that goes on at `at`: where the last one would have gone on, or else where the word is. Length 0: none.
static struct run find_run(const struct words *words, const uint8_t *base, size_t base_size, const uint8_t *at, size_t left, size_t expected)
{
	struct run run = { .from = expected };

	if (expected < base_size)
		run.length = equal_length(base + expected, at, SP_MIN(base_size - expected, left));
	if (run.length >= WORD || (run.length && run.length == left))
		return run;
	run.length = 0;
	if (left < WORD || !words->places[hash_word(at) & words->mask])
		return run;
	run.from = words->places[hash_word(at) & words->mask] - 1;
	run.length = equal_length(base + run.from, at, SP_MIN(base_size - run.from, left));
	if (run.length < WORD)
		run.length = 0;
	return run;
}

void delta_make(const uint8_t *base, size_t base_size, const uint8_t *bytes, size_t size, struct sp_buf *ret)
{
	struct words words = find_words(base, base_size);
	size_t new_from = 0, ended = 0; // of the new bytes; of the last run

	for (size_t at = 0; at < size;) {
		size_t expected = ended + (at - new_from);
		struct run run = find_run(&words, base, base_size, bytes + at, size - at, expected);

		if (!run.length) {
			at++;
			continue;
		}
		put_number(ret, at - new_from);
		sp_buf_add(ret, bytes + new_from, at - new_from);
		put_number(ret, run.length);
		put_number(ret, from_signed((int64_t)run.from - (int64_t)expected));
		at += run.length;
		new_from = at;
		ended = run.from + run.length;
	}
	if (new_from < size) {
		put_number(ret, size - new_from);
		sp_buf_add(ret, bytes + new_from, size - new_from);
	}
	free(words.places);
}

// ---- applying -------------------------------------------------------------------------------------------------------

bool delta_apply(const uint8_t *base, size_t base_size, const uint8_t *delta, size_t delta_size, size_t size, struct sp_buf *ret)
{
	const uint8_t *at = delta, *end = delta + delta_size;
	size_t left = size, from = 0;

	while (left) {
		uint64_t n, moved;

		if (!take_number(&at, end, &n) || n > left || n > (size_t)(end - at))
			return false;
		sp_buf_add(ret, at, n);
		at += n;
		left -= n;
		if (!left)
			break;
		from += n;
		if (!take_number(&at, end, &n) || !take_number(&at, end, &moved) || n > left)
			return false;
		from += (size_t)to_signed(moved);
		if (from > base_size || n > base_size - from)
			return false;
		sp_buf_add(ret, base + from, n);
		from += n;
		left -= n;
	}
	return at == end;
}
