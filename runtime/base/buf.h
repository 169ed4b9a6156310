// SPDX-License-Identifier: GPL-2.0-or-later
/** Growable byte buffer, always NUL-terminated behind `len`, so `data` is a C string when it holds text. */
#ifndef SP_BASE_BUF_H
#define SP_BASE_BUF_H

#include "runtime/base/util.h"

#include <stdarg.h>

/** A zeroed one is empty. */
struct sp_buf {
	char *data; // NULL while empty: use sp_buf_str for text
	size_t len, cap;
};

void sp_buf_deinit(struct sp_buf *buf);

void sp_buf_clear(struct sp_buf *buf);
void sp_buf_add(struct sp_buf *buf, const void *data, size_t len);
void sp_buf_puts(struct sp_buf *buf, const char *s);
void sp_buf_putc(struct sp_buf *buf, char c);
void sp_buf_fill(struct sp_buf *buf, char c, size_t count);
void sp_buf_printf(struct sp_buf *buf, const char *fmt, ...) SP_PRINTF(2, 3);
void sp_buf_vprintf(struct sp_buf *buf, const char *fmt, va_list args) SP_PRINTF(2, 0);
/** Appends "\\n", "\\t", "\\\"" or "\\\\" for such a character. False: it is another one. */
bool sp_buf_escape(struct sp_buf *buf, char c);
/** Appends `len` bytes as the inside of a C string literal: \n \t \" \\ and \ooo for the rest. */
void sp_buf_quoted(struct sp_buf *buf, const char *s, size_t len);
/** Length of the well-formed UTF-8 sequence at `text`, 0 when there is none (RFC 3629, table 3-7 of Unicode). */
size_t sp_utf8_len(const char *text);
/** The text; "" while empty. Valid until the next change. */
const char *sp_buf_str(const struct sp_buf *buf);
/** Gives the memory to the caller (free(3)) and empties the buffer. Never NULL. */
char *sp_buf_take(struct sp_buf *buf);

#endif
