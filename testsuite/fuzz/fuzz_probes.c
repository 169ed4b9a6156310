// SPDX-License-Identifier: GPL-2.0-or-later
// The doors of the probe cache: an archive, and a file of it, whose digest is set so that what is behind it is reached. (The debug
// information in such a file goes through the door of fuzz_dwarf.)
#include "compiler/cache/archive.h"
#include "compiler/cache/probe_file.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sp_err *see(void *ctx, const char *name, const uint8_t *bytes, size_t size)
{
	size_t *sum = ctx;

	if (strchr(name, '/') || !size)
		abort();
	*sum += bytes[0] + bytes[size - 1];
	return NULL;
}

static void read_lines(const struct probe_file_head *head)
{
	static const char *const kinds[] = { "object", "definition", "funcs" };
	const char *end = (const char *)(head + 1) + head->text_size;

	for (size_t i = 0; i < SP_ARRAY_SIZE(kinds); i++) {
		struct probe_file_line line;
		const char *at = NULL;

		while (probe_file_next(&at, head, kinds[i], &line))
			if (line.text + line.len >= end)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	struct probe_file_head *head = (struct probe_file_head *)copy;
	size_t sum = 0;

	sp_err_free(archive_read(data, size, see, &sum));
	if (size)
		memcpy(copy, data, size);
	if (size >= sizeof(*head)) {
		probe_file_digest(head, (const uint8_t *)(head + 1), size - sizeof(*head), head->digest);
		if (!probe_file_check(copy, size)) {
			free(probe_file_name(head->build_id, head->build_id_len, (enum probe_file_sort)head->sort));
			read_lines(head);
		}
	}
	free(copy);
	return 0;
}
