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

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	(void)seed;
	return LLVMFuzzerMutate(data, hex_text_unpack(data, size, max_size), max_size);
}
