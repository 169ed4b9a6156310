// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/diag.h"

#include "compiler/front/diag_color.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

#include <stdarg.h>
#include <strings.h>

// How many diagnostics of one id are kept: who makes a mistake a thousand times need not read it a thousand times.
#define MAX_OF_ONE_ID 20

// A source line longer than this is shown as a window around the span.
#define LINE_WINDOW 200

#define ERROR DIAG_SEV_ERROR
#define WARNING DIAG_SEV_WARNING
static const struct diag_info infos[DIAG_COUNT] = {
#define DIAG(id, tag, severity, title, explanation) { #id, tag, severity, title, explanation },
#include "diag.def"
#undef DIAG
};
#undef ERROR
#undef WARNING

void diag_ctx_init(struct diag_ctx *dc, struct source_map *sources)
{
	*dc = (struct diag_ctx){ .sources = sources };
}

static unsigned *counter(struct diag_ctx *dc, const struct diag *d)
{
	return d->severity == DIAG_SEV_ERROR ? &dc->n_errors : &dc->n_warnings;
}

static void drop_from(struct diag_ctx *dc, size_t mark)
{
	while (dc->diags.n > mark) {
		struct diag *d = sp_vec_pop(&dc->diags);

		*counter(dc, d) -= 1 + d->n_more;
		sp_vec_deinit(&d->notes);
	}
}

void diag_ctx_deinit(struct diag_ctx *dc)
{
	drop_from(dc, 0);
	sp_vec_deinit(&dc->diags);
	sp_arena_deinit(&dc->arena);
}

const struct diag_info *diag_info(enum diag_id id)
{
	return &infos[id];
}

const struct diag_info *diag_info_find(const char *tag_or_name)
{
	for (size_t i = 0; i < DIAG_COUNT; i++)
		if (!strcasecmp(infos[i].tag, tag_or_name) || !strcasecmp(infos[i].name, tag_or_name))
			return &infos[i];
	return NULL;
}

static char *format(struct diag_ctx *dc, const char *fmt, va_list args)
{
	struct sp_buf text = { 0 };
	char *copy;

	sp_buf_vprintf(&text, fmt, args);
	copy = sp_arena_strndup(&dc->arena, sp_buf_str(&text), text.len);
	sp_buf_deinit(&text);
	return copy;
}

static bool is_same(const struct diag *a, const struct diag *b)
{
	return a->span.file == b->span.file && a->span.off == b->span.off && a->span.len == b->span.len &&
	       sp_streq(a->text, b->text);
}

// Has the same been reported? *last_ret: the last kept diagnostic of its id when MAX_OF_ONE_ID are kept; else NULL.
static bool is_reported(const struct diag_ctx *dc, const struct diag *d, struct diag **last_ret)
{
	unsigned n = 0;

	*last_ret = NULL;
	sp_vec_each(old, &dc->diags) {
		if ((*old)->id != d->id)
			continue;
		if (is_same(*old, d))
			return true;
		if (++n >= MAX_OF_ONE_ID)
			*last_ret = *old;
	}
	return false;
}

// A mistake in the text of a macro is shown where the macro is used. (What the parser reports tells the place itself.)
static void note_macro(struct diag_ctx *dc, struct diag *d)
{
	if (!dc->sources || infos[d->id].tag[1] == '1')
		return;
	sp_vec_each(expansion, &dc->sources->expansions) {
		if (memcmp(&expansion->use, &d->span, sizeof(d->span)))
			continue;
		diag_note(dc, d, expansion->macro, "it is in the text of this macro");
		return;
	}
}

struct diag *diag(struct diag_ctx *dc, struct span span, enum diag_id id, const char *fmt, ...)
{
	struct diag *d = sp_arena_new(&dc->arena, struct diag), *last;
	va_list args;

	d->id = id;
	d->severity = infos[id].severity;
	d->span = span;
	if (d->severity == DIAG_SEV_WARNING && dc->no_warnings)
		return d;
	if (d->severity == DIAG_SEV_WARNING && dc->warnings_are_errors)
		d->severity = DIAG_SEV_ERROR;
	if (dc->n_trials) { // that it is there is all that counts
		++*counter(dc, d);
		sp_vec_push(&dc->diags, d);
		return d;
	}
	va_start(args, fmt);
	d->text = format(dc, fmt, args);
	va_end(args);
	// A diagnostic that is not kept can get notes and a hint all the same; nobody sees them.
	if (is_reported(dc, d, &last))
		return d;
	++*counter(dc, d);
	if (last)
		last->n_more++;
	else
		sp_vec_push(&dc->diags, d);
	note_macro(dc, d);
	return d;
}

static bool is_listed(const struct diag_ctx *dc, const struct diag *d)
{
	for (size_t i = dc->diags.n; i > 0; i--)
		if (dc->diags.v[i - 1] == d)
			return true;
	return false;
}

bool diag_is_kept(const struct diag_ctx *dc, const struct diag *d)
{
	return !dc->n_trials && is_listed(dc, d);
}

