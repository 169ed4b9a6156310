// SPDX-License-Identifier: GPL-2.0-or-later
// A script through all passes up to the plan of its code for a target, without library and without debug
// information. An even number of bytes: for a kernel that can all, an odd one: for one that can nothing.
#include "compiler/front/parse.h"
#include "compiler/plan/plan.h"
#include "compiler/ir/ir.h"
#include "compiler/lower/lower.h"
#include "compiler/sema/sema.h"

#include <stdio.h>
#include <stdlib.h>

static void check(const char *broken)
{
	if (!broken)
		return;
	fprintf(stderr, "%s\n", broken);
	abort();
}

static void lower(struct source_map *sources, struct diag_ctx *dc, const struct target *target,
		  const struct program *program)
{
	struct lower_opts opts = {
		.sources = sources, .dc = dc, .target = target, .script = "<input>", .max_string = 512,
		.max_action = 1000, .max_user_action = 10000, .max_map_entries = 2048, .user_engine = true,
	};
	struct ir_unit *unit = ir_lower(&opts, program);
	struct plan *plan = NULL;
	struct sp_buf dump = { 0 };

	if (!dc->n_errors) {
		ir_number(unit);
		check(ir_verify(unit));
		plan = plan_make(unit, &(struct plan_opts){ 0 }, sources, dc);
	}
	if (plan && !dc->n_errors) {
		check(plan_verify(plan));
		plan_dump(&dump, plan);
	}
	sp_buf_deinit(&dump);
	plan_destroy(plan);
	ir_unit_destroy(unit);
}

static void analyse(struct source_map *sources, struct diag_ctx *dc, struct unit *unit, const struct target *target)
{
	struct dbg *dbg = dbg_create(&(struct dbg_opts){ .kernel = "none", .sysroot = "/nonexistent" });
	struct sp_arena arena = { 0 };
	struct point_env points = { .dbg = dbg, .target = target, .dc = dc, .arena = &arena };
	struct sema_opts opts = {
		.sources = sources, .dc = dc, .env = &points, .max_string = 512, .guru = true,
	};
	struct program *program = sema_bind(&opts, &unit, 1);
	void (*const passes[])(const struct sema_opts *opts, struct program *program) = {
		sema_context, sema_infer, sema_check, sema_prune, sema_size,
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(passes) && !dc->n_errors; i++) {
		check(program_verify(program));
		passes[i](&opts, program);
	}
	if (!dc->n_errors)
		lower(sources, dc, target, program);
	program_destroy(program);
	sp_arena_deinit(&arena);
	dbg_destroy(dbg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parse_env env = { .kernel_release = "6.1.0-1", .arch = "x86_64", .compat = "5.6", .guru = true };
	struct target target = {
		.arch = "x86_64", .release = "6.1.0-1", .cpus = 2, .hz = 250, .features = size % 2 ? 0 : UINT64_MAX,
	};
	struct source_map sources;
	struct diag_ctx dc;
	struct unit *unit;

	source_map_init(&sources);
	diag_ctx_init(&dc, &sources);
	unit = parse_file(&sources, source_add(&sources, "<input>", (const char *)data, size, SOURCE_USER), &env, &dc);
	if (!dc.n_errors)
		analyse(&sources, &dc, unit, &target);
	unit_destroy(unit);
	diag_ctx_deinit(&dc);
	source_map_deinit(&sources);
	return 0;
}
