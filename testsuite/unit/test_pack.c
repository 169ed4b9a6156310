// SPDX-License-Identifier: GPL-2.0-or-later
// Packs: what is put in comes out, the same code is stored once, and what was changed is refused.
#define _GNU_SOURCE
#include "runtime/base/cleanup.h"
#include "runtime/load/delta.h"
#include "runtime/load/layout.h"
#include "runtime/load/pack.h"

#include "bundle_make.h"
#include "expect.h"

static uint64_t state = 1;

static size_t below(size_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return n ? (size_t)(state >> 33) % n : 0;
}

// ---- deltas ---------------------------------------------------------------------------------------------------------

// Bytes with some runs changed, taken out, put in, moved.
static void edit(const struct sp_buf *from, struct sp_buf *to)
{
	for (size_t at = 0; at < from->len;) {
		size_t n = SP_MIN(below(200) + 1, from->len - at);

		switch (below(8)) {
		case 0:
			sp_buf_fill(to, (char)below(256), n);
			break;
		case 1:
			break;
		case 2:
			sp_buf_fill(to, (char)below(256), below(20));
			n = 0;
			break;
		case 3:
			sp_buf_add(to, from->data + below(from->len - n), n);
			break;
		default:
			sp_buf_add(to, from->data + at, n);
		}
		at += n;
	}
}

static void delta_round(size_t base_size)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf base = { 0 }, bytes = { 0 }, delta = { 0 }, back = { 0 };
	const uint8_t *b;

	for (size_t i = 0; i < base_size; i++)
		sp_buf_putc(&base, (char)below(8)); // few values, so that many words are alike
	edit(&base, &bytes);
	b = (const uint8_t *)sp_buf_str(&base);
	delta_make(b, base.len, (const uint8_t *)sp_buf_str(&bytes), bytes.len, &delta);
	EXPECT(delta_apply(b, base.len, (const uint8_t *)sp_buf_str(&delta), delta.len, bytes.len, &back));
	EXPECT(back.len == bytes.len && (!bytes.len || memcmp(back.data, bytes.data, back.len) == 0));
}

// A delta from anybody gives bytes of the size that was asked for, or is refused.
static void hostile_delta(void)
{
	uint8_t base[40], delta[30];
	sp_cleanup(sp_buf_deinit) struct sp_buf back = { 0 };
	size_t size = below(100);

	for (size_t i = 0; i < sizeof(base); i++)
		base[i] = (uint8_t)below(256);
	for (size_t i = 0; i < sizeof(delta); i++)
		delta[i] = (uint8_t)below(below(4) ? 12 : 256);
	if (delta_apply(base, sizeof(base), delta, below(sizeof(delta) + 1), size, &back))
		EXPECT_NUM((int64_t)back.len, (int64_t)size);
	EXPECT(back.len <= size);
}

static void test_deltas(void)
{
	static const uint8_t same[100] = { 1, 2, 3 };
	sp_cleanup(sp_buf_deinit) struct sp_buf delta = { 0 };

	for (int i = 0; i < 300; i++)
		delta_round(below(2000));
	for (int i = 0; i < 20000; i++)
		hostile_delta();
	delta_make(same, sizeof(same), same, sizeof(same), &delta);
	EXPECT_NUM((int64_t)delta.len, 3);
}

// ---- packs ----------------------------------------------------------------------------------------------------------

static char *make_script(const char *release, const char *arch, size_t *size_ret)
{
	const struct bpf_insn begin[] = { MOV_I(0, 0), EXIT() };
	struct sp_object kernel = { .kind = SP_OBJECT_KERNEL, .build_id_len = 4, .build_id = { 1, 2, 3, (uint8_t)release[0] } };
	struct bundle_make m;
	char *bytes;

	bm_init(&m);
	if (arch)
		strcpy(m.head.arch, arch);
	BM_PROG(&m, SP_SITE_BEGIN, "begin", begin);
	if (release[0]) {
		m.head.release = bm_text(&m, release);
		sp_buf_add(&m.objects, &kernel, sizeof(kernel));
	}
	bm_lay_out(&m);
	bytes = bm_write(&m, size_ret);
	bm_deinit(&m);
	return bytes;
}

