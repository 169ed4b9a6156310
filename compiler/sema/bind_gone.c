// SPDX-License-Identifier: GPL-2.0-or-later
// Points that have the form of an alias of the library, and are none: the kernel's place is gone, or the family has no such member.
#include "compiler/front/habit.h"
#include "compiler/model/similar.h"
#include "compiler/sema/bind.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

static const struct gone {
	const char *points, *since, *instead;
} gone_points[] = {
#define GONE(points, since, instead) { points, since, instead },
#include "compiler/sema/gone.def"
#undef GONE
};

// The names of a point without what is behind them: "vfs.read.return" of `vfs.read.return ? if (on)`.
static const char *name_of(struct bind *b, const struct ast_point *point)
{
	const struct ast_point plain = { .parts = point->parts, .n_parts = point->n_parts };
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	ast_print_point(&text, &plain);
	return sp_arena_strdup(b->arena, sp_buf_str(&text));
}

static const struct gone *find_gone(const char *name)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(gone_points); i++)
		if (sp_glob_match(gone_points[i].points, name))
			return &gone_points[i];
	return NULL;
}

bool bind_may_be_gone(struct bind *b, const struct ast_point *point)
{
	return find_gone(name_of(b, point));
}

bool bind_is_gone(struct bind *b, const struct ast_point *point)
{
	const char *name = name_of(b, point);
	const struct gone *gone = find_gone(name);
	struct diag *d;

	if (gone && !point->optional && !point->sufficient) {
		d = *gone->since ? diag(b->opts->dc, point->span, DIAG_POINT_ABSENT, "Linux has had nothing for %s since %s", name,
					gone->since)
				 : diag(b->opts->dc, point->span, DIAG_POINT_ABSENT, "no Linux since 5.4 has anything for %s", name);
		diag_note(b->opts->dc, d, SPAN_NONE, "%s", gone->instead);
	}
	return gone;
}

bool bind_has_family(struct bind *b, const struct ast_point *point)
{
	struct unit **found;
	unsigned n = b->opts->tapset ? tapset_find_alias(b->opts->tapset, point->parts[0].name, NULL, &found) : 0;
	struct similar similar;
	const char *name = name_of(b, point), *text;
	struct diag *d;

	if (!n)
		return false;
	if (point->optional || point->sufficient)
		return true;
	similar_init(&similar, name);
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < found[i]->n_aliases; j++)
			for (unsigned k = 0; k < found[i]->aliases[j]->names.n; k++)
				similar_try(&similar, name_of(b, found[i]->aliases[j]->names.v[k]));
	d = diag(b->opts->dc, point->span, DIAG_POINT_UNKNOWN, "the library has no probe point '%s'", name);
	text = similar_text(&similar, b->arena);
	if (habit_head(name))
		diag_hint(b->opts->dc, d, "here that is %s", habit_head(name));
	else if (text)
		diag_hint(b->opts->dc, d, "did you mean %s?", text);
	else
		diag_hint(b->opts->dc, d, "spile -l '%s.**' lists those that there are", point->parts[0].name);
	return true;
}
