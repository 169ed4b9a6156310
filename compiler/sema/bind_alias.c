// SPDX-License-Identifier: GPL-2.0-or-later
// Which aliases a point names. A library has thousands of them, each of which may name others: without wildcards they are found by an
// index of the names that their parts make up.
#include "compiler/sema/bind.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"

static bool same_arg(const struct ast_expr *a, const struct ast_expr *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind)
		return false;
	if (a->kind == AST_NUMBER)
		return a->number == b->number;
	return a->kind == AST_STRING && sp_streq(a->string.text, b->string.text);
}

unsigned bind_match_alias(const struct ast_point *name, const struct ast_point *point)
{
	for (unsigned i = 0; i < name->n_parts; i++) {
		if (i == point->n_parts)
			return 0;
		if (sp_streq(point->parts[i].name, "**") && i + 1 == point->n_parts)
			return point->n_parts;
		if (!sp_glob_match(point->parts[i].name, name->parts[i].name) ||
		    !same_arg(point->parts[i].arg, name->parts[i].arg))
			return 0;
	}
	return name->n_parts;
}

static void add_part(struct sp_buf *text, const char *part)
{
	if (text->len)
		sp_buf_putc(text, '.');
	sp_buf_puts(text, part);
}

static unsigned count_names(const struct unit *unit)
{
	unsigned n = 0;

	for (unsigned i = 0; i < unit->n_aliases; i++)
		n += (unsigned)unit->aliases[i]->names.n;
	return n;
}

// Backwards, as the index gives what was added last first.
static void make_index(struct unit *unit)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	unsigned n = count_names(unit);

	unit->alias_names = sp_arena_array(&unit->arena, struct ast_alias_name, n + 1);
	name_index_init(&unit->alias_index, n);
	for (unsigned i = unit->n_aliases; i--;)
		for (size_t k = unit->aliases[i]->names.n; k--;) {
			const struct ast_point *name = unit->aliases[i]->names.v[k];

			unit->alias_names[--n] = (struct ast_alias_name){ unit->aliases[i], name };
			sp_buf_clear(&text);
			for (unsigned j = 0; j < name->n_parts; j++)
				add_part(&text, name->parts[j].name);
			name_index_add(&unit->alias_index, n, text.data, text.len);
		}
}

static void add_use(const struct unit *unit, const struct ast_alias_name *is, const struct ast_point *point, struct alias_uses *uses)
{
	unsigned n = is->alias->is_private && unit->file != point->span.file ? 0 : bind_match_alias(is->name, point);

	if (n)
		sp_vec_push(&uses->v, ((struct alias_use){ is->alias, is->name, n }));
}

static void add_matching(const struct unit *unit, const struct ast_point *point, struct alias_uses *uses)
{
	for (unsigned i = 0; i < unit->n_aliases; i++)
		for (size_t k = 0; k < unit->aliases[i]->names.n; k++)
			add_use(unit, &(struct ast_alias_name){ unit->aliases[i], unit->aliases[i]->names.v[k] }, point, uses);
}

static void add_named(struct unit *unit, const struct ast_point *point, struct alias_uses *uses)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };

	if (!unit->alias_names)
		make_index(unit);
	for (unsigned n = 1; n <= point->n_parts; n++) {
		add_part(&text, point->parts[n - 1].name);
		for (uint32_t i = name_index_first(&unit->alias_index, text.data, text.len); i != NAME_INDEX_END;
		     i = name_index_next(&unit->alias_index, i))
			if (unit->alias_names[i].name->n_parts == n) // another name may have the same place in the index
				add_use(unit, &unit->alias_names[i], point, uses);
	}
}

void bind_add_aliases(struct unit *unit, const struct ast_point *point, struct alias_uses *uses)
{
	bool has_glob = false;

	for (unsigned i = 0; i < point->n_parts; i++)
		has_glob |= sp_has_glob(point->parts[i].name);
	if (has_glob)
		add_matching(unit, point, uses);
	else
		add_named(unit, point, uses);
}
