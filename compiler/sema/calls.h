// SPDX-License-Identifier: GPL-2.0-or-later
/** The call graph: who is called, from where, and what calls itself. */
#ifndef SP_SEMA_CALLS_H
#define SP_SEMA_CALLS_H

#include "compiler/sema/program.h"

/** Sets `is_used` (a handler reaches it) and `is_recursive` of every function. */
void calls_mark(struct program *program);
/** Calls `fn` once for each function that `body` reaches, callers first. */
void calls_each(struct program *program, struct ast_stmt *body, void (*fn)(void *ctx, struct function *f), void *ctx);

/** The functions that call a function, each once, by its index, which is set. What is called is one of the program's functions. */
struct callers {
	struct {
		SP_VEC(struct function *) v;
	} *of;
	size_t n;
};

void callers_init(struct callers *callers, struct program *program);
void callers_deinit(struct callers *callers);

#endif
