// SPDX-License-Identifier: GPL-2.0-or-later
/** The bitcode that clang made of a unit's embedded C, and what each piece of it does. Kept beside the IR, by the number of
 *  the piece. The driver fills it in with the generator's help; plan and gen read it. */
#ifndef SP_IR_EMBEDDED_H
#define SP_IR_EMBEDDED_H

#include "compiler/ir/ir.h"

struct embedded {
	struct sp_arena arena;
	struct sp_buf bitcode; // of all pieces; empty: the unit has none
	bool is_kept; // the script may be loaded into other kernels than the one whose types the code was compiled with
	struct embedded_piece {
		bool formats; // bpf_snprintf is called
		bool is_unbounded; // a loop goes round until something else than a number of rounds ends it
		const char *kernel_helper; // that the VM does not have; NULL: none
		bool is_of_runtime; // it has, but not under the user engine, whose tasks the kernel does not tell it
		struct ir_place helper_place;
		bool has_members; // of the kernel's structures, whose places its loader looks up, and nobody outside of it
		struct ir_place members_place;
	} *pieces; // by index of ir_unit.embeds; NULL: there are none
};

/** Can handlers of the runtime, and rests of handlers, run it? */
static inline bool embedded_runs_outside(const struct embedded_piece *piece)
{
	return !piece->kernel_helper || piece->is_of_runtime;
}

static inline void embedded_deinit(struct embedded *embedded)
{
	sp_buf_deinit(&embedded->bitcode);
	sp_arena_deinit(&embedded->arena);
}

#endif
