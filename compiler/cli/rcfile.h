// SPDX-License-Identifier: GPL-2.0-or-later
/** Options from a file, which come before those of the command line: $SYSTEMTAP_DIR/rc, or ~/.systemtap/rc, as `stap` has
 *  them. */
#ifndef SP_CLI_RCFILE_H
#define SP_CLI_RCFILE_H

#include "runtime/base/vec.h"

struct rcfile {
	SP_VEC(char *) argv; // the command line with the file's words behind the program's name; NULL-terminated
	SP_VEC(char *) words; // those of the file
};

/** Words are as in a shell, without its commands; `#` starts a line of remark. Returns 0, or an exit status after saying on
 *  standard error which line is wrong. */
int rcfile_read(int argc, char **argv, struct rcfile *ret);
void rcfile_deinit(struct rcfile *rc);

#endif
