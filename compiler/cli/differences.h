// SPDX-License-Identifier: GPL-2.0-or-later
/** What `spile check` says of the targets that a script can be compiled for: what binds it to each, and what is otherwise there than for
 *  the first of them. */
#ifndef SP_CLI_DIFFERENCES_H
#define SP_CLI_DIFFERENCES_H

#include "runtime/base/buf.h"

struct differences {
	char *target; // the first that the script could be compiled for; NULL: none yet
	struct sp_buf shown; // of it, as `spile pack show` prints it
	struct sp_buf variables; // of it, as spile_opts.list_variables has them
};

/** Prints a target with status 0, or what the compiler said. `shown` is what spilert_pack_show() says of the compiled script; NULL: there
 *  is none. `variables`: what it reads (spile_opts.list_variables). `json`: as an object a line. */
void differences_print(struct differences *differences, const char *target, int status, const char *shown, const char *variables,
		       bool json);
void differences_deinit(struct differences *differences);

#endif
