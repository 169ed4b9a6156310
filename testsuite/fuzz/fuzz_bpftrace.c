// SPDX-License-Identifier: GPL-2.0-or-later
// A script of bpftrace is translated, whatever it holds, and what it becomes is not much longer.
#include "compiler/bpftrace/bpftrace.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sp_buf out = { 0 };
	char *text = strndup((const char *)data, size);

	bpftrace_translate(text, &out);
	if (out.len > 1000000 + 1000 * size)
		abort();
	sp_buf_deinit(&out);
	free(text);
	return 0;
}
