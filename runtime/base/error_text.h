// SPDX-License-Identifier: GPL-2.0-or-later
/** What run-time errors of a script are called: what happened, and its value. The compiler puts it into code, for catch (message),
 *  the runtime makes it of records; both get it here. Where it was is told of what nobody caught alone, so that a script can compare. */
#ifndef SP_BASE_ERROR_TEXT_H
#define SP_BASE_ERROR_TEXT_H

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"

#define SP_ERROR_DIGITS 16 // hexadecimal ones of an address, behind "0x"

/** The text up to the value (an address: with its "0x"); tells which value comes next. */
enum sp_error_value sp_error_put_what(struct sp_buf *out, enum sp_error_code code);
void sp_error_put_address(struct sp_buf *out, uint64_t address);
void sp_error_put_map(struct sp_buf *out, const char *label, uint32_t max_entries);

#endif
