// SPDX-License-Identifier: GPL-2.0-or-later
/** Options from the file $SYSTEMTAP_DIR/rc or, without that variable, ~/.systemtap/rc, as in SystemTap. They come before those of
 *  the command line. */
#ifndef SP_CLI_RCFILE_H
#define SP_CLI_RCFILE_H

#include "runtime/base/vec.h"

struct rcfile {
	SP_VEC(char *) argv; // program name, words of the file, words of the command line, NULL
	SP_VEC(char *) words; // those of the file
	char *path; // of the file
};

/** Lines are split into words as in a shell, but commands in them are not run; a word that begins with `#` begins a comment.
 *  Returns 0, or an exit status after a message on standard error. */
int rcfile_read(int argc, char **argv, struct rcfile *ret);
/** After a message about options: which ones are those of the file, if it has any. */
void rcfile_tell(const struct rcfile *rc);
void rcfile_deinit(struct rcfile *rc);

#endif
