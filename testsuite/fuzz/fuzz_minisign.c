// SPDX-License-Identifier: GPL-2.0-or-later
// The door of keys and signatures. An input is the text of one; each is also taken with bytes of it changed or cut off. What is taken
// can be shown on a terminal, and there is one text only for the same bytes.
#include "runtime/base/minisign_sign.h"

#include <stdio.h>

#define N_VARIANTS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static bool check_signature(const char *text, size_t size)
{
	struct sp_minisign_signature signature;
	struct sp_err *err = sp_minisign_signature_parse("it", text, size, &signature);
	bool is_one = !err;

	for (const char *c = is_one ? signature.comment : ""; *c; c++)
		if ((unsigned char)*c < ' ' && *c != '\t')
			abort();
	if (is_one)
		sp_minisign_signature_deinit(&signature);
	sp_err_free(err);
	return is_one;
}

static bool check_keys(const char *text, size_t size)
{
	struct sp_minisign_keys keys = { 0 };
	struct sp_err *err = sp_minisign_keys_parse("it", text, size, &keys);
	bool is_one = !err;

	if (is_one && !keys.v.n)
		abort();
	sp_minisign_keys_deinit(&keys);
	sp_err_free(err);
	return is_one;
}

static bool check_secret(const char *text, size_t size)
{
	struct sp_minisign_secret secret;
	struct sp_err *err = sp_minisign_secret_parse("it", text, size, &secret);
	bool is_one = !err;

	if (is_one && secret.derivation[0] && !sp_minisign_secret_is_encrypted(&secret))
		abort();
	sp_err_free(err);
	return is_one;
}

static void check_lines(const char *text, size_t size)
{
	const char *at = text, *line;
	size_t len;

	while (sp_minisign_line(&at, text + size, &line, &len)) {
		struct sp_buf again = { 0 };
		uint8_t *bytes;
		size_t n;

		if (len < 4)
			continue;
		n = len / 4 * 3 - (line[len - 1] == '=') - (line[len - 2] == '=');
		bytes = sp_malloc(n + 1);
		if (sp_minisign_decode(line, len, bytes, n)) {
			sp_minisign_encode(&again, bytes, n);
			if (again.len != len || memcmp(again.data, line, len))
				abort();
		}
		sp_buf_deinit(&again);
		free(bytes);
	}
}

static bool check(const uint8_t *data, size_t size)
{
	char *text = sp_malloc(size + !size); // behind its end there is nothing
	bool is_one;

	memcpy(text, data, size);
	is_one = check_signature(text, size);
	is_one |= check_keys(text, size);
	is_one |= check_secret(text, size);
	check_lines(text, size);
	free(text);
	return is_one;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t state = size;
	uint8_t *bytes;

	if (LLVMFuzzerMutate) {
		check(data, size);
		return 0;
	}
	if (!check(data, size))
		abort(); // a file of the corpus that is not what it seems tests nothing
	bytes = sp_malloc(size);
	memcpy(bytes, data, size);
	for (int i = 0; i < N_VARIANTS; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		size_t at = (state >> 33) % size;

		bytes[at] ^= (uint8_t)(state >> 25) | 1;
		check(bytes, i % 8 ? size : at);
		if (i % 3)
			bytes[at] = data[at];
	}
	free(bytes);
	return 0;
}
