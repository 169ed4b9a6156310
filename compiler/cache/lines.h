// SPDX-License-Identifier: GPL-2.0-or-later
/** A text of sorted lines, made smaller: of each line is kept how much of its beginning the line before has, and the rest. A listing of
 *  156,000 functions is 66 MB, most of which is the path of the program and the names of classes. */
#ifndef SP_CACHE_LINES_H
#define SP_CACHE_LINES_H

#include "runtime/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/** Each line of `text` ends with a newline. */
void lines_pack(const char *text, size_t len, struct sp_buf *ret);
/** False: the bytes are not what lines_pack() makes. */
bool lines_unpack(const uint8_t *bytes, size_t size, struct sp_buf *ret);

#endif
