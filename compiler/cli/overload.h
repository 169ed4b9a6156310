// SPDX-License-Identifier: GPL-2.0-or-later
/** What bounds how much of the processors handlers take, in SystemTap's words. */
#ifndef SP_CLI_OVERLOAD_H
#define SP_CLI_OVERLOAD_H

#include <stdbool.h>
#include <stddef.h>

/** --overload: the script ends when handlers take more than this share for so long. Share 0: it does not; seconds 0: the default. */
struct overload {
	double share, seconds;
};

/** Takes STP_OVERLOAD_THRESHOLD, STP_OVERLOAD_INTERVAL and STP_NO_OVERLOAD out of a list of -D. A share that is known goes before
 *  theirs. Returns one that is wrong; NULL: none is. */
const char *overload_take_defines(const char **defines, size_t *n_defines, struct overload *overload);

#endif