static void add(struct pack_writer *writer, const char *target, const char *release, const char *arch)
{
	size_t size;
	sp_cleanup_free char *bytes = make_script(release, arch, &size);
	struct sp_err *err = pack_add(writer, target, bytes, size);

	EXPECT(!err);
	sp_err_free(err);
}

// What opening says; NULL: nothing. With `sum`, the sum is made right first.
static char *open_says(const char *bytes, size_t size, bool sum)
{
	sp_cleanup(pack_deinit) struct pack pack = { 0 };
	sp_cleanup_free char *copy = sp_malloc(size + 1);
	struct sp_err *err;
	char *text;

	memcpy(copy, bytes, size);
	if (sum && size >= sizeof(struct sp_pack_head))
		pack_sum((uint8_t *)copy, size);
	err = pack_open(copy, size, &pack);
	for (unsigned i = 0; !err && i < pack.n_entries; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf script = { 0 };
		struct bundle *bundle = NULL;

		err = pack_read(&pack, i, &script);
		if (!err)
			err = bundle_open(script.data, script.len, &bundle);
		bundle_close(bundle);
	}
	text = err ? sp_err_text(err) : NULL;
	sp_err_free(err);
	return text;
}

static void make_pack(struct sp_buf *ret)
{
	sp_cleanup(pack_writer_deinit) struct pack_writer writer = { 0 };

	add(&writer, "one", "6.1.2", NULL);
	add(&writer, "other", "6.12.3", NULL);
	add(&writer, "far", "5.10.0", "pdp11");
	pack_write(&writer, ret);
}

static void test_pack(void)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 }, script = { 0 };
	sp_cleanup(pack_deinit) struct pack pack = { 0 };
	size_t size;
	sp_cleanup_free char *other = make_script("6.12.3", NULL, &size);

	make_pack(&bytes);
	EXPECT(pack_open(bytes.data, bytes.len, &pack) == NULL);
	EXPECT_NUM(pack.n_entries, 3);
	EXPECT_STR(pack.entries[1].target, "other");
	EXPECT_NUM(pack.entries[1].base, 0);
	EXPECT_NUM(pack.entries[1].release, 6012003);
	EXPECT(pack.entries[1].stored < 60);
	EXPECT_NUM(pack.entries[2].base, SP_PACK_NONE);
	EXPECT(pack_read(&pack, 1, &script) == NULL);
	EXPECT(script.len == size && memcmp(script.data, other, size) == 0);
}

// Each bit of a pack is in its sum. When somebody makes the sum right, the rest says what is wrong, or all is as a script can be.
static void test_changed(void)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	unsigned n_right = 0;

	make_pack(&bytes);
	for (size_t bit = 0; bit < bytes.len * 8; bit++) {
		sp_cleanup_free char *text = NULL, *with_sum = NULL;

		bytes.data[bit / 8] ^= (char)(1 << bit % 8);
		text = open_says(bytes.data, bytes.len, false);
		EXPECT(text);
		with_sum = open_says(bytes.data, bytes.len, true);
		n_right += !with_sum;
		bytes.data[bit / 8] ^= (char)(1 << bit % 8);
	}
	EXPECT(n_right > 0 && n_right < bytes.len * 8);
	for (size_t size = 0; size < bytes.len; size++) {
		sp_cleanup_free char *text = open_says(bytes.data, size, true);

		EXPECT(text && strstr(text, "not a valid pack"));
	}
}

#define ENTRY(i) ((struct sp_pack_entry *)(void *)(bytes.data + sizeof(struct sp_pack_head)))[i]
#define HEAD ((struct sp_pack_head *)(void *)bytes.data)
#define BROKEN(change, part)                                                                       \
	do {                                                                                       \
		sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };                             \
		sp_cleanup_free char *text_ = NULL;                                                \
		make_pack(&bytes);                                                                 \
		change;                                                                            \
		text_ = open_says(bytes.data, bytes.len, true);                                    \
		EXPECT_HAS(text_ ? text_ : "nothing", part);                                       \
	} while (0)

