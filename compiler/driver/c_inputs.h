// SPDX-License-Identifier: GPL-2.0-or-later
/** What a C compiler reads, as inputs of the result (cache/input.h).
 *
 *  The problem. The compiler is another process: nobody sees which files it opens, and which it looks for in vain.
 *
 *  The idea. With -v and -H it tells the programs that it runs, the folders that it searches, and the headers that it reads. A header
 *  that is not there can only be one that the texts name: each name that is included or asked about in any text is noted in each
 *  folder where it is looked for, whether it is there or not.
 *
 *  The limits. A name that a macro makes, the time of the compilation, and files that the assembler reads are obstacles. */
#ifndef SP_DRIVER_C_INPUTS_H
#define SP_DRIVER_C_INPUTS_H

#include "runtime/base/buf.h"

/** What makes the compiler tell all that: options for its command line. */
#define C_INPUTS_OPTIONS "-v", "-H"

/** Notes where a program is looked for in PATH, and where it is. */
void c_inputs_program(const char *name);
/** Notes what has taken part when `source` was compiled, by what the compiler has told. `dir`: where `#include "x.h"` of the source is
 *  looked for, too; NULL: nowhere. */
void c_inputs_note(const struct sp_buf *source, const struct sp_buf *told, const char *dir);

#endif
