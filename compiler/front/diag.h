// SPDX-License-Identifier: GPL-2.0-or-later
/** Diagnostics: the user's faults. A pass reports, poisons the node and goes on. Rendered as text (source line, caret,
 *  notes, hint) or as JSON lines. Every id is a row of diag.def with a stable tag. */
#ifndef SP_FRONT_DIAG_H
#define SP_FRONT_DIAG_H

#include "compiler/front/source.h"

#include "runtime/base/buf.h"

enum diag_severity { DIAG_SEV_ERROR, DIAG_SEV_WARNING };

enum diag_id {
#define DIAG(id, tag, severity, title, explanation) DIAG_##id,
#include "diag.def"
#undef DIAG
	DIAG_COUNT
};

struct diag_info {
	const char *name; // "POINT_NO_MATCH"
	const char *tag; // "E401"
	enum diag_severity severity;
	const char *title; // one line
	const char *explanation; // what --explain prints: cause and remedy, may be several lines
};

struct diag_note {
	struct span span; // SPAN_NONE: text only
	const char *text;
};

struct diag {
	enum diag_id id;
	enum diag_severity severity; // after -W
	struct span span;
	const char *text;
	SP_VEC(struct diag_note) notes;
	const char *hint; // NULL: none
	unsigned n_more; // of this id that are not kept, after this one
};

/** Collects diagnostics in the order of reporting. The same id at the same span with the same text is kept once, and of
 *  one id only the first ones; the last of these counts the rest. */
struct diag_ctx {
	struct source_map *sources;
	struct sp_arena arena;
	SP_VEC(struct diag *) diags;
	unsigned n_errors, n_warnings;
	bool warnings_are_errors; // -W
	bool no_warnings; // -w
};

void diag_ctx_init(struct diag_ctx *dc, struct source_map *sources);
void diag_ctx_deinit(struct diag_ctx *dc);

const struct diag_info *diag_info(enum diag_id id);
/** By tag ("E401", "e401") or name ("POINT_NO_MATCH"); NULL when there is none. */
const struct diag_info *diag_info_find(const char *tag_or_name);

/** Reports; the result is for diag_note and diag_hint and never NULL. */
struct diag *diag(struct diag_ctx *dc, struct span span, enum diag_id id, const char *fmt, ...) SP_PRINTF(4, 5);
void diag_note(struct diag_ctx *dc, struct diag *d, struct span span, const char *fmt, ...) SP_PRINTF(4, 5);
void diag_hint(struct diag_ctx *dc, struct diag *d, const char *fmt, ...) SP_PRINTF(3, 4);

/** For undoing speculative work (`!`, `?`, @defined): drops what was reported after `mark`. */
size_t diag_mark(const struct diag_ctx *dc);
void diag_rewind(struct diag_ctx *dc, size_t mark);

/** "semantic error: text [E401]\n  at file:line:col\n source line, caret line, notes, hint". `color`: ANSI. */
void diag_render_text(struct diag_ctx *dc, const struct diag *d, bool color, struct sp_buf *out);
/** One JSON object with a newline: tag, severity, file, line, column, length, text, notes, hint, how many more. */
void diag_render_json(struct diag_ctx *dc, const struct diag *d, struct sp_buf *out);

#endif
