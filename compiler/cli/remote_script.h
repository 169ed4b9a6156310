// SPDX-License-Identifier: GPL-2.0-or-later
/** What runs on the other machine. */
#ifndef SP_CLI_REMOTE_SCRIPT_H
#define SP_CLI_REMOTE_SCRIPT_H

#include "runtime/base/buf.h"

/** Appends the script for a POSIX shell. It speaks on its standard output, in lines that begin with `mark`:
 *
 *    get runner MACHINE    it has no spile-run, and is a MACHINE, as uname(1) says
 *    machine               the lines up to `described` are its description
 *    described
 *    get arguments         words for the shell: the options of spile-run
 *    get script            the compiled script
 *    runs                  what follows is printed by the script, until
 *    ended STATUS          which may stand in the middle of a line
 *    cannot WHY            spile-run does not run there
 *    fails WHY
 *
 *  What it gets is a line with a number, and so many bytes. While the script runs, a line ends it in order, a second one at once, and so
 *  does the end of the input. `runner`: the path of spile-run there; NULL: it is looked for. */
void remote_script(struct sp_buf *out, const char *mark, const char *runner);
/** Appends a word that the shell takes for `text`, and a blank. */
void remote_script_quote(struct sp_buf *out, const char *text);
/** Appends the command, which any login shell understands, that runs a script of `size` bytes from its standard input. */
void remote_script_command(struct sp_buf *out, size_t size);

#endif
