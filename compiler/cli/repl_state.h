// SPDX-License-Identifier: GPL-2.0-or-later
/** What stays from line to line of `spile -i`: the values of variables.
 *
 *  The problem. Each line runs as a script of its own, in a process of its own, and a script's variables end with it.
 *
 *  The idea. A variable that a line sets and nobody has declared becomes a global of the lines that follow. When a script has run, the
 *  runtime prints its variables as `name[key]=value`, which is script text: the next script begins with these assignments.
 *
 *  The limits. Aggregates are not kept, nor are variables that are private to the library. */
#ifndef SP_CLI_REPL_STATE_H
#define SP_CLI_REPL_STATE_H

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <stdbool.h>

struct repl_state {
	SP_VEC(char *) names; // of variables that lines have made
	struct sp_buf values; // assignments, one a line
};

void repl_state_deinit(struct repl_state *state);

/** The names that a piece of script assigns to, as it looks. */
struct repl_names {
	SP_VEC(char *) of;
	bool has_statistics; // something is added with <<<
};
void repl_names_find(const char *text, struct repl_names *ret);
void repl_names_deinit(struct repl_names *names);

void repl_state_add_name(struct repl_state *state, const char *name);
/** Takes back those from `from` on, when the line that has made them is wrong. */
void repl_state_drop_names(struct repl_state *state, size_t from);
/** Appends their declaration. */
void repl_state_put_names(const struct repl_state *state, struct sp_buf *out);
/** Appends a probe that sets the values; but for those of `without`, which get values of another type. */
void repl_state_put_values(const struct repl_state *state, const struct repl_names *without, struct sp_buf *out);
/** Takes what the runtime has printed; `keeps_made`: of a script that did not have the variables that lines have made. */
void repl_state_take(struct repl_state *state, const char *text, bool keeps_made);

#endif
