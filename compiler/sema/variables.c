// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/variables.h"

#include "compiler/sema/dump.h"
#include "compiler/sema/tree.h"

#include <inttypes.h>

struct variables {
	struct source_map *sources;
	SP_VEC(char *) lines;
};

static void put_type(struct sp_buf *out, const struct c_type *type)
{
	const struct c_type *plain = c_type_strip(type);

	c_type_print(out, type);
	if (type && plain && type->kind == C_TYPEDEF) {
		sp_buf_puts(out, " = ");
		c_type_print(out, plain);
	}
	if (plain && plain->size)
		sp_buf_printf(out, ", %" PRIu64 " bytes", plain->size);
}

static void note(void *ctx, struct ast_expr **place)
{
	struct variables *variables = ctx;
	const struct site_value *v = (*place)->kind == AST_RESOLVED ? (*place)->resolved : NULL;
	struct source_place at;
	struct sp_buf line = { 0 };

	if (!v || !v->text || v->is_absent)
		return;
	at = source_place(variables->sources, (*place)->span);
	sp_buf_printf(&line, "%s:%" PRIu32 ":%" PRIu32 "\t%s\t", at.file, at.line, at.column, v->text);
	put_type(&line, v->type);
	sp_buf_putc(&line, '\t');
	dump_value_place(&line, v);
	sp_buf_putc(&line, '\n');
	sp_vec_push(&variables->lines, sp_buf_take(&line));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void variables_print(struct sp_buf *out, const struct program *program, struct source_map *sources)
{
	struct variables variables = { .sources = sources };

	sp_vec_each(handler, &program->handlers)
		tree_walk_stmt((*handler)->body, note, &variables);
	sp_vec_each(function, &program->functions)
		tree_walk_stmt((*function)->body, note, &variables);
	if (variables.lines.n)
		qsort(variables.lines.v, variables.lines.n, sizeof(*variables.lines.v), compare);
	for (size_t i = 0; i < variables.lines.n; i++)
		if (!i || !sp_streq(variables.lines.v[i], variables.lines.v[i - 1]))
			sp_buf_puts(out, variables.lines.v[i]);
	sp_vec_each(line, &variables.lines)
		free(*line);
	sp_vec_deinit(&variables.lines);
}
