// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memrchr
#include "compiler/probe/pattern.h"

#include "runtime/base/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

static bool wrong(struct point_env *env, const struct ast_point_part *part, const char *text)
{
	struct diag *d = diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "'%s' is no line", text);

	diag_hint(env->dc, d, "lines are written as 450, 450-460, 450-460,470, * or, from the function's own line, +10");
	return false;
}

static bool number(const char **at, unsigned *ret)
{
	unsigned long value;
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	value = strtoul(*at, &end, 10);
	if (errno || value > INT_MAX)
		return false;
	*at = end;
	*ret = (unsigned)value;
	return true;
}

static bool parse_lines(struct point_env *env, const struct ast_point_part *part, const char *text,
			struct pattern *ret)
{
	SP_VEC(struct dbg_line_range) lines = { 0 };
	const char *at = text;
	bool ok;

	do {
		struct dbg_line_range range;
		ok = number(&at, &range.first);
		range.last = range.first;
		if (ok && *at == '-') {
			at++;
			ok = number(&at, &range.last) && range.last >= range.first;
		}
		sp_vec_push(&lines, range);
	} while (ok && *at == ',' && *++at);
	ret->lines = sp_arena_memdup(env->arena, lines.v, lines.n * sizeof(*lines.v));
	ret->n_lines = (unsigned)lines.n;
	sp_vec_deinit(&lines);
	return ok && !*at ? true : wrong(env, part, text);
}

// The `;` before a line's text; one in brackets is a part of the function's name ("f<[u8; 4]>"). NULL: none.
static char *find_text(char *pattern)
{
	int depth = 0;

	for (; *pattern; pattern++) {
		depth += (*pattern == '[') - (*pattern == ']');
		if (*pattern == ';' && depth <= 0)
			return pattern;
	}
	return NULL;
}

static char *without_blanks(const char *line)
{
	char *ret = sp_calloc(strlen(line) + 1, 1), *end = ret;

	for (; *line; line++)
		if (!isspace((unsigned char)*line))
			*end++ = *line;
	return ret;
}

bool pattern_fits_line(const struct pattern *pattern, const char *line)
{
	sp_cleanup_free char *text = without_blanks(line), *wanted = without_blanks(pattern->text);
	sp_cleanup(sp_buf_deinit) struct sp_buf glob = { 0 };

	// A line that is copied from a source file must match itself.
	for (const char *at = wanted; *at; at++)
		sp_buf_printf(&glob, *at == '[' || *at == '\\' ? "\\%c" : "%c", *at);
	return sp_glob_match(sp_buf_str(&glob), text);
}

const char *pattern_offset(const char *text)
{
	const char *end = text + strcspn(text, "@;"); // a '+' behind these counts lines, or is part of a line
	const char *plus = memrchr(text, '+', (size_t)(end - text)), *digits = plus ? plus + 1 : end;
	bool is_hex = sp_starts_with(digits, "0x");
	size_t n = is_hex ? strspn(digits + 2, "0123456789abcdefABCDEF") : strspn(digits, "0123456789");

	return plus > text && n && n <= 15 && digits + n + (is_hex ? 2 : 0) == end && *end != ';' ? plus : NULL;
}

bool pattern_parse(struct point_env *env, const struct ast_point_part *part, struct pattern *ret)
{
	char *text = sp_arena_strdup(env->arena, part->arg->string.text);
	char *source = find_text(text), *at, *lines;

	*ret = (struct pattern){ .name = text };
	if (source) {
		*source = '\0';
		ret->kind = PATTERN_TEXT;
		ret->text = source + 1;
	}
	at = strchr(text, '@');
	if (!*text || at == text) {
		diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "the name of the function is missing");
		return false;
	}
	if (source && !ret->text[strspn(ret->text, " \t")]) {
		diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "the text of the line is missing");
		return false;
	}
	if (!source && (lines = (char *)pattern_offset(text))) {
		ret->kind = PATTERN_OFFSET;
		ret->offset = strtoull(lines + 1, NULL, sp_starts_with(lines + 1, "0x") ? 16 : 10);
		*lines = '\0';
	}
	if (!at)
		return true;
	*at++ = '\0';
	if (source) {
		ret->file = at;
		return true;
	}
	// A '+' can be a part of a file's name: it is a line when digits are all that follows.
	lines = strrchr(at, ':');
	if (!lines && (lines = strrchr(at, '+')) && (!lines[1] || lines[1 + strspn(lines + 1, "0123456789-,")]))
		lines = NULL;
	ret->file = lines == at ? NULL : at;
	if (!lines)
		return true;
	if (ret->kind == PATTERN_OFFSET) {
		diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "the place is told by bytes or by lines, not by both");
		return false;
	}
	ret->kind = *lines == '+' ? PATTERN_RELATIVE : PATTERN_LINES;
	*lines++ = '\0';
	if (ret->kind == PATTERN_LINES && sp_streq(lines, "*")) {
		ret->kind = PATTERN_ALL_LINES;
		return true;
	}
	if (ret->kind == PATTERN_LINES && *lines == '+') {
		ret->kind = PATTERN_RELATIVE;
		lines++;
	}
	return parse_lines(env, part, lines, ret);
}
