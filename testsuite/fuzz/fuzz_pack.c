// SPDX-License-Identifier: GPL-2.0-or-later
// The door of packs. An input is a pack, or a text that gives its bytes (hex_text.h); each is also taken with bytes of it changed. The
// sum is made right before, since nothing else could get past it; what a pack has is opened as a compiled script.
#include "runtime/base/cleanup.h"
#include "runtime/load/pack.h"

#include "hex_fuzz.h"

#define N_VARIANTS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

// The number of scripts in the pack that can be opened.
static unsigned check(const uint8_t *data, size_t size)
{
	sp_cleanup_free uint8_t *bytes = sp_malloc(size + 1);
	sp_cleanup(pack_deinit) struct pack pack = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_err *err;
	unsigned n_right = 0;

	memcpy(bytes, data, size);
	if (size >= sizeof(struct sp_pack_head))
		pack_sum(bytes, size);
	err = pack_open(bytes, size, &pack);
	for (unsigned i = 0; !err && i < SP_MIN(pack.n_entries, 8u); i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };
		struct bundle *bundle = NULL;
		struct sp_err *bad = pack_read(&pack, i, &script);

		if (!bad)
			bad = bundle_open(script.data, script.len, &bundle);
		n_right += !bad;
		sp_err_free(bad);
		bundle_close(bundle);
	}
	sp_err_free(err);
	sp_err_free(pack_show(bytes, size, n_right & 1, &text));
	return n_right;
}

static void take(const uint8_t *bytes, size_t size)
{
	check(bytes, size);
}

static bool is_right(const uint8_t *bytes, size_t size)
{
	return check(bytes, size) >= 2;
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
