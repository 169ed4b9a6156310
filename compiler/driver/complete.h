// SPDX-License-Identifier: GPL-2.0-or-later
/** For interactive use: where a declaration ends, and how the last word of a script can go on. */
#ifndef SP_DRIVER_COMPLETE_H
#define SP_DRIVER_COMPLETE_H

#include "compiler/driver/session.h"

/** The length of the first declaration of a script, with the blanks and comments before it. 0: it is not complete yet. Text that is
 *  no declaration counts as one that ends where the next declaration begins. */
size_t complete_declaration(const char *text, size_t len);
/** Appends the words that the last word of the text is the beginning of, one a line, sorted: probe points with the names of
 *  functions, $variables of the probe, functions, and names that the text has. */
void complete_word(struct spile *spile, const char *text, size_t len, struct sp_buf *out);

#endif
