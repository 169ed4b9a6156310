// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/explain.h"

#include "runtime/include/spilert.h"

#include <stdio.h>
#include <stdlib.h>

// The first message says why this machine does not take the programs; the lines are explained all the same.
static void note_first(void *ctx, enum spilert_level level, const char *text)
{
	struct sp_buf *why = ctx;

	if (level <= SPILERT_WARN && !why->len)
		sp_buf_puts(why, text);
}

// Lets this machine's kernel load the programs, which run nowhere.
static void try_load(struct spilert *rt, const struct sp_buf *why)
{
	if ((spilert_prepare(rt) || spilert_load(rt)) && why->len)
		printf("not loaded here: %s\n", why->data);
}

int cli_explain(const struct cli *cli, const struct cli_script *script, const struct cli_object *object)
{
	const struct spilert_script named = { script->name, sp_buf_str(&script->text), script->text.len };
	struct sp_buf why = { 0 };
	struct spilert_opts opts = SPILERT_OPTS_INIT;
	struct spilert *rt;
	char *text;
	int status;

	opts.log = note_first;
	opts.log_ctx = &why;
	opts.engine = cli->options.engine;
	status = spilert_open_memory(object->bytes, object->size, &opts, &rt);
	if (status) {
		fprintf(stderr, "ERROR: %s\n", sp_buf_str(&why));
	} else {
		try_load(rt, &why);
		text = spilert_explain(rt, &named, cli->options.verbose > 0);
		fputs(text, stdout);
		free(text);
		spilert_close(rt);
	}
	sp_buf_deinit(&why);
	return status;
}
