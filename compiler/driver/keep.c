// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/keep.h"

#include "compiler/cache/lines.h"
#include "compiler/cache/look.h"
#include "compiler/driver/session.h"
#include "runtime/base/cleanup.h"

static bool is_wanted(const struct spile *spile)
{
	return spile->opts.cache && result_is_possible(&spile->opts);
}

static void begin(struct spile *spile, const struct result_key *key)
{
	struct keep *keep = &spile->keep;

	keep->key = *key;
	inputs_init(&keep->inputs);
	keep->is_on = true;
	// With -v, what is taken from the cache says what its compilation would have said.
	if (spile->log.max_level < SP_LOG_INFO)
		spile->log.max_level = SP_LOG_INFO;
	look_record(&keep->inputs);
}

void keep_begin_script(struct spile *spile)
{
	const struct source_file *script = source_file(&spile->sources, spile->script);
	struct result_key key;

	if (!is_wanted(spile))
		return;
	key = result_key(&spile->opts, script->name, script->text, script->len);
	begin(spile, &key);
}

void keep_begin_listing(struct spile *spile, const char *pattern, bool vars)
{
	struct result_key key;

	if (!is_wanted(spile))
		return;
	key = result_listing_key(&spile->opts, pattern, vars);
	begin(spile, &key);
}

void keep_message(struct spile *spile, unsigned level, const char *text)
{
	if (spile->keep.is_on)
		result_add_message(&spile->keep.messages, level, text);
}

// What `spile cache list` shows: the script's name, or the beginning of its text.
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

static void save(struct spile *spile, const char *title, const struct sp_buf *object)
{
	struct keep *keep = &spile->keep;
	struct result result = { .title = title, .object = (const uint8_t *)object->data, .object_size = object->len,
				 .inputs = (const uint8_t *)keep->inputs.bytes.data, .inputs_size = keep->inputs.bytes.len,
				 .messages = (const uint8_t *)keep->messages.data, .messages_size = keep->messages.len };
	sp_cleanup_free char *text = NULL;
	struct sp_err *err = result_save(&keep->key, &result);

	if (!err)
		return;
	text = sp_err_text(err);
	sp_log(&spile->log, SP_LOG_INFO, "the result cannot be kept in the cache: %s", text);
	sp_err_free(err);
}

// Ends the notes, and saves the result unless there is none or something forbids it.
static void end(struct spile *spile, const char *title, const struct sp_buf *object)
{
	struct keep *keep = &spile->keep;

	look_record(NULL);
	keep->is_on = false;
	spile->log.max_level = (enum sp_log_level)spile->opts.max_level;
	if (object->len) {
		inputs_note_loaded(&keep->inputs);
		if (keep->inputs.obstacle)
			sp_log(&spile->log, SP_LOG_INFO, "the result is not kept in the cache: %s", keep->inputs.obstacle);
		else
			save(spile, title, object);
	}
	inputs_deinit(&keep->inputs);
	sp_buf_deinit(&keep->messages);
}

void keep_end_script(struct spile *spile, int status)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf title = { 0 };
	static const struct sp_buf none;

	if (!spile->keep.is_on)
		return;
	add_title(spile, &title);
	end(spile, sp_buf_str(&title), status ? &none : &spile->bundle);
}

void keep_end_listing(struct spile *spile, int status, const char *title, const struct sp_buf *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf packed = { 0 };

	if (!spile->keep.is_on)
		return;
	if (!status)
		lines_pack(text->data, text->len, &packed);
	end(spile, title, &packed);
}
