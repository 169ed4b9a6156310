// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of spilert.h for packs.
#include "runtime/include/spilert.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/pack.h"

#include <stdlib.h>

struct spilert_pack {
	struct pack_writer writer;
};

SP_EXPORT struct spilert_pack *spilert_pack_create(const unsigned char script[32])
{
	struct spilert_pack *pack = sp_calloc(1, sizeof(*pack));

	memcpy(pack->writer.script, script, sizeof(pack->writer.script));
	return pack;
}

static int finish(struct sp_err *err, char **why_ret)
{
	int status = err ? sp_err_exit_status(err) : 0;

	*why_ret = err ? sp_err_text(err) : NULL;
	sp_err_free(err);
	return status;
}

SP_EXPORT int spilert_pack_add(struct spilert_pack *pack, const char *target, const void *bundle, size_t size, char **why_ret)
{
	return finish(pack_add(&pack->writer, target, bundle, size), why_ret);
}

static struct sp_err *take(struct spilert_pack *pack, const void *bytes, size_t size, const char *const *but)
{
	sp_cleanup(pack_deinit) struct pack other = { 0 };

	SP_TRY(pack_open(bytes, size, &other));
	return pack_take(&pack->writer, &other, but);
}

SP_EXPORT int spilert_pack_take(struct spilert_pack *pack, const void *bytes, size_t size, const char *const *but, char **why_ret)
{
	return finish(take(pack, bytes, size, but), why_ret);
}

SP_EXPORT void *spilert_pack_write(const struct spilert_pack *pack, size_t *size_ret)
{
	struct sp_buf bytes = { 0 };

	pack_write(&pack->writer, &bytes);
	*size_ret = bytes.len;
	return sp_buf_take(&bytes);
}

SP_EXPORT void spilert_pack_destroy(struct spilert_pack *pack)
{
	if (!pack)
		return;
	pack_writer_deinit(&pack->writer);
	free(pack);
}

SP_EXPORT int spilert_pack_show(const void *bytes, size_t size, int json, char **text_ret, char **why_ret)
{
	struct sp_buf text = { 0 };
	int status = finish(pack_show(bytes, size, json, &text), why_ret);

	*text_ret = sp_buf_take(&text);
	return status;
}
