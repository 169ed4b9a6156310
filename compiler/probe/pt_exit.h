// SPDX-License-Identifier: GPL-2.0-or-later
/** Returns of programs' functions. The kernel's probe of a return puts another return address on the stack (uretprobe), and the user
 *  engine waits where the call is to return to. What unwinds the stack, switches to another one or moves it disturbs both or one of them:
 *  then the instructions at which the function is left are probed. A tail call is such an instruction: the function is over, though what
 *  it returns is not known yet. */
#ifndef SP_PROBE_PT_EXIT_H
#define SP_PROBE_PT_EXIT_H

#include "compiler/probe/search.h"

/** May a function not be probed as the point says? It is remembered then. */
bool exit_is_forbidden(struct search *search, const struct dbg_func *func);
/** The sites of a function that is not forbidden, with that text: one, or one at each of its exits. */
void exit_add_sites(struct search *search, struct dbg_func *func, const char *text);

#endif
