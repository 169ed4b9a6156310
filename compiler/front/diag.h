// SPDX-License-Identifier: GPL-2.0-or-later
/** Diagnostics: the user's mistakes. A pass reports one, poisons the node and goes on. They are rendered as text (source line,
 *  caret, notes, hint) or as JSON, one a line. Every id is a row of diag.def with a stable tag. */
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
	unsigned n_more; // diagnostics of this id that were reported after this one and are not kept
};

/** Collects diagnostics in the order in which they are reported. One with the same id, span and text is kept once. Of one id only
 *  the first 20 are kept; the last of these counts the rest in n_more. */
struct diag_ctx {
	struct source_map *sources;
	struct sp_arena arena;
	SP_VEC(struct diag *) diags;
	unsigned n_errors, n_warnings;
	bool warnings_are_errors; // -W
	bool no_warnings; // -w
	const char *colors; // SYSTEMTAP_COLORS, a valid one (diag_color.h); NULL: our own
	unsigned n_trials; // diag_try() without its diag_end_try() yet
	struct sp_arena_mark before_trial; // the first of these
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

/** To try something that may fail without a message (`!`, `?`): the state now, ... */
size_t diag_mark(const struct diag_ctx *dc);
/** ... and back to it: what has been reported since is dropped. */
void diag_rewind(struct diag_ctx *dc, size_t mark);
/** As these two, where it is clear before that all is dropped (@defined, $$vars): diagnostics have no texts then, and their memory
 *  is given back. */
size_t diag_try(struct diag_ctx *dc);
void diag_end_try(struct diag_ctx *dc, size_t mark);
/** May somebody see it? Notes and hints that take time to find are found for such diagnostics alone. */
bool diag_is_kept(const struct diag_ctx *dc, const struct diag *d);

/** "semantic error: text [E401]\n  at file:line:col\n source line, caret line, notes, hint". `color`: ANSI. */
void diag_render_text(struct diag_ctx *dc, const struct diag *d, bool color, struct sp_buf *out);
/** One JSON object with a newline: tag, severity, file, line, column, length, text, notes, hint, how many more. */
void diag_render_json(struct diag_ctx *dc, const struct diag *d, struct sp_buf *out);

#endif
