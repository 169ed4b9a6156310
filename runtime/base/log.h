// SPDX-License-Identifier: GPL-2.0-or-later
/** How the libraries speak to their caller: through a callback. Nothing in a library writes to stderr. */
#ifndef SP_BASE_LOG_H
#define SP_BASE_LOG_H

#include "runtime/base/util.h"

enum sp_log_level {
	SP_LOG_ERROR, // "ERROR: ..." of a running script
	SP_LOG_WARN, // "WARNING: ..."
	SP_LOG_INFO, // shown with -v: passes, hooks
	SP_LOG_DEBUG, // shown with -vv: libbpf's words, the verifier's log
};

struct sp_log {
	/** `text` is one or more whole lines without the last newline. NULL: be silent. */
	void (*write)(void *ctx, enum sp_log_level level, const char *text);
	void *ctx;
	enum sp_log_level max_level; // what is above is not formatted
};

/** What stands before a text of that level where people read it: "ERROR: ", "WARNING: ", or nothing. The public headers' levels are
 *  the same numbers. */
const char *sp_log_word(unsigned level);

void sp_log(const struct sp_log *log, enum sp_log_level level, const char *fmt, ...) SP_PRINTF(3, 4);

#endif
