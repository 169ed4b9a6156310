// SPDX-License-Identifier: GPL-2.0-or-later
/** What handlers print as JSON, for --json: an object a line, as events.schema.json describes them. Nothing here goes through
 *  text: numbers stay numbers, stacks become lists of frames. */
#ifndef SP_RUNTIME_JSON_RECORD_H
#define SP_RUNTIME_JSON_RECORD_H

#include "runtime/print/record_values.h"

/** Appends the line of a record. `type` is what the object is called; `wall_offset` is added to CLOCK_MONOTONIC for the time of day.
 *  `text` gets what the record prints. */
struct json_record {
	struct record record;
	int64_t wall_offset;
	const char *type;
};
void json_record_put(struct sp_buf *out, const struct json_record *r, struct sp_buf *text);

/** A histogram that a handler prints: `map` is the aggregate's, `buckets` are all that it has of that kind. */
void json_record_hist(struct sp_buf *out, const struct bundle *bundle, const struct sp_map *map, enum sp_stat what, const uint64_t *buckets);
/** The member `key` of an object: an array of the buckets that have counted something. */
void json_record_buckets(struct sp_buf *out, const char *key, const struct sp_stat_shape *shape, enum sp_stat what, const uint64_t *buckets);

/** A run-time error; `point` and `place` may be NULL. */
void json_record_error(struct sp_buf *out, const struct bundle *bundle, const char *point, const struct sp_place *place, const char *text);
/** "warning" or "error", from the session. */
void json_record_message(struct sp_buf *out, const char *type, const char *text);

/** For symbols_each(): an element of the array of frames in the struct sp_buf `ctx`. */
void json_record_frame(void *ctx, const struct symbols_known *known);

#endif
