// SPDX-License-Identifier: GPL-2.0-or-later
/** The terminal of `spile -i`: lines with history, Tab and Ctrl-C, by readline. */
#ifndef SP_CLI_REPL_TERM_H
#define SP_CLI_REPL_TERM_H

#include "runtime/base/buf.h"

#define REPL_TERM_PROMPT "spile> "

/** The callbacks of the terminal. */
struct repl_term {
	/** Appends what `word` can become, a line each; it begins at `start` of the line and ends at `end`, the cursor. */
	void (*complete)(void *ctx, const char *word, int start, int end, struct sp_buf *out);
	/** Ctrl-C: lines that were read for a declaration are of no use any more. */
	void (*drop_input)(void *ctx);
	void *ctx;
};

/** Copies `term`, greets. Once a process: readline has one terminal. */
void repl_term_init(const struct repl_term *term);
void repl_term_deinit(void);
/** What is on the line up to the cursor and behind it. */
const char *repl_term_line(void);
/** A line without its newline, to be freed; NULL: Ctrl-D. */
char *repl_term_read(const char *prompt);

#endif
