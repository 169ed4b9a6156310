// SPDX-License-Identifier: GPL-2.0-or-later
/** Parts of C values that a record holds as they were in memory (abi/bundle.h, enum sp_type). */
#ifndef SP_RUNTIME_FORMAT_VALUE_H
#define SP_RUNTIME_FORMAT_VALUE_H

#include "runtime/base/buf.h"
#include "runtime/load/bundle.h"

struct symbols;

/** The number of an SP_BITS or SP_NAMED. */
int64_t format_value_bits(const struct sp_field *field, const void *record);
/** Is what depends on an SP_WHEN or SP_UNLESS printed? */
bool format_value_is_shown(const struct bundle *bundle, const struct sp_field *field, const void *record);
/** Appends the text of an SP_NAMED, SP_FLOAT, SP_QUOTED, SP_CAPTURED, SP_VALUE or SP_WIDE. */
void format_value(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_field *field,
		  const void *record);
/** For bundle_open, of every field: NULL, or what is wrong with it. */
const char *format_value_check(const struct bundle *bundle, const struct sp_field *field);

#endif
