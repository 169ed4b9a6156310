// SPDX-License-Identifier: GPL-2.0-or-later
/** The tracing file system, mounted or not: without a mount it is opened detached, visible to this process alone. */
#ifndef SP_BASE_TRACEFS_H
#define SP_BASE_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Its directory, to be closed, or a negative errno. `access`: what is wanted of its folder `events`, as access(2) takes it:
 *  X_OK to open events by name, R_OK to list them. */
int sp_tracefs_open(int access);

/** A field of an event's record. */
struct sp_tracefs_field {
	const char *decl; // "pid_t child_pid", "char comm[16]"; not NUL-terminated
	size_t decl_len;
	uint32_t offset, size;
	bool is_signed;
};

/** Reads one line of an event's file `format`; false: it is about no field. `line` may be of a longer text. */
bool sp_tracefs_field_parse(const char *line, struct sp_tracefs_field *ret);

#endif
