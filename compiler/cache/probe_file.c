// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/probe_file.h"

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

const char *const probe_file_endings[PROBE_FILE_N_SORTS] = { "probes", "functions" };

char *probe_file_name(const uint8_t *build_id, unsigned len, enum probe_file_sort sort)
{
	struct sp_buf name = { 0 };

	for (unsigned i = 0; i < len; i++)
		sp_buf_printf(&name, "%02x", build_id[i]);
	sp_buf_printf(&name, ".%s", probe_file_endings[sort]);
	return sp_buf_take(&name);
}

void probe_file_digest(const struct probe_file_head *head, const uint8_t *rest, size_t size, uint8_t ret[SP_SHA256_SIZE])
{
	uint8_t both[2 * SP_SHA256_SIZE];

	sp_sha256(head, offsetof(struct probe_file_head, digest), both);
	sp_sha256(rest, size, both + SP_SHA256_SIZE);
	sp_sha256(both, sizeof(both), ret);
}

// The texts are lines that end, and have no NUL.
static bool is_text(const uint8_t *text, uint64_t size)
{
	return size && text[size - 1] == '\n' && !memchr(text, 0, size);
}

const char *probe_file_check(const uint8_t *bytes, size_t size)
{
	const struct probe_file_head *head = (const struct probe_file_head *)bytes;
	uint8_t digest[SP_SHA256_SIZE];

	if (size < sizeof(*head) || memcmp(head->magic, PROBE_FILE_MAGIC, sizeof(head->magic)) != 0)
		return "it has no probes in it";
	if (head->version != PROBE_FILE_LAYOUT)
		return "it is of another version";
	if (head->text_size > size || head->packed_size > size || sizeof(*head) + head->text_size + head->packed_size != size)
		return "its size is not what it says";
	probe_file_digest(head, (const uint8_t *)(head + 1), size - sizeof(*head), digest);
	if (memcmp(digest, head->digest, sizeof(digest)) != 0)
		return "its content has changed";
	if (head->sort >= PROBE_FILE_N_SORTS || head->build_id_len > sizeof(head->build_id) || !head->build_id_len ||
	    head->elf_size > PROBE_FILE_MAX || !memchr(head->release, 0, sizeof(head->release)) ||
	    !is_text((const uint8_t *)(head + 1), head->text_size))
		return "its head is broken";
	return NULL;
}

bool probe_file_next(const char **at, const struct probe_file_head *head, const char *kind, struct probe_file_line *ret)
{
	const char *end = (const char *)(head + 1) + head->text_size;
	size_t len = strlen(kind);

	*at = *at ? *at : (const char *)(head + 1);
	while (*at < end) {
		const char *line = *at, *next = memchr(line, '\n', (size_t)(end - line));

		*at = next + 1;
		if ((size_t)(next - line) <= len || memcmp(line, kind, len) != 0 || line[len] != ' ')
			continue;
		*ret = (struct probe_file_line){ line + len + 1, (size_t)(next - line) - len - 1 };
		return true;
	}
	return false;
}
