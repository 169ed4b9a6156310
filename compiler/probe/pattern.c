// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/probe/pattern.h"

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
	SP_VEC(struct dbg_lines) lines = { 0 };
	const char *at = text;
	bool ok;

	do {
		struct dbg_lines range;
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

bool pattern_parse(struct point_env *env, const struct ast_point_part *part, struct pattern *ret)
{
	char *text = sp_arena_strdup(env->arena, part->arg->string.text);
	char *at = strchr(text, '@'), *lines;

	*ret = (struct pattern){ .name = text };
	if (!*text || at == text) {
		diag(env->dc, part->arg->span, DIAG_POINT_VALUE, "the name of the function is missing");
		return false;
	}
	if (!at)
		return true;
	*at++ = '\0';
	// A '+' can be a part of a file's name: it is a line when digits are all that follows.
	lines = strrchr(at, ':');
	if (!lines && (lines = strrchr(at, '+')) && (!lines[1] || lines[1 + strspn(lines + 1, "0123456789-,")]))
		lines = NULL;
	ret->file = lines == at ? NULL : at;
	if (!lines)
		return true;
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
