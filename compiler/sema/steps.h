// SPDX-License-Identifier: GPL-2.0-or-later
/** The way from a base value to what an access path names: `->a.b[i]` behind $x, @cast or @var becomes steps (+ offset, follow
 *  the pointer, + index * size), each with the type that it leads to. path.c finds the base; here its steps are walked, and
 *  the end is made a number, an address or a text. */
#ifndef SP_SEMA_STEPS_H
#define SP_SEMA_STEPS_H

#include "compiler/sema/context.h"

/** A value of which `origin` is the text in messages; the caller fills in its base. */
struct site_value *steps_base(const struct scene *scene, const struct ast_expr *origin);
/** Makes `place` an AST_RESOLVED of the base behind the steps, or of its address. False: reported; `place` is as it was. */
bool steps_run(const struct scene *scene, struct site_value *base, const struct ast_steps *steps, bool address_of,
	       struct ast_expr **place);

const struct c_type *steps_pointer_to(const struct scene *scene, const struct c_type *target);
/** As the script has it. */
const char *steps_text(const struct scene *scene, const struct ast_expr *e);

#endif
