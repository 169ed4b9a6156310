// SPDX-License-Identifier: GPL-2.0-or-later
/** What a printed record says, value by value, as what it is: numbers stay numbers, and stacks lists of addresses. */
#ifndef SP_RUNTIME_RECORD_VALUES_H
#define SP_RUNTIME_RECORD_VALUES_H

#include "runtime/abi/event.h"
#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"

/** A record that `format` describes, with its whole size. */
struct record {
	const struct bundle *bundle;
	struct symbols *symbols;
	const struct sp_format *format;
	const void *bytes;
};

/** Each value is told once, by the name that the script gives it, or else "arg2" for the second one. */
struct record_sink {
	void *ctx;
	void (*number)(void *ctx, const char *name, int64_t number, bool is_signed);
	void (*real)(void *ctx, const char *name, double number);
	/** `is_number`: the text is one as JSON writes it. */
	void (*text)(void *ctx, const char *name, const char *bytes, size_t len, bool is_number);
	void (*unreadable)(void *ctx, const char *name);
	/** A struct sp_symbols in `size` bytes that need not be aligned. */
	void (*stack)(void *ctx, const char *name, const void *symbols, size_t size);
};

/** Appends what the record prints to `text`, and tells `sink` the values. */
void record_values(struct sp_buf *text, const struct record *record, const struct record_sink *sink);

/** Who printed a record; false: it does not tell (SP_FORMAT_TELLS_WHO). */
bool record_who(const struct record *record, struct sp_event_who *ret);
/** The index of the site of a handler's program; SP_NONE: there is no such. */
uint32_t record_site(const struct record *record, uint64_t site);

#endif
