// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/driver/given.h"

#include <errno.h>
#include <stdlib.h>

static struct sp_err *set_number(struct ast_expr *init, const char *setting, const char *value)
{
	char *end;

	errno = 0;
	init->kind = AST_NUMBER;
	init->number = *value == '-' ? strtoll(value, &end, 0) : (int64_t)strtoull(value, &end, 0);
	if (errno || end == value || *end)
		return sp_err_new(SP_ERR_USAGE, "-G %s: `%s` is not a number", setting, value);
	return NULL;
}

static struct sp_err *set(struct program *program, const char *setting, uint32_t max_string)
{
	const char *value = strchr(setting, '=') + 1;
	size_t len = (size_t)(value - 1 - setting);
	struct ast_expr *init;

	sp_vec_each(place, &program->globals) {
		struct global *g = *place;

		if (g->is_synthetic || !sp_is_word(setting, len, g->name))
			continue;
		if (g->is_array || g->type == TYPE_STATS)
			return sp_err_new(SP_ERR_USAGE, "-G %s: `%s` is an array, and only scalars can be given a value",
					  setting, g->name);
		init = g->init = sp_arena_new(&program->arena, struct ast_expr);
		init->span = init->op_span = g->span;
		init->type = g->type;
		if (g->type != TYPE_STRING)
			return set_number(init, setting, value);
		if (strlen(value) >= max_string)
			return sp_err_new(SP_ERR_USAGE, "-G %s: the string has more than %u bytes", setting, max_string - 1);
		init->kind = AST_STRING;
		init->string.text = sp_arena_strdup(&program->arena, value);
		init->string.len = (uint32_t)strlen(value);
		return NULL;
	}
	// One that nothing uses, perhaps for this kernel or these arguments, takes any value.
	sp_vec_each(name, &program->left_out)
		if (sp_is_word(setting, len, *name))
			return NULL;
	return sp_err_new(SP_ERR_USAGE, "-G %s: the script has no global variable of that name", setting);
}

struct sp_err *given_apply(struct program *program, const char *const *settings, uint32_t max_string)
{
	for (; settings && *settings; settings++)
		SP_TRY(set(program, *settings, max_string));
	return NULL;
}
