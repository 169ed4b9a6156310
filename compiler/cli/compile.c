// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/compile.h"

#include "compiler/cache/lines.h"
#include "compiler/cli/example.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

#include <stdio.h>

// Prints again what the compiler said when it made the result.
static void repeat_messages(const struct cli_options *o, const struct result *result)
{
	const uint8_t *at = result->messages, *end = at + result->messages_size;
	struct result_message message;

	while (result_next_message(&at, end, &message)) {
		if (message.level == RESULT_DIAG)
			o->compile.diag(o->compile.ctx, message.text);
		else if (message.level <= (unsigned)o->compile.max_level)
			o->compile.log(o->compile.ctx, (enum spile_level)message.level, message.text);
	}
}

static bool may_have_result(const struct cli_options *o)
{
	return o->compile.cache && !o->poison_cache && result_is_possible(&o->compile);
}

// Looks for the result of an earlier run; `passes` is what need not be done then.
static bool find_result(const struct cli_options *o, const struct result_key *key, const char *passes, struct result *ret)
{
	sp_cleanup_free char *why = NULL;
	bool is_damaged;

	if (result_find(key, ret, &why, &is_damaged)) {
		if (o->verbose)
			fprintf(stderr, "%s: using cached %s%s.\n", passes, key->text, key->ending);
		repeat_messages(o, ret);
		return true;
	}
	if (is_damaged)
		fprintf(stderr, "WARNING: %s%s in the cache is not used: %s\n", key->text, key->ending, why);
	else if (why && o->verbose)
		fprintf(stderr, "%s%s in the cache is not used: %s\n", key->text, key->ending, why);
	return false;
}

static bool find_script(const struct cli_options *o, const struct cli_script *script, struct result *ret)
{
	struct result_key key = result_key(&o->compile, script->name, sp_buf_str(&script->text), script->text.len);

	return find_result(o, &key, "Pass 1 to 4", ret);
}

// Prints the listing of an earlier run; false: none is kept.
static bool list_again(struct cli *cli)
{
	const struct cli_options *o = &cli->options;
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct result_key key;
	struct result result;
	bool ok;

	if (!may_have_result(o))
		return false;
	key = result_listing_key(&o->compile, o->pattern, o->list_vars);
	if (!find_result(o, &key, "Listing", &result))
		return false;
	ok = lines_unpack(result.object, result.object_size, &text);
	if (ok)
		o->compile.output(o->compile.ctx, text.data, text.len);
	result_deinit(&result);
	return ok;
}

static void note_diag(void *ctx, const char *text)
{
	sp_buf_puts(&((struct cli *)ctx)->diags, text);
}

// Lists points, and examples of that name: one kind of these is enough.
int cli_list(struct cli *cli)
{
	struct cli_options *o = &cli->options;
	void (*show_diag)(void *ctx, const char *text) = o->compile.diag;
	sp_cleanup(sp_buf_deinit) struct sp_buf examples = { 0 };
	struct spile *spile;
	int status = 0;

	if (!o->compile.list_json)
		example_list_named(o->pattern, &examples);
	if (!list_again(cli)) {
		o->compile.diag = note_diag;
		spile = spile_create(&o->compile);
		status = spile_list(spile, o->pattern, o->list_vars);
		spile_destroy(spile);
		o->compile.diag = show_diag;
		if (status == 1 && examples.len)
			status = 0;
		else if (cli->diags.len)
			show_diag(o->compile.ctx, cli->diags.data);
	}
	if (examples.len)
		o->compile.output(o->compile.ctx, examples.data, examples.len);
	return status;
}

int cli_read_script(struct cli *cli, struct cli_script *ret)
{
	const struct cli_options *o = &cli->options;

	*ret = (struct cli_script){ .name = o->script_text ? "<input>" : sp_file_script_name(o->script_path) };
	if (!o->script_text)
		return cli_report(sp_file_read(o->script_path, SP_FILE_MAX_SCRIPT, &ret->text));
	sp_buf_puts(&ret->text, o->script_text);
	return 0;
}

void cli_script_deinit(struct cli_script *script)
{
	sp_buf_deinit(&script->text);
}

int cli_compile(struct cli *cli, const struct cli_script *script, struct cli_object *ret)
{
	const struct cli_options *o = &cli->options;
	int status;

	*ret = (struct cli_object){ 0 };
	if (may_have_result(o) && find_script(o, script, &ret->result)) {
		ret->bytes = ret->result.object;
		ret->size = ret->result.object_size;
		return 0;
	}
	ret->result = (struct result){ 0 };
	cli->spile = spile_create(&o->compile);
	status = spile_script_text(cli->spile, script->name, sp_buf_str(&script->text), script->text.len);
	status = status ? status : spile_compile(cli->spile);
	if (!status)
		ret->bytes = spile_bundle(cli->spile, &ret->size);
	return status;
}

void cli_object_release(struct cli *cli, struct cli_object *object)
{
	result_deinit(&object->result);
	if (cli->spile)
		spile_destroy(cli->spile);
	cli->spile = NULL;
}
