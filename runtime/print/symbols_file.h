// SPDX-License-Identifier: GPL-2.0-or-later
/** The functions of an ELF file by their place in it. */
#ifndef SP_RUNTIME_SYMBOLS_FILE_H
#define SP_RUNTIME_SYMBOLS_FILE_H

#include "runtime/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct symbols_file;

/** The symbol table of the file at `path`, that of its separate debug file below /usr/lib/debug, that of Go's
 *  own runtime, or its dynamic symbols. NULL when it cannot be read. What the system could not read is kept in `unread` (sp_err_keep). */
struct symbols_file *symbols_file_open(const char *path, struct sp_err **unread);
void symbols_file_close(struct symbols_file *file);
/** How much memory that table needs; of NULL nothing. */
size_t symbols_file_size(const struct symbols_file *file);

/** Is there something at the offset, zeroed variables behind what is in the file too? */
bool symbols_file_has(const struct symbols_file *file, uint64_t offset);

/** The function or variable that holds byte `offset` of the file; how far behind its start that is, and its size. NULL: none, and
 *  nothing is changed. The text is the file's: the name in the source when the symbol's is that of C++ or Rust. */
const char *symbols_file_name(struct symbols_file *file, uint64_t offset, uint64_t *offset_ret, uint64_t *size_ret);

#endif
