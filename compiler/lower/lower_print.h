// SPDX-License-Identifier: GPL-2.0-or-later
/** The print and sprint family: everything becomes a format and the values that it takes. A string that is only printed
 *  is never put together: `print("a" . b)` is a format "a%s" with b. */
#ifndef SP_LOWER_PRINT_H
#define SP_LOWER_PRINT_H

#include "compiler/lower/lower_ctx.h"

/** A format that grows, with the values that its directives take. */
struct lower_format {
	struct lower *l;
	bool to_string; // of a sprintf; else of a record
	bool names_values; // the values in it have names, for --json
	SP_VEC(const char *) names; // those that were given
	struct sp_buf text;
	SP_VEC(struct ir_expr *) args;
	SP_VEC(struct ir_field) fields; // what each directive prints
	uint64_t max_len; // most bytes that the text can have; UINT32_MAX and up: not known
};

void lower_format_deinit(struct lower_format *f);
/** Appends text that is printed as it is. */
void lower_format_text(struct lower_format *f, const char *text, size_t len);
/** Appends a directive and the value that it prints in at most max_len bytes. */
void lower_format_arg(struct lower_format *f, struct ir_expr *value, const char *directive, uint64_t max_len);
/** Appends a value that no directive takes as a whole; gives its index. */
uint32_t lower_format_value(struct lower_format *f, struct ir_expr *value);
/** A format over the values that are there now. */
uint32_t lower_format_make(struct lower_format *f, enum sp_format_kind kind, const char *text,
			   const struct ir_field *fields, unsigned n_fields);
/** The text of one that is to_string. */
struct ir_expr *lower_format_string(struct lower_format *f, uint32_t place);
/** The text of one that is of a record: only the runtime can make it (ir_runtime.h). */
struct ir_expr *lower_format_kept(struct lower_format *f, uint32_t place);

/** Emits the record; nothing when there is nothing to print. */
void lower_print(struct lower *l, const struct ast_expr *e);
struct ir_expr *lower_sprint(struct lower *l, const struct ast_expr *e);
/** One text as a record of its own: log() and warn(). */
struct ir_stmt *lower_line(struct lower *l, const struct ast_expr *text, enum sp_format_kind kind, uint32_t place);

#endif
