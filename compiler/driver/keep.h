// SPDX-License-Identifier: GPL-2.0-or-later
/** The result of a session, as it is kept for the next one (cache/result.h): what is looked at and said while it is made. */
#ifndef SP_DRIVER_KEEP_H
#define SP_DRIVER_KEEP_H

#include "compiler/cache/result.h"

struct spile;

struct keep {
	bool is_on; // what is said is noted
	struct inputs inputs;
	struct sp_buf messages;
	struct result_key key;
};

/** When the options ask for it: begins to note what the session looks at and says. */
void keep_begin_script(struct spile *spile);
void keep_begin_listing(struct spile *spile, const char *pattern, bool vars);
/** Saves the result when the session was a success and nothing forbids it. */
void keep_end_script(struct spile *spile, int status);
void keep_end_listing(struct spile *spile, int status, const char *title, const struct sp_buf *text);
/** Notes a message (result.h). */
void keep_message(struct spile *spile, unsigned level, const char *text);

#endif
