// SPDX-License-Identifier: GPL-2.0-or-later
/** A module of LLVM: some of an engine's handlers, from their IR to an object.
 *
 *  The invariant. A module has a context of LLVM and memory of its own, so that several can be made at the same time, each in a
 *  thread; and it defines all that its code uses, as if there were no other (object_join.h). */
#ifndef SP_GEN_GEN_MODULE_H
#define SP_GEN_GEN_MODULE_H

#include "compiler/gen/core/gen.h"
#include "compiler/gen/core/gen_engine.h"
#include "runtime/base/buf.h"

struct gen_module {
	const struct plan *plan;
	const struct gen_opts *opts;
	const struct gen_engine *engine;
	uint32_t first, end; // programs, those among them that the engine runs. What the runtime looks for is where `first` is 0
	// What is made:
	struct sp_buf object; // ELF
	struct sp_buf llvm_ir; // when it is wanted
	uint32_t scratch_size; // of a frame
	struct sp_err *err;
};

/** Is the program one of those that are made? */
static inline bool gen_module_makes(const struct plan *plan, const struct gen_opts *opts, const struct gen_engine *engine, size_t prog)
{
	return engine->runs(&plan->progs[prog]) && (!opts->sample || opts->sample[prog]);
}

/** Makes LLVM ready, once before all modules; again does no harm. */
void gen_module_init(void);

void gen_module_make(struct gen_module *module);
void gen_module_deinit(struct gen_module *module);

#endif
