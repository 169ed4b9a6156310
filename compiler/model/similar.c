// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/model/similar.h"

#include "runtime/base/buf.h"

void similar_init(struct similar *similar, const char *want)
{
	size_t len = strlen(want);

	memset(similar, 0, sizeof(*similar));
	similar->want = want;
	// A third of the letters may be wrong; of a short name one, so that 'a' is not near to everything.
	similar->limit = len < 3 ? 1 : (unsigned)SP_MIN(len / 3, (size_t)4);
}

// The kernel renames by underscores: state became __state.
static bool is_same_but_for_underscores(const char *a, const char *b)
{
	return sp_streq(a + strspn(a, "_"), b + strspn(b, "_"));
}

void similar_try(struct similar *similar, const char *name)
{
	unsigned distance, at;

	if (!name)
		return;
	distance = sp_edit_distance(similar->want, name, similar->limit);
	if (is_same_but_for_underscores(similar->want, name))
		distance = 0;
	if (distance > similar->limit || distance >= strlen(name))
		return;
	for (unsigned i = 0; i < similar->n; i++)
		if (sp_streq(similar->best[i].name, name))
			return;
	for (at = similar->n; at > 0 && similar->best[at - 1].distance > distance; at--)
		if (at < SIMILAR_MAX)
			similar->best[at] = similar->best[at - 1];
	if (at == SIMILAR_MAX)
		return;
	similar->best[at].name = name;
	similar->best[at].distance = distance;
	if (similar->n < SIMILAR_MAX)
		similar->n++;
}

const char *similar_text(const struct similar *similar, struct sp_arena *arena)
{
	struct sp_buf text = { 0 };
	const char *ret;

	if (!similar->n)
		return NULL;
	for (unsigned i = 0; i < similar->n; i++)
		sp_buf_printf(&text, "%s'%s'",
			      i == 0		    ? ""
			      : i + 1 == similar->n ? " or "
						    : ", ",
			      similar->best[i].name);
	ret = sp_arena_strdup(arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return ret;
}