void diag_note(struct diag_ctx *dc, struct diag *d, struct span span, const char *fmt, ...)
{
	struct diag_note note = { .span = span };
	va_list args;

	// Notes for a diagnostic that was not kept (a duplicate, a suppressed warning) are dropped.
	if (!diag_is_kept(dc, d))
		return;
	va_start(args, fmt);
	note.text = format(dc, fmt, args);
	va_end(args);
	sp_vec_push(&d->notes, note);
}

void diag_hint(struct diag_ctx *dc, struct diag *d, const char *fmt, ...)
{
	va_list args;

	if (dc->n_trials)
		return;
	va_start(args, fmt);
	d->hint = format(dc, fmt, args);
	va_end(args);
}

size_t diag_mark(const struct diag_ctx *dc)
{
	return dc->diags.n;
}

void diag_rewind(struct diag_ctx *dc, size_t mark)
{
	drop_from(dc, mark);
}

size_t diag_try(struct diag_ctx *dc)
{
	if (!dc->n_trials++)
		dc->before_trial = sp_arena_mark(&dc->arena);
	return diag_mark(dc);
}

void diag_end_try(struct diag_ctx *dc, size_t mark)
{
	diag_rewind(dc, mark);
	if (!--dc->n_trials)
		sp_arena_rewind(&dc->arena, dc->before_trial);
}

#define PLAIN "\033[0m"

enum paint { PAINT_ERROR, PAINT_WARNING, PAINT_SOURCE, PAINT_CARET, PAINT_LABEL };

static const struct {
	const char *key, *sgr; // in SYSTEMTAP_COLORS, NULL: nowhere; unless that says otherwise
} paints[] = {
	[PAINT_ERROR] = { "error", "1;31" },
	[PAINT_WARNING] = { "warning", "1;35" },
	[PAINT_SOURCE] = { "source", "1" },
	[PAINT_CARET] = { "caret", "32" },
	[PAINT_LABEL] = { NULL, "36" },
};

static void put_painted(const struct diag_ctx *dc, bool color, enum paint paint, const char *text, struct sp_buf *out)
{
	size_t len = 0;
	const char *sgr = paints[paint].key ? diag_color_find(dc->colors, paints[paint].key, &len) : NULL;

	if (!color) {
		sp_buf_puts(out, text);
		return;
	}
	if (!sgr) {
		sgr = paints[paint].sgr;
		len = strlen(sgr);
	}
	sp_buf_printf(out, "\033[%.*sm%s" PLAIN, (int)len, sgr, text);
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

#define STEERS (-1) // a terminal: must not reach it

// What does not take one column of a terminal, each as far as terminals agree (Unicode's UAX #11).
static const struct {
	uint32_t first, last;
	int columns;
} odd_chars[] = {
	{ 0x0, 0x8, STEERS },	     { 0xa, 0x1f, STEERS },	{ 0x7f, 0x9f, STEERS },	   { 0x300, 0x36f, 0 },	      { 0x1100, 0x115f, 2 },
	{ 0x200b, 0x200f, 0 },	     { 0x202a, 0x202e, STEERS }, { 0x2066, 0x2069, STEERS }, { 0x20d0, 0x20ff, 0 },   { 0x2e80, 0x303e, 2 },
	{ 0x3041, 0xa4cf, 2 },	     { 0xa960, 0xa97f, 2 },	{ 0xac00, 0xd7a3, 2 },	   { 0xf900, 0xfaff, 2 },     { 0xfe00, 0xfe0f, 0 },
	{ 0xfe30, 0xfe6f, 2 },	     { 0xfeff, 0xfeff, 0 },	{ 0xff01, 0xff60, 2 },	   { 0xffe0, 0xffe6, 2 },     { 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1f6ff, 2 },     { 0x1f900, 0x1f9ff, 2 },	{ 0x20000, 0x3fffd, 2 },
};

// Of the character at `c`, whose bytes are counted into *len_ret; a byte that is no UTF-8 is a character.
static int columns_of(const char *c, uint32_t *len_ret)
{
	size_t len = sp_utf8_len(c);
	uint32_t code = len < 2 ? (unsigned char)*c : (unsigned char)*c & (0x7fu >> len);

	*len_ret = len ? (uint32_t)len : 1;
	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)c[i] & 0x3f);
	for (size_t i = 0; len && i < SP_ARRAY_SIZE(odd_chars); i++)
		if (code >= odd_chars[i].first && code <= odd_chars[i].last)
			return odd_chars[i].columns;
	return len ? 1 : STEERS;
}

static void put_source(struct sp_buf *out, const char *text, uint32_t from, uint32_t to)
{
	for (uint32_t i = from, len; i < to; i += len) {
		if (columns_of(text + i, &len) == STEERS)
			sp_buf_putc(out, '?');
		else
			sp_buf_add(out, text + i, len);
	}
}

// A character for each column that this text takes.
static void put_below(struct sp_buf *out, const char *text, uint32_t from, uint32_t to, char c)
{
	for (uint32_t i = from, len; i < to; i += len) {
		int columns = columns_of(text + i, &len);

		for (int k = 0; k < (columns == STEERS ? 1 : columns); k++)
			sp_buf_putc(out, text[i] == '\t' && c == ' ' ? '\t' : c);
	}
}

