// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/front/habit.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#define MAX_WORDS 4

struct point_habit {
	const char *kind;
	unsigned n;
	const char *point;
};

#define POINT(kind, n, point)
#define PART(name, instead)
#define NAME(name, instead)
#define FUNCTION(name, instead)
#define HEAD(name, instead)
#define OPERATOR(name, instead)
#define WORD(word, hint)

static const struct point_habit points[] = {
#undef POINT
#define POINT(kind, n, point) { kind, n, point },
#include "compiler/front/habit.def"
#undef POINT
#define POINT(kind, n, point)
};

struct habit {
	const char *name, *instead;
};

static const struct habit parts[] = {
#undef PART
#define PART(name, instead) { name, instead },
#include "compiler/front/habit.def"
#undef PART
#define PART(name, instead)
};

static const struct habit names[] = {
#undef NAME
#define NAME(name, instead) { name, instead },
#include "compiler/front/habit.def"
#undef NAME
#define NAME(name, instead)
};

static const struct habit functions[] = {
#undef FUNCTION
#define FUNCTION(name, instead) { name, instead },
#include "compiler/front/habit.def"
#undef FUNCTION
#define FUNCTION(name, instead)
};

static const struct habit heads[] = {
#undef HEAD
#define HEAD(name, instead) { name, instead },
#include "compiler/front/habit.def"
#undef HEAD
#define HEAD(name, instead)
};

static const struct habit operators[] = {
#undef OPERATOR
#define OPERATOR(name, instead) { name, instead },
#include "compiler/front/habit.def"
#undef OPERATOR
#define OPERATOR(name, instead)
};

static const struct habit words[] = {
#undef WORD
#define WORD(word, hint) { word, hint },
#include "compiler/front/habit.def"
};

static const char *find(const struct habit *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (sp_glob_match(rows[i].name, name))
			return rows[i].instead;
	return NULL;
}

const char *habit_name(const char *name)
{
	return find(names, SP_ARRAY_SIZE(names), name);
}

const char *habit_part(const char *name)
{
	return find(parts, SP_ARRAY_SIZE(parts), name);
}

const char *habit_head(const char *name)
{
	return find(heads, SP_ARRAY_SIZE(heads), name);
}

const char *habit_operator(const char *name)
{
	return find(operators, SP_ARRAY_SIZE(operators), name);
}

const char *habit_word(const char *word)
{
	return find(words, SP_ARRAY_SIZE(words), word);
}

const char *habit_function(const char *name)
{
	return find(functions, SP_ARRAY_SIZE(functions), name);
}

const char *habit_point(struct sp_arena *arena, const char *text)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf ret = { 0 };
	struct { const char *at; int len; } part[MAX_WORDS];
	const struct point_habit *habit = NULL;
	unsigned n = 0;

	for (const char *at = text;; at += part[n - 1].len + 1) {
		if (n == MAX_WORDS)
			return NULL;
		part[n].at = at;
		part[n].len = (int)strcspn(at, ":");
		if (!at[part[n++].len])
			break;
	}
	for (size_t i = 0; i < SP_ARRAY_SIZE(points) && !habit; i++)
		if (strlen(points[i].kind) == (size_t)part[0].len && !strncmp(points[i].kind, text, (size_t)part[0].len) &&
		    points[i].n == n - 1)
			habit = &points[i];
	for (const char *at = habit ? habit->point : ""; *at; at++) {
		unsigned k = *at == '%' ? (unsigned)(*++at - '0') : 0;

		if (k)
			sp_buf_add(&ret, part[k].at, (size_t)part[k].len);
		else
			sp_buf_putc(&ret, *at);
	}
	return habit ? sp_arena_strdup(arena, sp_buf_str(&ret)) : NULL;
}
