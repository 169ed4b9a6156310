// SPDX-License-Identifier: GPL-2.0-or-later
/** The bitcode that clang made of a unit's embedded C, and what each piece of it does. Kept beside the IR, by the number of
 *  the piece. The driver fills it in with the generator's help; plan and gen read it. */
#ifndef SP_IR_EMBEDDED_H
#define SP_IR_EMBEDDED_H

#include "compiler/ir/ir.h"

struct embedded {
	struct sp_arena arena;
	struct sp_buf bitcode; // of all pieces; empty: the unit has none
	struct embedded_piece {
		bool formats; // bpf_snprintf is called
		bool is_unbounded; // a loop goes round until something else than a number of rounds ends it
		const char *kernel_helper; // that the VM does not have; NULL: none
		struct ir_place helper_place;
	} *pieces; // by index of ir_unit.embeds; NULL: there are none
};

static inline void embedded_deinit(struct embedded *embedded)
{
	sp_buf_deinit(&embedded->bitcode);
	sp_arena_deinit(&embedded->arena);
}

#endif
