// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/archive.h"

#include "compiler/cache/cache.h"
#include "compiler/cache/probe_file.h"

#include "runtime/base/cleanup.h"

#include <stdio.h>

#define BLOCK 512

// POSIX.1-1988, "ustar". Numbers are octal texts.
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
	char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a block");

// The sum of all bytes, those of the checksum itself counted as blanks.
static unsigned checksum_of(const struct header *header)
{
	const uint8_t *bytes = (const uint8_t *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= offsetof(struct header, checksum) && i < offsetof(struct header, type) ? ' ' : bytes[i];
	return sum;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void add_file(struct sp_buf *out, const char *name, const struct cache_mapped *file)
{
	struct header header = { .mode = "0000600", .uid = "0000000", .gid = "0000000", .mtime = "00000000000", .type = '0',
				 .magic = "ustar", .version = { '0', '0' } };

	snprintf(header.name, sizeof(header.name), "%s", name);
	snprintf(header.size, sizeof(header.size), "%011llo", (unsigned long long)file->size);
	snprintf(header.checksum, sizeof(header.checksum), "%06o", checksum_of(&header));
	header.checksum[7] = ' ';
	sp_buf_add(out, &header, sizeof(header));
	sp_buf_add(out, file->bytes, file->size);
	sp_buf_fill(out, '\0', SP_ALIGN_UP(file->size, BLOCK) - file->size);
}

static bool is_wanted(const char *name, const char *const *ids, size_t n_ids)
{
	for (size_t i = 0; i < n_ids; i++)
		if (sp_starts_with(name, ids[i]))
			return true;
	return !n_ids;
}

// Is it the name of a file of the probe cache: hexadecimal digits, a dot, and the ending of a sort?
static bool is_name(const char *name)
{
	size_t len = strspn(name, "0123456789abcdef");

	if (!len || len > 64 || len % 2 || name[len] != '.')
		return false;
	for (unsigned sort = 0; sort < PROBE_FILE_N_SORTS; sort++)
		if (sp_streq(name + len + 1, probe_file_endings[sort]))
			return true;
	return false;
}

struct sp_err *archive_write(const char *const *ids, size_t n_ids, struct sp_buf *ret, unsigned *n_ret)
{
	struct cache_list all = { 0 };
	struct sp_err *err = cache_each(NULL, &all);

	*n_ret = 0;
	for (size_t i = 0; i < all.n && !err; i++) {
		struct cache_mapped file;

		if (!is_name(all.v[i].name) || !is_wanted(all.v[i].name, ids, n_ids))
			continue;
		if ((err = cache_map(all.v[i].name, &file)) || !file.bytes)
			continue;
		const char *why = probe_file_check(file.bytes, file.size);
		if (why)
			err = sp_err_new(SP_ERR_FORMAT, "%s: %s", all.v[i].name, why);
		else
			add_file(ret, all.v[i].name, &file);
		*n_ret += !why;
		cache_unmap(&file);
	}
	sp_vec_deinit(&all);
	sp_buf_fill(ret, '\0', 2 * BLOCK); // the end
	return err;
}

// ---- reading --------------------------------------------------------------------------------------------------------

// An octal number that fills its field but for what ends it; false: it is none.
static bool read_octal(const char *field, size_t len, uint64_t *ret)
{
	size_t i = 0;

	*ret = 0;
	for (; i < len && field[i] >= '0' && field[i] <= '7' && *ret < UINT64_C(1) << 40; i++)
		*ret = *ret * 8 + (uint64_t)(field[i] - '0');
	return i && (i == len || field[i] == '\0' || field[i] == ' ');
}

static struct sp_err *refuse(const char *why)
{
	return sp_err_new(SP_ERR_FORMAT, "the archive is refused: %s", why);
}

// `name` has room for a name and the "./" that tar(1) can put before it.
static struct sp_err *read_name(const struct header *header, char name[sizeof(header->name) + 1])
{
	const char *given;

	memcpy(name, header->name, sizeof(header->name));
	name[sizeof(header->name)] = '\0';
	given = sp_starts_with(name, "./") ? name + 2 : name;
	if (header->prefix[0] || !is_name(given))
		return refuse("it has something else in it than files of the probe cache");
	memmove(name, given, strlen(given) + 1);
	return NULL;
}

// Reads the file at *at. An empty name is the end of the archive.
static struct sp_err *read_file(const uint8_t **at, const uint8_t *end, char *name, const uint8_t **bytes_ret, size_t *size_ret)
{
	const struct header *header = (const struct header *)*at;
	uint64_t sum, size;
	const char *why;

	*name = '\0';
	if ((size_t)(end - *at) < BLOCK)
		return *at == end ? NULL : refuse("it is truncated");
	if (!header->name[0] && checksum_of(header) == 8 * ' ')
		return NULL;
	if (memcmp(header->magic, "ustar", 5) != 0 || !read_octal(header->checksum, sizeof(header->checksum), &sum) || sum != checksum_of(header))
		return refuse("it is no tar file, or it was damaged");
	if (header->type != '0' && header->type != '\0')
		return refuse("it has something else in it than regular files");
	SP_TRY(read_name(header, name));
	if (!read_octal(header->size, sizeof(header->size), &size) || size > (uint64_t)(end - *at) - BLOCK)
		return refuse("a file in it is larger than the archive");
	*bytes_ret = *at + BLOCK;
	*size_ret = size;
	if ((why = probe_file_check(*bytes_ret, size)))
		return sp_err_new(SP_ERR_FORMAT, "the archive is refused: %s: %s", name, why);
	const struct probe_file_head *head = (const struct probe_file_head *)*bytes_ret;
	sp_cleanup_free char *own = probe_file_name(head->build_id, head->build_id_len, (enum probe_file_sort)head->sort);
	if (!sp_streq(own, name))
		return sp_err_new(SP_ERR_FORMAT, "the archive is refused: %s in it is %s", name, own);
	*at += BLOCK + SP_MIN(SP_ALIGN_UP(size, BLOCK), (uint64_t)(end - *at) - BLOCK);
	return NULL;
}

struct sp_err *archive_read(const uint8_t *bytes, size_t size, archive_file_fn *fn, void *ctx)
{
	char name[101];

	for (int saves = 0; saves < 2; saves++) {
		const uint8_t *at = bytes, *content = NULL;
		size_t content_size = 0;

		for (;;) {
			SP_TRY(read_file(&at, bytes + size, name, &content, &content_size));
			if (!*name)
				break;
			if (saves)
				SP_TRY(fn(ctx, name, content, content_size));
		}
		if (at == bytes)
			return refuse("there is nothing in it");
	}
	return NULL;
}
