// SPDX-License-Identifier: GPL-2.0-or-later
/** Writes JSON into a buffer, which knows by its last byte whether a comma is missing:
 *
 *    sp_json_begin(out, NULL, '{');
 *    sp_json_text(out, "name", name);
 *    sp_json_begin(out, "lines", '[');
 *    sp_json_number(out, NULL, 7);
 *    sp_json_end(out, ']');
 *    sp_json_end(out, '}');
 *
 *  `key` is NULL for elements of an array, and for the outermost value. It and texts may hold any bytes. */
#ifndef SP_BASE_JSON_H
#define SP_BASE_JSON_H

#include "runtime/base/buf.h"

void sp_json_begin(struct sp_buf *out, const char *key, char bracket);
void sp_json_end(struct sp_buf *out, char bracket);
/** NULL becomes null; bytes that are not UTF-8 become U+FFFD. */
void sp_json_text(struct sp_buf *out, const char *key, const char *text);
/** The same for `len` bytes that a NUL follows; there may be some among them. */
void sp_json_bytes(struct sp_buf *out, const char *key, const char *bytes, size_t len);
/** A number that is written already. */
void sp_json_literal(struct sp_buf *out, const char *key, const char *text, size_t len);
void sp_json_number(struct sp_buf *out, const char *key, int64_t number);
void sp_json_unsigned(struct sp_buf *out, const char *key, uint64_t number);
void sp_json_bool(struct sp_buf *out, const char *key, bool value);

#endif
