// SPDX-License-Identifier: GPL-2.0-or-later
/** A script that is compiled to be kept may be loaded into another kernel than the one that it was compiled for: where the
 *  members of structures are is then looked up in that kernel's BTF, and that its functions still take what they took. What
 *  holds for one kernel alone (a local variable, a line, an address) binds the script to it. */
#ifndef SP_LOWER_PORTABLE_H
#define SP_LOWER_PORTABLE_H

#include "compiler/lower/lower_ctx.h"

/** What was lowered holds for this build of the kernel alone: "why", and where in the script, for -v. NULL and other modules
 *  are fine. */
void lower_bind(struct lower *l, const struct dbg_module *module, const char *why, uint32_t place);
/** The offset of a member, or with member "" the size of what is `in`: looked up when the script is loaded, or a constant. */
struct ir_expr *lower_member_offset(struct lower *l, const struct dbg_module *module, const char *in, const char *member,
				    unsigned size, int64_t offset);
/** The first bit of a bit-field in its structure, likewise, of a kernel whose scripts are portable. */
struct ir_expr *lower_bit_offset(struct lower *l, const struct dbg_module *module, const char *in, const char *member,
				 unsigned n_bits, unsigned bit);
/** The base of a target variable is used: its function or tracepoint must be the same where the script is loaded. */
void lower_bind_base(struct lower *l, const struct site_value *v, uint32_t place);
/** The place of a site binds the script, unless it is the entry or return of a function. */
void lower_bind_site(struct lower *l, const struct site *site, uint32_t place);

#endif
