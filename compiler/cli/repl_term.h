// SPDX-License-Identifier: GPL-2.0-or-later
/** The terminal of `spile -i`, by readline: lines with history, completion by Tab, Ctrl-C. */
#ifndef SP_CLI_REPL_TERM_H
#define SP_CLI_REPL_TERM_H

#include "runtime/base/buf.h"

#define REPL_TERM_PROMPT "spile> "

/** The callbacks of the terminal. */
struct repl_term {
	/** Appends what `word` can become, one a line. The word begins at `start` of the line and ends at `end`, the cursor. */
	void (*complete)(void *ctx, const char *word, int start, int end, struct sp_buf *out);
	/** Ctrl-C was typed: the lines of an unfinished declaration are to be forgotten. */
	void (*drop_input)(void *ctx);
	void *ctx;
};

/** Copies `term`, and prints a greeting. To be called once in a process: readline has one terminal. */
void repl_term_init(const struct repl_term *term);
void repl_term_deinit(void);
/** The whole line that is being edited. */
const char *repl_term_line(void);
/** A line without its newline, to be freed; NULL: Ctrl-D. */
char *repl_term_read(const char *prompt);

#endif