// Prints the source line, and below it a line that marks the span. Tabs are repeated there, so that the mark is below its text
// whatever the width of a tab is.
static void render_line(const struct diag_ctx *dc, const struct source_place *place, struct span span, bool color,
			const char *indent, struct sp_buf *out)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf caret = { 0 };
	uint32_t start = SP_MIN(place->column - 1, place->line_len), stop = start + span.len;
	uint32_t from = 0, to = place->line_len;

	stop = SP_MIN(SP_MAX(stop, start + 1), place->line_len);
	if (place->line_len > LINE_WINDOW) {
		from = start > LINE_WINDOW / 3 ? start - LINE_WINDOW / 3 : 0;
		while (from > 0 && is_continuation(place->line_text[from]))
			from--;
		to = SP_MIN(from + LINE_WINDOW, place->line_len);
		while (to < place->line_len && is_continuation(place->line_text[to]))
			to++;
	}
	sp_buf_printf(out, "%s%s", indent, from ? "..." : "");
	put_source(out, place->line_text, from, to);
	sp_buf_printf(out, "%s\n%s%s", to < place->line_len ? "..." : "", indent, from ? "   " : "");
	put_below(out, place->line_text, from, start, ' ');
	put_below(&caret, place->line_text, start, SP_MIN(stop, to), '~');
	if (!caret.len)
		sp_buf_putc(&caret, '^');
	caret.data[0] = '^';
	put_painted(dc, color, PAINT_CARET, sp_buf_str(&caret), out);
	sp_buf_putc(out, '\n');
}

static void render_place(struct diag_ctx *dc, struct span span, bool color, const char *indent,
			 struct sp_buf *out)
{
	struct source_place place = source_place(dc->sources, span);
	sp_cleanup(sp_buf_deinit) struct sp_buf deeper = { 0 }, at = { 0 };

	if (!place.line)
		return;
	sp_buf_printf(&deeper, "%s    ", indent);
	sp_buf_printf(&at, "%s:%u:%u", place.file, place.line, place.column);
	sp_buf_printf(out, "%sat ", indent);
	put_painted(dc, color, PAINT_SOURCE, sp_buf_str(&at), out);
	sp_buf_putc(out, '\n');
	if (place.line_len)
		render_line(dc, &place, span, color, sp_buf_str(&deeper), out);
}

static const char *kind_of(const struct diag *d)
{
	if (d->severity == DIAG_SEV_WARNING)
		return "WARNING";
	if (infos[d->id].tag[0] != 'E')
		return "error";
	if (infos[d->id].tag[1] == '1')
		return "parse error";
	return infos[d->id].tag[1] == '9' ? "internal error" : "semantic error";
}

static void put_label(const struct diag_ctx *dc, bool color, const char *label, const char *text, struct sp_buf *out)
{
	sp_buf_puts(out, "    ");
	put_painted(dc, color, PAINT_LABEL, label, out);
	sp_buf_printf(out, " %s\n", text);
}

void diag_render_text(struct diag_ctx *dc, const struct diag *d, bool color, struct sp_buf *out)
{
	char kind[32];

	snprintf(kind, sizeof(kind), "%s:", kind_of(d));
	put_painted(dc, color, d->severity == DIAG_SEV_WARNING ? PAINT_WARNING : PAINT_ERROR, kind, out);
	sp_buf_printf(out, " %s [%s]\n", d->text, infos[d->id].tag);
	render_place(dc, d->span, color, "    ", out);
	sp_vec_each(note, &d->notes) {
		put_label(dc, color, "note:", note->text, out);
		render_place(dc, note->span, color, "        ", out);
	}
	if (d->hint)
		put_label(dc, color, "hint:", d->hint, out);
	if (d->n_more)
		sp_buf_printf(out, "(%u more of %s)\n", d->n_more, infos[d->id].tag);
}

static void json_text_at(struct diag_ctx *dc, struct span span, const char *text, struct sp_buf *out)
{
	struct source_place place = source_place(dc->sources, span);

	sp_json_text(out, "file", place.file);
	sp_json_number(out, "line", place.line);
	sp_json_number(out, "column", place.column);
	sp_json_number(out, "length", span.len);
	sp_json_text(out, "text", text);
}

void diag_render_json(struct diag_ctx *dc, const struct diag *d, struct sp_buf *out)
{
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "tag", infos[d->id].tag);
	sp_json_text(out, "name", infos[d->id].name);
	sp_json_text(out, "severity", d->severity == DIAG_SEV_WARNING ? "warning" : "error");
	json_text_at(dc, d->span, d->text, out);
	sp_json_begin(out, "notes", '[');
	for (size_t i = 0; i < d->notes.n; i++) {
		sp_json_begin(out, NULL, '{');
		json_text_at(dc, d->notes.v[i].span, d->notes.v[i].text, out);
		sp_json_end(out, '}');
	}
	sp_json_end(out, ']');
	sp_json_text(out, "hint", d->hint);
	sp_json_number(out, "more", d->n_more);
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}
