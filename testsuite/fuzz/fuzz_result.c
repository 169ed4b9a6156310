// SPDX-License-Identifier: GPL-2.0-or-later
// The door of compiled scripts and listings in the cache. An input is such a file, or a text that gives its bytes (hex_text.h); each is
// also taken with bytes of it changed. The digest is made right before, since nothing else could get past it.
#include "compiler/cache/lines.h"
#include "compiler/cache/result.h"

#include "runtime/base/build_id.h"
#include "runtime/base/cleanup.h"

#include "hex_fuzz.h"

#define N_VARIANTS 5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static size_t sum_of(const void *bytes, size_t size)
{
	size_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += ((const uint8_t *)bytes)[i];
	return sum;
}

// The number of inputs and messages, all bytes of which are read; 0: the file is refused. What inputs are now is not asked: their
// names may be those of any file.
static size_t check(const uint8_t *data, size_t size)
{
	sp_cleanup_free uint8_t *bytes = sp_malloc(size + 1);
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct result_message message;
	volatile size_t sum = 0;
	struct result result;
	struct input input;
	size_t n = 0;

	memcpy(bytes, data, size);
	if (size >= RESULT_HEAD_SIZE)
		result_sum(bytes, size);
	if (result_parse(bytes, size, &result))
		return 0;
	for (const uint8_t *at = result.inputs; input_next(&at, result.inputs + result.inputs_size, &input); n++) {
		sum += sum_of(input.name, strlen(input.name)) + sum_of(input.value, input.size) + strlen(input_what(&input));
		sum += sum_of(input.build_id, input.build_id_len);
		if (at > result.inputs + result.inputs_size || input.build_id_len > SP_BUILD_ID_MAX)
			abort();
	}
	for (const uint8_t *at = result.messages; result_next_message(&at, result.messages + result.messages_size, &message); n++)
		sum += sum_of(message.text, strlen(message.text)) + message.level;
	sum += strlen(result.title) + sum_of(result.object, result.object_size);
	if (lines_unpack(result.object, result.object_size, &text))
		sum += sum_of(text.data, text.len);
	(void)sum;
	return n + 1;
}

static void take(const uint8_t *bytes, size_t size)
{
	check(bytes, size);
}

static bool is_right(const uint8_t *bytes, size_t size)
{
	return check(bytes, size) >= 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return hex_fuzz_test(data, size, N_VARIANTS, is_right, take);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	(void)seed;
	return hex_fuzz_mutate(data, size, max_size);
}
