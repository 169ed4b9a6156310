// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/keep.h"

#include "compiler/cache/look.h"
#include "compiler/driver/session.h"
#include "runtime/base/cleanup.h"

void keep_begin(struct spile *spile)
{
	const struct source_file *script = source_file(&spile->sources, spile->script);
	struct keep *keep = &spile->keep;

	if (!spile->opts.cache || !result_is_possible(&spile->opts))
		return;
	keep->key = result_key(&spile->opts, script->name, script->text, script->len);
	inputs_init(&keep->inputs);
	keep->is_on = true;
	// With -v, what is taken from the cache says what its compilation would have said.
	if (spile->log.max_level < SP_LOG_INFO)
		spile->log.max_level = SP_LOG_INFO;
	look_record(&keep->inputs);
}

void keep_message(struct spile *spile, unsigned level, const char *text)
{
	if (spile->keep.is_on)
		result_add_message(&spile->keep.messages, level, text);
}

// What a listing shows: the script's name, or the beginning of its text.
static void add_title(struct spile *spile, struct sp_buf *title)
{
	const struct source_file *script = source_file(&spile->sources, spile->script);
	size_t len = SP_MIN(script->len, (size_t)60);

	if (!sp_streq(script->name, "<input>"))
		sp_buf_puts(title, script->name);
	else
		sp_buf_printf(title, "-e %.*s%s", (int)len, script->text, len < script->len ? "..." : "");
	for (size_t i = 0; i < title->len; i++)
		if ((unsigned char)title->data[i] < ' ')
			title->data[i] = ' ';
}

static void save(struct spile *spile)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf title = { 0 };
	struct keep *keep = &spile->keep;
	struct result result = { .object = (const uint8_t *)spile->bundle.data, .object_size = spile->bundle.len,
				 .inputs = (const uint8_t *)keep->inputs.bytes.data, .inputs_size = keep->inputs.bytes.len,
				 .messages = (const uint8_t *)keep->messages.data, .messages_size = keep->messages.len };
	sp_cleanup_free char *text = NULL;
	struct sp_err *err;

	add_title(spile, &title);
	result.title = sp_buf_str(&title);
	err = result_save(&keep->key, &result);
	if (!err)
		return;
	text = sp_err_text(err);
	sp_log(&spile->log, SP_LOG_INFO, "the compiled script cannot be kept in the cache: %s", text);
	sp_err_free(err);
}

void keep_end(struct spile *spile, int status)
{
	struct keep *keep = &spile->keep;

	if (!keep->is_on)
		return;
	look_record(NULL);
	keep->is_on = false;
	spile->log.max_level = (enum sp_log_level)spile->opts.max_level;
	if (!status && spile->bundle.len) {
		inputs_note_loaded(&keep->inputs);
		if (keep->inputs.obstacle)
			sp_log(&spile->log, SP_LOG_INFO, "the compiled script is not kept in the cache: %s", keep->inputs.obstacle);
		else
			save(spile);
	}
	inputs_deinit(&keep->inputs);
	sp_buf_deinit(&keep->messages);
}
