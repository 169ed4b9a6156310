// SPDX-License-Identifier: GPL-2.0-or-later
/** Embedded C: each piece becomes a function of the unit, its uses calls of it, what it prints and how it fails
 *  statements behind the call. */
#ifndef SP_LOWER_EMBED_H
#define SP_LOWER_EMBED_H

#include "compiler/lower/lower_ctx.h"

/** The pieces that are in use, without their uses. */
void lower_embeds(struct lower *l);
struct ir_expr *lower_embed(struct lower *l, const struct ast_expr *e);

#endif
