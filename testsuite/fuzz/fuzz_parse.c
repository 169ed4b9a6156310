// SPDX-License-Identifier: GPL-2.0-or-later
// The lexer, preprocessor and parser on any bytes. What must hold: they return, the tree is sound when nothing was reported, its
// dump and its clone can be made, and the number of diagnostics of one file stays readable.
#include "compiler/front/macro.h"
#include "compiler/front/parse.h"
#include "compiler/sema/tree.h"

#include <stdint.h>
#include <stdlib.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void visit(void *ctx, struct ast_expr **place)
{
	struct sp_buf *text = ctx;

	sp_buf_clear(text);
	if ((*place)->kind != AST_BINARY) // long chains would be printed at each level
		ast_print_expr(text, *place);
}

static void use_tree(const struct unit *unit, struct source_map *sources, bool sound)
{
	struct sp_buf dump = { 0 }, text = { 0 };
	struct sp_arena arena = { 0 };

	if (sound)
		check(ast_verify(unit, sources) == NULL);
	ast_dump(&dump, unit, sources);
	for (unsigned i = 0; i < unit->n_probes; i++)
		tree_walk_stmt(ast_clone_stmt(&arena, unit->probes[i]->body), visit, &text);
	sp_arena_deinit(&arena);
	sp_buf_deinit(&dump);
	sp_buf_deinit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const args[] = { "1", "a \"b\"" };
	struct parse_env env = {
		.kernel_release = "6.1.0-1", .arch = "x86_64", .compat = "5.6", .n_args = 2, .args = args, .guru = true,
	};
	struct source_map sources;
	struct sp_buf text = { 0 };
	struct diag_ctx dc;
	struct unit *unit;
	uint32_t file;

	source_map_init(&sources);
	diag_ctx_init(&dc, &sources);
	file = source_add(&sources, "<input>", (const char *)data, size, SOURCE_USER);
	unit = parse_file(&sources, file, &env, &dc);
	check(dc.n_errors <= 70);
	use_tree(unit, &sources, dc.n_errors == 0);
	for (size_t i = 0; i < dc.diags.n; i++) {
		diag_render_text(&dc, dc.diags.v[i], true, &text);
		diag_render_json(&dc, dc.diags.v[i], &text);
	}
	sp_buf_deinit(&text);
	unit_destroy(unit);
	diag_ctx_deinit(&dc);
	source_map_deinit(&sources);
	return 0;
}
