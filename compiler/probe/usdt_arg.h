// SPDX-License-Identifier: GPL-2.0-or-later
/** Arguments of marks: "-4@%edi", "8@16(%rbp)", "4@$5". A size in bytes, negative when signed, and an operand in the
 *  assembler's notation. */
#ifndef SP_PROBE_USDT_ARG_H
#define SP_PROBE_USDT_ARG_H

#include "compiler/model/abi.h"
#include "compiler/model/loc.h"
#include "compiler/model/type.h"

#include "runtime/base/arena.h"

struct usdt_arg {
	const struct c_type *type;
	const struct loc *loc; // NULL: it cannot be read, and
	const char *why;
};

/** How many arguments the text describes. */
unsigned usdt_arg_count(const char *args);
/** The index-th one (from 0); false: there are fewer. */
bool usdt_arg_parse(struct sp_arena *arena, const struct abi *abi, const char *args, unsigned index, struct usdt_arg *ret);

#endif
