// SPDX-License-Identifier: GPL-2.0-or-later
/** A terminal that is drawn anew as a whole: lines from the top, cut to its width. No frame waits for the terminal: one that it
 *  does not take is left out. */
#ifndef SP_CLI_SCREEN_H
#define SP_CLI_SCREEN_H

#include "runtime/base/buf.h"

#include <stdbool.h>
#include <termios.h>

struct screen {
	int fd; // of the terminal; -1: not open
	struct termios before;
	unsigned rows, columns;
	unsigned row; // of the next line
	struct sp_buf frame;
	unsigned patience_ms; // for a terminal that takes nothing
};

enum screen_key { SCREEN_NONE = 0, SCREEN_UP = 0x100, SCREEN_DOWN }; // others are characters

/** Opens the process's terminal. Returns 0, or an exit status after a message. */
int screen_open(struct screen *screen, const char *option);
/** Takes it: no echo, keys at once, Ctrl-C as ever. */
void screen_take(struct screen *screen);
/** Shows what it showed before, if this process, or another one that is gone, has taken it. What is written from here on waits for a
 *  terminal that takes nothing for `patience_ms`; UINT_MAX: for ever. */
void screen_leave(struct screen *screen, unsigned patience_ms);
/** Returns how many bytes the terminal has taken. */
size_t screen_put(struct screen *screen, const char *text, size_t len);
/** Its modes are those of before. */
void screen_close(struct screen *screen);

/** Asks how large it is, and begins a frame. */
void screen_begin(struct screen *screen);
unsigned screen_rows_left(const struct screen *screen);
/** What does not fit is left out. */
void screen_line(struct screen *screen, const char *text, size_t len, bool in_reverse);
void screen_printf(struct screen *screen, bool in_reverse, const char *fmt, ...) SP_PRINTF(3, 4);
/** False: the terminal has not taken all of the frame. */
bool screen_end(struct screen *screen);

/** The next key that was typed; SCREEN_NONE: no more. */
int screen_key(struct screen *screen);

#endif
