// SPDX-License-Identifier: GPL-2.0-or-later
// The door of descriptions of machines. `make check` also takes each file of the corpus with each bit flipped, and cut off anywhere: it
// is refused, with the line that is wrong, or what was read fits its room.
#include "compiler/model/target.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static bool check(const uint8_t *data, size_t size)
{
	struct target target = { 0 };
	struct sp_err *err = target_parse((const char *)data, size, &target);
	sp_cleanup_free char *text = err ? sp_err_text(err) : NULL;

	sp_err_free(err);
	if (text && !strstr(text, "target description"))
		abort();
	if (!text && (!memchr(target.arch, 0, sizeof(target.arch)) || !memchr(target.release, 0, sizeof(target.release)) ||
		      target.build_id_len > sizeof(target.build_id)))
		abort();
	return !text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	sp_cleanup_free uint8_t *copy = sp_malloc(size + 1);

	if (size)
		memcpy(copy, data, size);
	check(copy, size);
	for (size_t bit = 0; bit < size * 8 && !LLVMFuzzerMutate; bit++) {
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		check(copy, size);
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t len = 0; len < size && !LLVMFuzzerMutate; len++) {
		sp_cleanup_free uint8_t *cut = sp_malloc(len + !len); // no more than that, so that the address sanitizer sees a read behind it

		memcpy(cut, data, len);
		check(cut, len);
	}
	return 0;
}
