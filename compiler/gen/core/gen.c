// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen.h"

#include "compiler/gen/core/gen_cost.h"
#include "compiler/gen/core/gen_engine.h"
#include "compiler/gen/core/gen_module.h"
#include "compiler/gen/kernel/gen_kernel.h"
#include "compiler/gen/object/object.h"
#include "compiler/gen/object/object_join.h"
#include "compiler/gen/vm/gen_vm.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/parallel.h"
#include "runtime/base/vec.h"

#include <stdatomic.h>

// A module takes some time of its own, less than a handler of eight lines, and functions that several modules call are made in
// each. So what is divided has more than so many instructions, about, which is five such handlers.
#define WORTH_DIVIDING 1500

// Larger modules take more than their share: parts of LLVM go through the whole module for each function.
#define MODULE_SIZE 3000

// What several modules call is made in each: of scripts with hundreds of handlers, most would be that.
#define MAX_MODULES 16

struct bundle {
	const struct plan *plan;
	const struct gen_opts *opts;
	SP_VEC(struct gen_module) modules; // the user engine's, then the kernel's
	size_t n_user; // of the user engine
	uint64_t size; // of all
	atomic_size_t next; // that no thread has taken
};

// ---- modules ------------------------------------------------------------------------------------

// Embedded C has variables that all handlers share, and what recursive functions need of a frame is known when all are made.
static bool is_divisible(const struct plan *plan)
{
	for (size_t i = 0; i < plan->unit->progs.n; i++)
		if (plan->progs[i].embeds || plan->progs[i].recurses)
			return false;
	return true;
}

static uint64_t size_of(const struct bundle *b, const struct gen_engine *engine, size_t prog)
{
	return gen_module_makes(b->plan, b->opts, engine, prog) ? b->plan->progs[prog].size : 0;
}

static uint64_t size_of_all(const struct bundle *b, const struct gen_engine *engine)
{
	uint64_t size = 0;

	for (size_t i = 0; i < b->plan->unit->progs.n; i++)
		size += size_of(b, engine, i);
	return size;
}

// An even number, as processors are: of three modules, which take the same time, two threads would make one alone. The functions that a
// module has for itself, twice where entries and returns differ, come to no more than the handlers.
static uint64_t count_modules(const struct bundle *b, const struct gen_engine *engine, uint64_t whole)
{
	uint64_t n = SP_MIN(SP_ALIGN_UP(whole, 2 * MODULE_SIZE) / MODULE_SIZE, (uint64_t)MAX_MODULES);
	uint64_t most = whole / (engine->has_verifier ? 2 * b->plan->shared_size + 1 : 1);

	if (!is_divisible(b->plan) || whole <= WORTH_DIVIDING)
		return 1;
	return SP_MAX(SP_MIN(n, most) & ~UINT64_C(1), UINT64_C(2));
}

// By the script alone: how many processors there are must not be seen in what is made.
static void divide(struct bundle *b, const struct gen_engine *engine)
{
	struct gen_module module = { .plan = b->plan, .opts = b->opts, .engine = engine };
	uint64_t whole = size_of_all(b, engine), before = 0, made = 1, n = count_modules(b, engine, whole);

	b->size += whole;
	for (uint32_t i = 0; i < b->plan->unit->progs.n; i++) {
		if (before * n >= whole * made && before && before < whole) {
			module.end = i;
			sp_vec_push(&b->modules, module);
			module.first = i;
			made++;
		}
		before += size_of(b, engine, i);
	}
	module.end = (uint32_t)b->plan->unit->progs.n;
	sp_vec_push(&b->modules, module);
}

static void make_modules(void *ctx, unsigned thread SP_UNUSED)
{
	struct bundle *b = ctx;
	size_t i;

	while ((i = atomic_fetch_add(&b->next, 1)) < b->modules.n)
		gen_module_make(&b->modules.v[i]);
}

static bool has_user_code(const struct plan *plan)
{
	for (size_t i = 0; i < plan->unit->progs.n; i++)
		if (plan->progs[i].in_user)
			return true;
	return false;
}

// ---- the whole ----------------------------------------------------------------------------------

// The first error in the order of the script; else the object of an engine's modules.
static struct sp_err *join(struct bundle *b, size_t first, size_t end, struct sp_buf *ret)
{
	sp_cleanup_free struct sp_buf *objects = sp_calloc(end - first + 1, sizeof(*objects));

	for (size_t i = first; i < end; i++) {
		struct gen_module *module = &b->modules.v[i];

		if (module->err)
			return sp_take(module->err);
		if (b->opts->llvm_ir)
			sp_buf_add(b->opts->llvm_ir, module->llvm_ir.data, module->llvm_ir.len);
		objects[i - first] = module->object;
	}
	return end > first ? object_join(objects, end - first, ret) : NULL;
}

static void bundle_deinit(struct bundle *b)
{
	sp_vec_each(module, &b->modules)
		gen_module_deinit(module);
	sp_vec_deinit(&b->modules);
}

struct sp_err *gen_bundle(const struct plan *plan, const struct gen_opts *opts, struct sp_buf *ret)
{
	sp_cleanup(bundle_deinit) struct bundle b = { .plan = plan, .opts = opts };
	sp_cleanup(sp_buf_deinit) struct sp_buf kernel = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf user = { 0 };

	gen_module_init();
	if (has_user_code(plan) && !opts->sample)
		divide(&b, &gen_vm);
	b.n_user = b.modules.n;
	divide(&b, &gen_kernel);
	// A thread for less would take more memory than it saves time.
	sp_parallel((unsigned)SP_MIN(sp_parallel_threads(), b.size / WORTH_DIVIDING + 1), make_modules, &b);
	if (opts->sample)
		return NULL;
	SP_TRY(join(&b, 0, b.n_user, &user));
	SP_TRY(join(&b, b.n_user, b.modules.n, &kernel));
	if (opts->cost)
		SP_TRY(gen_cost(plan, &kernel, &user, opts->cost));
	// Where modules are several, each knows the frame's size from the plan.
	return object_link(plan, sp_vec_last(&b.modules).scratch_size, &kernel, &user, ret);
}
