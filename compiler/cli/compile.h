// SPDX-License-Identifier: GPL-2.0-or-later
/** The script of the options, compiled: now, or earlier, when the result is in the cache. */
#ifndef SP_CLI_COMPILE_H
#define SP_CLI_COMPILE_H

#include "compiler/cache/result.h"
#include "compiler/cli/cli.h"

struct cli_script {
	const char *name; // in messages
	struct sp_buf text;
};

struct cli_object {
	const void *bytes; // of the compiled script; NULL: the options stop the compiler before there is one
	size_t size;
	struct result result; // that the bytes are of, when they are from the cache
};

/** Does what -l and -L ask for: lists, or prints what was listed earlier. Returns the exit status. */
int cli_list(struct cli *cli);
/** Reads the script. Returns the exit status; script_deinit() in any case. */
int cli_read_script(struct cli *cli, struct cli_script *ret);
void cli_script_deinit(struct cli_script *script);

/** Compiles it with cli->options.compile. Returns the exit status; cli_object_release() in any case. The bytes from the compiler are
 *  cli->spile's. */
int cli_compile(struct cli *cli, const struct cli_script *script, struct cli_object *ret);
void cli_object_release(struct cli *cli, struct cli_object *object);

#endif
