// SPDX-License-Identifier: GPL-2.0-or-later
/** Texts between encodings: quoted for output, and from UTF-16 and UTF-32 in memory. */
#ifndef SP_GEN_GEN_UNICODE_H
#define SP_GEN_GEN_UNICODE_H

#include "compiler/gen/core/gen_core.h"

/** text_strn(text, most bytes, in quotes?) */
void gen_unicode_quote(struct gen *g, const struct ir_expr *e, struct gen_str dst);

#endif
