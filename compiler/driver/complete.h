// SPDX-License-Identifier: GPL-2.0-or-later
/** For interactive use: where a declaration ends, and what the last word of a text can become. */
#ifndef SP_DRIVER_COMPLETE_H
#define SP_DRIVER_COMPLETE_H

#include "compiler/driver/session.h"

/** Bytes of the first declaration of a script, with the blanks and comments before it. 0: it is not finished yet. What is no
 *  declaration reaches up to the next one. */
size_t complete_declaration(const char *text, size_t len);
/** Appends what the last word of the script's text can become, one a line, sorted: probe points with the names of functions,
 *  $variables of the probe, functions and names of the text. */
void complete_word(struct spile *spile, const char *text, size_t len, struct sp_buf *out);

#endif
