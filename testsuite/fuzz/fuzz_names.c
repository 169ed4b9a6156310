// SPDX-License-Identifier: GPL-2.0-or-later
// The door of saved indexes of names. An input is an index, or a text that gives its bytes (hex_text.h); each is also
// taken with bytes of it changed. It is opened as that of the file which its own header names, with the right sum.
#include "compiler/debug/index/dw_names.h"

#include "hex_fuzz.h"

#include <stdio.h>

#define N_VARIANTS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct seen {
	size_t n_units, n;
};

static bool see(void *ctx, size_t unit)
{
	struct seen *seen = ctx;

	if (unit >= seen->n_units)
		abort();
	return ++seen->n > 1000;
}

static void see_func(void *ctx, size_t unit, uint32_t die)
{
	(void)die;
	see(ctx, unit);
}

static void see_die(void *ctx, uint32_t die)
{
	(void)die;
	++*(size_t *)ctx;
}

// False: it is not an index.
static bool ask(const uint8_t *data, size_t size)
{
	static const char *const patterns[] = { "*", "a*", "main", "", "[!x]?*" };
	struct dw_names_key key = { 0 };
	uint8_t *bytes = sp_malloc(size + 1); // behind its end there is nothing
	uint32_t build_id_len = 0;

	memcpy(bytes, data, size);
	// magic, version, units, size of .debug_info, build-id, its length
	if (size >= 60) {
		memcpy(&key.n_units, bytes + 12, 4);
		memcpy(&key.info_size, bytes + 16, 8);
		memcpy(key.build_id, bytes + 24, sizeof(key.build_id));
		memcpy(&build_id_len, bytes + 56, 4);
		key.build_id_len = build_id_len;
	}
	dw_names_seal(bytes, size);
	struct dw_names *names = dw_names_open(bytes, size, &key);
	for (size_t i = 0; names && i < SP_ARRAY_SIZE(patterns); i++) {
		struct seen seen = { .n_units = key.n_units };
		dw_names_find(names, patterns[i], ~0u, see, &seen);
		dw_names_funcs(names, patterns[i], see_func, &seen);
	}
	for (size_t i = 0, n = 0; names && i < key.n_units; i++)
		if (!dw_names_leave_out(names, i))
			dw_names_unit_funcs(names, i, see_die, &n);
	if (names) {
		struct seen seen = { .n_units = key.n_units };
		dw_names_left_out(names, see, &seen);
	}
	bool is_index = names;
	dw_names_destroy(names);
	free(bytes);
	return is_index;
}

static void take(const uint8_t *bytes, size_t size)
{
	ask(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return hex_fuzz_test(data, size, N_VARIANTS, ask, take);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	(void)seed;
	return hex_fuzz_mutate(data, size, max_size);
}
