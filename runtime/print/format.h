// SPDX-License-Identifier: GPL-2.0-or-later
/** printf as scripts know it, over the arguments of a record. */
#ifndef SP_RUNTIME_FORMAT_H
#define SP_RUNTIME_FORMAT_H

#include "runtime/base/buf.h"
#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"

#include <stdbool.h>

/** Appends the text of `format` for a record (head included) of at least its record_size bytes. Directives:
 *  %d %i %u %x %X %o %c %s %p %b %m %M %f %e %g %% with flags `-+ #0`, width, precision, and `*`. %p prints 0x and at
 *  least one digit; %f, %e and %g take the bits of a double; %c prints one byte (0 prints nothing); %m and %M dump memory
 *  that was copied into a string argument. `symbols` gives names to addresses; NULL: they have none. */
void format_record(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_format *format,
		   const void *record);

/** A value in the text that a format prints: what stands between SP_NAME and SP_NAME_END, or what a directive outside of these has
 *  printed. */
struct format_value {
	const char *name; // NULL: it has none
	bool is_number, is_signed;
	size_t start, len; // in the buffer
	const struct sp_field *only; // the directive's that has printed all of it; NULL: there is none, or there is more
	char conversion; // of that
	bool has_part; // of a directive, so long:
	size_t part_len;
};

struct format_listener {
	void *ctx;
	void (*value)(void *ctx, const struct format_value *value);
};

/** The same, and tells of each value when its text is in the buffer. */
void format_values(struct sp_buf *out, const struct bundle *bundle, struct symbols *symbols, const struct sp_format *format,
		   const void *record, const struct format_listener *listener);

/** For bundle_open: do the directives fit the argument types, and how many are there? NULL, or what is wrong. */
const char *format_check(const char *text, const struct sp_field *args, unsigned n_args);

#endif
