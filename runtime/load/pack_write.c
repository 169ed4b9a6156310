// SPDX-License-Identifier: GPL-2.0-or-later
// Makes packs.
#include "runtime/load/pack.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/delta.h"

#include <stdio.h>
#include <zlib.h>

// A delta is stored when it is smaller than this share of the whole: then code is the same, and the next target may be like one of both.
#define WORTH_NUM 1
#define WORTH_DEN 2

static struct sp_err *deflate_bytes(const struct sp_buf *bytes, struct sp_buf *ret)
{
	z_stream stream = { .next_in = (Bytef *)bytes->data, .avail_in = (unsigned)bytes->len };
	size_t room;
	int status;

	if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return sp_err_bug("deflateInit2 failed");
	room = deflateBound(&stream, bytes->len);
	sp_buf_clear(ret);
	sp_buf_fill(ret, 0, room);
	stream.next_out = (Bytef *)ret->data;
	stream.avail_out = (unsigned)room;
	status = deflate(&stream, Z_FINISH);
	ret->len = room - stream.avail_out;
	deflateEnd(&stream);
	return status == Z_STREAM_END ? NULL : sp_err_bug("deflate failed");
}

static void copy_name(char *to, size_t size, const char *name)
{
	snprintf(to, size, "%s", name);
}

static void describe(struct sp_pack_entry *entry, const char *target, const struct bundle *bundle)
{
	copy_name(entry->target, sizeof(entry->target), target);
	copy_name(entry->arch, sizeof(entry->arch), bundle->head->arch);
	entry->release = pack_release(bundle_text(bundle, bundle->head->release));
	for (unsigned i = 0; i < bundle->n_objects; i++) {
		const struct sp_object *object = &bundle->objects[i];

		if (object->kind != SP_OBJECT_KERNEL)
			continue;
		entry->build_id_len = object->build_id_len;
		memcpy(entry->build_id, object->build_id, object->build_id_len);
	}
}

// The entry that is whole and from which the least bytes differ; those, deflated, in `ret`.
static struct sp_err *find_base(const struct pack_writer *writer, const struct sp_buf *bytes, struct sp_pack_entry *entry, struct sp_buf *ret)
{
	for (size_t i = 0; i < writer->entries.n; i++) {
		const struct pack_written *other = &writer->entries.v[i];
		sp_cleanup(sp_buf_deinit) struct sp_buf delta = { 0 }, deflated = { 0 };

		if (other->entry.base != SP_PACK_NONE || !sp_streq(other->entry.arch, entry->arch))
			continue;
		delta_make((const uint8_t *)other->bytes.data, other->bytes.len, (const uint8_t *)bytes->data, bytes->len, &delta);
		SP_TRY(deflate_bytes(&delta, &deflated));
		if (entry->base != SP_PACK_NONE && deflated.len >= ret->len)
			continue;
		entry->base = (uint32_t)i;
		entry->delta = (uint32_t)delta.len;
		sp_buf_clear(ret);
		sp_buf_add(ret, deflated.data, deflated.len);
	}
	return NULL;
}

// What is stored of the script goes to `ret`.
static struct sp_err *store(const struct pack_writer *writer, const struct sp_buf *bytes, struct sp_pack_entry *entry, struct sp_buf *ret)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf whole = { 0 };

	entry->base = SP_PACK_NONE;
	SP_TRY(find_base(writer, bytes, entry, ret));
	SP_TRY(deflate_bytes(bytes, &whole));
	if (entry->base != SP_PACK_NONE && ret->len < whole.len * WORTH_NUM / WORTH_DEN)
		return NULL;
	entry->base = SP_PACK_NONE;
	entry->delta = entry->size;
	sp_buf_clear(ret);
	sp_buf_add(ret, whole.data, whole.len);
	return NULL;
}

struct sp_err *pack_add(struct pack_writer *writer, const char *target, const void *bundle, size_t size)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 }, stored = { 0 };
	struct pack_written written = { .entry.size = (uint32_t)size };
	struct bundle *opened;

	if (writer->entries.n == SP_PACK_MAX_ENTRIES || size > PACK_MAX_SIZE || writer->stored.len > PACK_MAX_SIZE - size)
		return sp_err_new(SP_ERR_USAGE, "a pack has at most %u targets, and %u MB", SP_PACK_MAX_ENTRIES, PACK_MAX_SIZE >> 20);
	SP_TRY(bundle_open(bundle, size, &opened));
	describe(&written.entry, target, opened);
	bundle_close(opened);
	sp_buf_add(&bytes, bundle, size);
	SP_TRY(store(writer, &bytes, &written.entry, &stored));
	written.entry.offset = writer->stored.len; // pack_write() knows what is before them
	written.entry.stored = (uint32_t)stored.len;
	sp_buf_add(&writer->stored, stored.data, stored.len);
	if (written.entry.base == SP_PACK_NONE)
		sp_buf_add(&written.bytes, bytes.data, bytes.len);
	sp_vec_push(&writer->entries, written);
	return NULL;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strncmp(name, *names, sizeof(((struct sp_pack_entry *)NULL)->target) - 1) == 0)
			return true;
	return false;
}

struct sp_err *pack_take(struct pack_writer *writer, const struct pack *pack, const char *const *but)
{
	const struct sp_pack_head *head = (const void *)pack->bytes;

	if (memcmp(head->script, writer->script, sizeof(head->script)) != 0)
		return sp_err_new(SP_ERR_USAGE, "the pack was made of another script, or with other arguments or options "
				  "(-D, -E, -G, -g, -u, --engine, ...)");
	for (unsigned i = 0; i < pack->n_entries; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };

		if (is_one_of(pack->entries[i].target, but))
			continue;
		SP_TRY(pack_read(pack, i, &script));
		SP_TRY(pack_add(writer, pack->entries[i].target, script.data, script.len));
	}
	return NULL;
}

void pack_write(const struct pack_writer *writer, struct sp_buf *ret)
{
	struct sp_pack_head head = { .version = SP_PACK_VERSION, .head_size = sizeof(head), .n_entries = (uint32_t)writer->entries.n };
	size_t before = sizeof(head) + writer->entries.n * sizeof(struct sp_pack_entry);

	memcpy(head.magic, SP_PACK_MAGIC, sizeof(head.magic));
	memcpy(head.script, writer->script, sizeof(head.script));
	head.size = before + writer->stored.len;
	sp_buf_fill(ret, 0, sizeof(head));
	sp_vec_each(written, &writer->entries) {
		struct sp_pack_entry entry = written->entry;

		entry.offset += before;
		sp_buf_add(ret, &entry, sizeof(entry));
	}
	sp_buf_add(ret, writer->stored.data, writer->stored.len);
	memcpy(ret->data, &head, sizeof(head));
	pack_sum((uint8_t *)ret->data, ret->len);
}

void pack_writer_deinit(struct pack_writer *writer)
{
	sp_vec_each(written, &writer->entries)
		sp_buf_deinit(&written->bytes);
	sp_vec_deinit(&writer->entries);
	sp_buf_deinit(&writer->stored);
}
