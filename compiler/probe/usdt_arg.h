// SPDX-License-Identifier: GPL-2.0-or-later
/** Arguments of marks (USDT): the note of a mark describes each as "-4@%edi", "8@16(%rbp)" or "4@$5", which is its size in
 *  bytes, negative when it is signed, and an operand as assemblers write it. */
#ifndef SP_PROBE_USDT_ARG_H
#define SP_PROBE_USDT_ARG_H

#include "compiler/model/abi.h"
#include "compiler/model/loc.h"
#include "compiler/model/type.h"

#include "runtime/base/arena.h"

struct usdt_arg {
	const struct c_type *type;
	const struct loc *loc; // NULL: it cannot be read
	const char *why; // the reason, when `loc` is NULL
};

/** Where symbols are that operands name, "table+4(%rip)": link-time addresses. False: there is none of that name, or several. */
struct usdt_symbols {
	bool (*find)(void *ctx, const char *name, uint64_t *ret);
	void *ctx;
};

/** How many arguments `args`, the text of the note, describes. */
unsigned usdt_arg_count(const char *args);
/** Parses the argument with that index, from 0. False: there are fewer. */
bool usdt_arg_parse(struct sp_arena *arena, const struct abi *abi, const struct usdt_symbols *symbols, const char *args,
		    unsigned index, struct usdt_arg *ret);

#endif
