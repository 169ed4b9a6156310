// SPDX-License-Identifier: GPL-2.0-or-later
// The door of perf.data: its header, its parts, and what its records have. `make check` also takes each file of the corpus, which
// testsuite/perf_data.py has made, with each bit flipped, and cut off anywhere.
#include "runtime/base/perf_data.h"

#include "hex_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void check_text(const char *text)
{
	if (text && strlen(text) > 1u << 20)
		abort();
}

static void check_record(const struct sp_perf_data *data, const struct sp_perf_record *record)
{
	struct sp_perf_sample sample;
	struct sp_perf_mmap mmap;
	struct sp_perf_task task;
	struct sp_perf_who who;

	sp_perf_who(data, record, &who);
	if (sp_perf_mmap(data, record, &mmap))
		check_text(mmap.path);
	if (sp_perf_task(data, record, &task))
		check_text(task.comm);
	if (!sp_perf_sample(data, record, &sample))
		return;
	struct sp_perf_cursor chain = sp_perf_cursor(data, sample.chain, sample.n_chain * 8);

	for (size_t i = 0; i < sample.n_chain; i++)
		sp_perf_u64(&chain);
	if (chain.is_short || sample.who.event < data->events.v || sample.who.event >= data->events.v + data->events.n)
		abort();
	for (size_t i = 0, sum = 0; i < sample.raw_size; i++)
		*(volatile size_t *)&sum += sample.raw[i];
}

// Whether it is a file of perf record, all of which can be read.
static bool check(const uint8_t *data, size_t size)
{
	struct sp_perf_record record;
	struct sp_perf_data read;
	struct sp_perf_walk walk;
	struct sp_err *err = sp_perf_data_read(data, size, "it", &read);

	if (err) {
		sp_err_free(err);
		return false;
	}
	sp_vec_each(event, &read.events)
		check_text(event->name), check_text(event->format);
	sp_perf_walk_begin(&walk, &read);
	while (sp_perf_walk_next(&walk, &record))
		check_record(&read, &record);
	if (walk.n_bytes > size)
		abort();
	bool is_whole = !walk.stop;

	sp_perf_walk_end(&walk);
	sp_perf_data_close(&read);
	return is_whole;
}

// No more than these bytes, so that the address sanitizer sees a read behind them.
static bool check_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = sp_malloc(size + !size);
	bool is_one;

	if (size)
		memcpy(copy, data, size);
	is_one = check(copy, size);
	free(copy);
	return is_one;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes;

	if (!hex_text_is(data, size)) {
		check_copy(data, size);
		return 0;
	}
	bytes = hex_text_bytes(data, size, &size);
	if (!LLVMFuzzerMutate && (!bytes || !check_copy(bytes, size)))
		abort(); // a file of the corpus that is not what it seems tests nothing
	for (size_t bit = 0; bit < size * 8 && !LLVMFuzzerMutate; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		check(bytes, size);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t len = 0; len < size && !LLVMFuzzerMutate; len++)
		check_copy(bytes, len);
	free(bytes);
	return 0;
}

// ---- changes that know the format -------------------------------------------------------------------------------------

#define HEADER 104 // its words are sizes, offsets, and bits of features
#define DATA_OFFSET 40

static uint32_t next(unsigned *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

// A number that is wrong in an interesting way, or a place of the file.
static uint64_t number(unsigned *seed, uint64_t size)
{
	const uint64_t edges[] = { 0, 1, 7, 8, 16, size - 1, size, size + 1, INT32_MAX, UINT32_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 7,
				   UINT64_MAX, UINT64_MAX - size + 1 };
	uint32_t n = next(seed) % (2 * SP_ARRAY_SIZE(edges));

	return n < SP_ARRAY_SIZE(edges) ? edges[n] : next(seed) % size / 8 * 8;
}

static void put(uint8_t *data, size_t size, size_t at, uint64_t value, size_t width)
{
	if (at <= size && width <= size - at)
		memcpy(data + at, &value, width); // of machines that begin numbers with their lowest byte; `size` in the others' files
}

// The head of one of the records.
static size_t some_record(const uint8_t *data, size_t size, unsigned *seed)
{
	uint64_t at = 16, begin;

	memcpy(&begin, data + DATA_OFFSET, sizeof(begin));
	if (data[8] == HEADER && begin < size)
		at = begin;
	for (uint32_t n = next(seed) % 64; n && at + 8 <= size; n--) {
		uint16_t len;

		memcpy(&len, data + at + 6, sizeof(len));
		if (len < 8 || len > size - at)
			break;
		at += len;
	}
	return at;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	size_t record;

	size = hex_text_unpack(data, size, max_size);
	if (size < HEADER || next(&seed) % 4 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	record = some_record(data, size, &seed);
	switch (next(&seed) % 5) {
	case 0: // a size or an offset of the header
		put(data, size, 8 + next(&seed) % 12 * 8, number(&seed, size), 8);
		break;
	case 1: // one behind the records: of a feature
		put(data, size, size - size / 4 + next(&seed) % (size / 4) / 8 * 8, number(&seed, size), 8);
		break;
	case 2: // a word of a record
		put(data, size, record + 8 + next(&seed) % 16 * 8, number(&seed, size), 8);
		break;
	case 3: // a record's type, and its size
		put(data, size, record, next(&seed) % 2 ? next(&seed) % 24 : 64 + next(&seed) % 20, 4);
		put(data, size, record + 6, next(&seed) % 8 * 8, next(&seed) % 2 * 2);
		break;
	case 4: // what an attribute says of its samples
		put(data, size, HEADER + next(&seed) % 512 / 8 * 8, 1ull << next(&seed) % 64 | 1ull << next(&seed) % 26, 8);
		break;
	}
	return size;
}
