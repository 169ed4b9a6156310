// SPDX-License-Identifier: GPL-2.0-or-later
/** Local aggregates: `probe p { x <<< $n; x <<< $m; println(@max(x)) }`.
 *
 *  Locals are registers and stack, which hold no aggregate. A handler's local that is filled with <<< and used in no other way
 *  than aggregates are, is an element of an array of the compiler's own, by thread: a thread is in a handler once. The handler
 *  deletes it first and last. In functions, which one thread can be in several times, such a local stays an error (infer). */
#ifndef SP_SEMA_AGGREGATE_H
#define SP_SEMA_AGGREGATE_H

#include "compiler/sema/program.h"

void aggregate_locals(struct program *program);

#endif
