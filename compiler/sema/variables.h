// SPDX-License-Identifier: GPL-2.0-or-later
/** What a program reads of debug information, for comparing what it was compiled for. */
#ifndef SP_SEMA_VARIABLES_H
#define SP_SEMA_VARIABLES_H

#include "compiler/sema/program.h"

/** Appends a line for each variable or field, at each place of the script that reads it, each once, sorted:
 *
 *      x.stp:3:12 TAB $job->size->length TAB uint32_t = unsigned int, 4 bytes TAB user ([reg5]) -> +16
 *
 *  its text in the script, its type, and where it lives. A place whose probe has several sites can have several such lines. To be called
 *  when all that the program does not use is gone (sema_prune). */
void variables_print(struct sp_buf *out, const struct program *program, struct source_map *sources);

#endif
