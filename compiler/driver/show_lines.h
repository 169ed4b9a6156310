// SPDX-License-Identifier: GPL-2.0-or-later
/** --lines: the source with the lines where probes can be set. Also what it shares with --funcs and --vars. */
#ifndef SP_DRIVER_SHOW_LINES_H
#define SP_DRIVER_SHOW_LINES_H

#include "compiler/debug/dbg.h"
#include "compiler/driver/session.h"

struct shower {
	struct spile *spile;
	const struct spile_show *what;
	struct dbg_module *module;
	struct sp_buf out;
};

/** The functions that match "f", "f*" or "f@file.c", each once. */
struct sp_err *show_find_funcs(struct shower *s, const char *target, struct dbg_funcs *ret);
/** The error that there is no such function, with a similar name. */
struct sp_err *show_none_found(struct shower *s, const char *target);
/** Prints "f@file.c:12". */
void show_func(struct shower *s, const struct dbg_func *func);
/** Begins a JSON object with name, file and line, ... */
void show_json_func(struct shower *s, const struct dbg_func *func);
/** ... and ends it, and the line. */
void show_json_end(struct shower *s);

struct show_numbers {
	SP_VEC(unsigned) v;
};

/** Sorts the numbers, and keeps each once. */
void show_numbers_sort(struct show_numbers *numbers);
/** Prints "4,5,7". */
void show_numbers_print(const struct show_numbers *numbers, struct sp_buf *out);

/** The lines of "f", "f@file.c", "f:2-5", "f:2+3" (counted from the line of the function), "file.c", "file.c:100-120". */
struct sp_err *show_lines(struct shower *s);

#endif