static void test_broken(void)
{
	BROKEN(HEAD->magic[0] = 's', "not a valid pack: it does not begin as one");
	BROKEN(HEAD->version = 2, "made by a newer spile (version 2 of the format, this one knows up to 1): update spile-run");
	BROKEN(HEAD->version = 0, "not a valid pack: version 0 of the format does not exist");
	BROKEN(HEAD->size++, "and should have");
	BROKEN(HEAD->n_entries = 0, "it has 0 targets");
	BROKEN(HEAD->n_entries = 100000, "it has 100000 targets");
	BROKEN(memset(ENTRY(0).target, 'x', 64), "target 0 has no name");
	BROKEN(memset(ENTRY(0).arch, 'x', 16), "target 0 has no name");
	BROKEN(ENTRY(1).build_id_len = 33, "the build-id of target 1 is too long");
	BROKEN(ENTRY(1).offset = bytes.len, "target 1 is behind the end");
	BROKEN(ENTRY(1).stored = UINT32_MAX, "target 1 is behind the end");
	BROKEN(ENTRY(1).base = 1, "target 1 refers to one that is not whole");
	BROKEN(ENTRY(0).base = 2, "target 0 refers to one that is not whole");
	BROKEN(ENTRY(1).size = UINT32_MAX, "the size of target 1 is wrong");
	BROKEN(ENTRY(1).delta = 200 << 20, "the size of target 1 is wrong");
	BROKEN(ENTRY(0).size--, "the size of target 0 is wrong");
	BROKEN((ENTRY(0).size--, ENTRY(0).delta--), "what is stored of target 0 is damaged");
	BROKEN(ENTRY(1).size--, "what is stored of target 1 is damaged");
	BROKEN(ENTRY(1).stored--, "what is stored of target 1 is damaged");
}

// The file says which of its targets was taken, or why each was not.
static void see_log(void *ctx, enum sp_log_level level SP_UNUSED, const char *text)
{
	sp_buf_puts(ctx, text);
}

static char *choose(struct pack_writer *writer)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	sp_cleanup(pack_deinit) struct pack pack = { 0 };
	sp_cleanup(layout_deinit) struct layout layout = { 0 };
	struct sp_buf said = { 0 };
	const struct sp_log log = { see_log, &said, SP_LOG_INFO };
	struct bundle *bundle = NULL;
	struct sp_err *err;

	pack_write(writer, &bytes);
	err = pack_open(bytes.data, bytes.len, &pack);
	if (!err)
		err = pack_choose(&pack, &log, &layout, &bundle);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);

		EXPECT_NUM(err->code, SP_ERR_TARGET);
		sp_buf_puts(&said, text);
		sp_err_free(err);
	}
	bundle_close(bundle);
	pack_writer_deinit(writer);
	return sp_buf_take(&said);
}

static void test_choose(void)
{
	struct pack_writer none = { 0 }, some = { 0 };
	sp_cleanup_free char *why = NULL, *which = NULL;

	add(&none, "far", "", "pdp11");
	add(&none, "later", "99.1", NULL);
	add(&none, "earlier", "2.6", NULL);
	why = choose(&none);
	EXPECT_HAS(why, "the pack has 3 targets, and none is this machine. To add it: `spile-run --describe >NEW` here, and "
		   "`spile --pack --add -o PACK --for NEW SCRIPT` where the pack was made");
	EXPECT_HAS(why, "\n  far: made for pdp11, but this machine is ");
	EXPECT_HAS(why, "\n  earlier: ");
	EXPECT(strstr(why, "\n  earlier: ") < strstr(why, "\n  later: "));
	add(&some, "far", "", "pdp11");
	add(&some, "any", "", NULL);
	which = choose(&some);
	EXPECT_STR(which, "  the pack's script for any is used");
}

int main(void)
{
	test_deltas();
	test_pack();
	test_changed();
	test_broken();
	test_choose();
	return expect_status();
}
