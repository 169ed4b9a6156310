// SPDX-License-Identifier: GPL-2.0-or-later
/** What run-time errors of a script are called. The compiler puts it into code, for catch (message); the runtime makes it of
 *  records. Both say the same, because both get it here: what happened, its value, where. */
#ifndef SP_BASE_ERROR_TEXT_H
#define SP_BASE_ERROR_TEXT_H

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"

#define SP_ERROR_DIGITS 16 // hexadecimal ones of an address, behind "0x"

/** The text up to the value (an address: with its "0x"); tells which value comes next. */
enum sp_error_value sp_error_put_what(struct sp_buf *out, enum sp_error_code code);
void sp_error_put_address(struct sp_buf *out, uint64_t address);
void sp_error_put_map(struct sp_buf *out, const char *label, uint32_t max_entries);
/** " near WHAT at FILE:LINE:COLUMN"; `what` may be "". */
void sp_error_put_place(struct sp_buf *out, const char *what, const char *file, uint32_t line, uint32_t column);

#endif
