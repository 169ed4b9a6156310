// SPDX-License-Identifier: GPL-2.0-or-later
/** The events of the running kernel, as the files of tracefs describe them: events/SYSTEM/NAME/format. */
#ifndef SP_DEBUG_DBG_TRACEFS_H
#define SP_DEBUG_DBG_TRACEFS_H

#include "runtime/base/arena.h"
#include "runtime/base/hash.h"

struct dbg_event_field {
	const char *type; // "unsigned int", "char", "struct page *": the declaration without name and array bounds
	const char *name;
	uint32_t offset, size;
	uint64_t count; // array elements; 0: no array, or of unknown length
	bool is_array, is_signed, is_data_loc;
};

/** The root folder of tracefs, also where it is not mounted (that needs root). To be closed; -1: no access. */
int dbg_tracefs_open(void);
/** Adds name -> system for every event; the strings live in the arena. Of events of one name the kernel's own is meant, not one that a
 *  user has made. */
void dbg_tracefs_systems(int tracefs, struct sp_arena *arena, struct sp_hash *ret);
/** The fields of an event without the common ones; returns how many, 0 when it has no readable format file. */
unsigned dbg_tracefs_fields(int tracefs, struct sp_arena *arena, const char *system, const char *name,
			    struct dbg_event_field **ret);
/** The same from the text of a format file. */
unsigned dbg_tracefs_parse(struct sp_arena *arena, const char *text, struct dbg_event_field **ret);

#endif
