// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/pack.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/sha256.h"
#include "runtime/load/delta.h"

#include <stdlib.h>
#include <zlib.h>

#define MAX_RATIO 1032 // no deflated byte becomes more: a size that is a lie is found before memory is taken for it

bool pack_is_one(const void *bytes, size_t size)
{
	return size >= strlen(SP_PACK_MAGIC) && memcmp(bytes, SP_PACK_MAGIC, strlen(SP_PACK_MAGIC)) == 0;
}

uint32_t pack_release(const char *release)
{
	unsigned major = 0, minor = 0, patch = 0;

	sscanf(release, "%3u.%3u.%3u", &major, &minor, &patch);
	return (major * 1000 + minor) * 1000 + patch;
}

static struct sp_err *SP_PRINTF(1, 2) broken(const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return sp_err_new(SP_ERR_FORMAT, "not a valid pack: %s", text);
}

bool pack_sum(uint8_t *bytes, size_t size)
{
	struct sp_pack_head *head = (void *)bytes;
	uint8_t before[SP_SHA256_SIZE];

	memcpy(before, head->sha256, sizeof(before));
	memset(head->sha256, 0, sizeof(head->sha256));
	sp_sha256(bytes, size, head->sha256);
	return memcmp(before, head->sha256, sizeof(before)) != 0;
}

static struct sp_err *check_head(uint8_t *bytes, size_t size)
{
	const struct sp_pack_head *head = (const void *)bytes;

	if (size < sizeof(*head))
		return broken("the file is truncated (%zu bytes)", size);
	if (head->version > SP_PACK_VERSION)
		return sp_err_new(SP_ERR_TARGET, "made by a newer spile (version %u of the format, this one knows up to %u): update spile-run",
				  head->version, SP_PACK_VERSION);
	if (head->version != SP_PACK_VERSION || head->head_size != sizeof(*head))
		return broken("version %u of the format does not exist", head->version);
	if (head->size != size)
		return broken("it has %zu bytes, and should have %llu", size, (unsigned long long)head->size);
	if (pack_sum(bytes, size))
		return broken("its content is not what was written (the SHA-256 sum differs)");
	if (!head->n_entries || head->n_entries > SP_PACK_MAX_ENTRIES ||
	    head->n_entries > (size - sizeof(*head)) / sizeof(struct sp_pack_entry))
		return broken("it has %u targets", head->n_entries);
	return NULL;
}

static struct sp_err *check_entry(const struct pack *pack, unsigned i)
{
	const struct sp_pack_entry *e = &pack->entries[i];
	bool is_whole = e->base == SP_PACK_NONE;

	if (!memchr(e->target, '\0', sizeof(e->target)) || !memchr(e->arch, '\0', sizeof(e->arch)))
		return broken("target %u has no name", i);
	if (e->build_id_len > sizeof(e->build_id))
		return broken("the build-id of target %u is too long", i);
	if (e->offset > pack->size || e->stored > pack->size - e->offset)
		return broken("target %u is behind the end", i);
	if (!is_whole && (e->base >= i || pack->entries[e->base].base != SP_PACK_NONE))
		return broken("target %u refers to one that is not whole", i);
	if (e->size > PACK_MAX_SIZE || e->delta > PACK_MAX_SIZE || (is_whole && e->delta != e->size) ||
	    e->delta / MAX_RATIO > e->stored)
		return broken("the size of target %u is wrong", i);
	return NULL;
}

struct sp_err *pack_open(const void *bytes, size_t size, struct pack *ret)
{
	*ret = (struct pack){ .size = size };
	if (!pack_is_one(bytes, size))
		return broken("it does not begin as one");
	ret->bytes = sp_calloc(1, size);
	memcpy(ret->bytes, bytes, size);
	SP_TRY(check_head(ret->bytes, size));
	ret->n_entries = ((const struct sp_pack_head *)(const void *)ret->bytes)->n_entries;
	ret->entries = (const void *)(ret->bytes + sizeof(struct sp_pack_head));
	for (unsigned i = 0; i < ret->n_entries; i++)
		SP_TRY(check_entry(ret, i));
	return NULL;
}

void pack_deinit(struct pack *pack)
{
	free(pack->bytes);
}

// Gives memory of e->delta bytes, to be freed.
static struct sp_err *inflate_entry(const struct pack *pack, unsigned entry, uint8_t **ret)
{
	const struct sp_pack_entry *e = &pack->entries[entry];
	z_stream stream = { .next_in = pack->bytes + e->offset, .avail_in = (unsigned)e->stored };
	bool is_right;

	*ret = sp_calloc(1, e->delta + 1);
	stream.next_out = *ret;
	stream.avail_out = (unsigned)e->delta;
	if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
		return sp_err_bug("inflateInit2 failed");
	is_right = inflate(&stream, Z_FINISH) == Z_STREAM_END && !stream.avail_out && !stream.avail_in;
	inflateEnd(&stream);
	return is_right ? NULL : broken("what is stored of target %u is damaged", entry);
}

struct sp_err *pack_read(const struct pack *pack, unsigned entry, struct sp_buf *ret)
{
	const struct sp_pack_entry *e = &pack->entries[entry];
	sp_cleanup_free uint8_t *bytes = NULL, *base = NULL;

	SP_TRY(inflate_entry(pack, entry, &bytes));
	if (e->base == SP_PACK_NONE) {
		sp_buf_add(ret, bytes, e->size);
		return NULL;
	}
	SP_TRY(inflate_entry(pack, e->base, &base));
	if (!delta_apply(base, pack->entries[e->base].size, bytes, e->delta, e->size, ret))
		return broken("what is stored of target %u is damaged", entry);
	return NULL;
}
