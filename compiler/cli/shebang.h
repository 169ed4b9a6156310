// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef SP_CLI_SHEBANG_H
#define SP_CLI_SHEBANG_H

#include "runtime/base/vec.h"

/** argv of a program that its script has started. */
struct shebang_argv {
	SP_VEC(char *) v; // NULL behind the last one; empty: argv is as it was
	char *options; // what the words of them are in
};

/** "#!/usr/bin/spile -g -v" has the kernel pass "-g -v" as one word before the script: here they are two. */
void shebang_split(int argc, char **argv, struct shebang_argv *ret);
void shebang_argv_deinit(struct shebang_argv *words);

#endif
