// SPDX-License-Identifier: GPL-2.0-or-later
/** returnval() is a register of 64 bits, and a function may have set 32 of them: -ENOENT of an int is 4294967294 there.
 *
 *  Where debug information tells the type of the result, its width and sign count. Where nothing does, what is the number of an
 *  error as an int (-4095 to -1, above 32 zero bits) is taken for one. */
#ifndef SP_SEMA_RESULT_H
#define SP_SEMA_RESULT_H

#include "compiler/sema/context.h"

/** Makes a call of returnval() at the scene's site the number that the function returns; leaves other calls alone. */
void result_sign(const struct scene *scene, struct ast_expr **place);

#endif
