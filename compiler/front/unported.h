// SPDX-License-Identifier: GPL-2.0-or-later
/** What SystemTap's library has and ours has not, with the reason: unported.def. */
#ifndef SP_FRONT_UNPORTED_H
#define SP_FRONT_UNPORTED_H

/** Why there is no function `name`, and what to do; NULL: SystemTap has none either. */
const char *unported_function(const char *name);
/** The same of the macro @name. */
const char *unported_macro(const char *name);

#endif
