// SPDX-License-Identifier: GPL-2.0-or-later
/** IR to the bytes of a .spo, through LLVM. */
#ifndef SP_GEN_GEN_H
#define SP_GEN_GEN_H

#include "compiler/plan/plan.h"
#include "runtime/base/err.h"

struct gen_opts {
	bool optimize; // false with -u
	struct sp_buf *cost; // gets what each probe costs (--cost); NULL: not wanted
	struct sp_buf *llvm_ir; // gets the textual LLVM IR after optimisation (--dump=llvm); NULL: not wanted
	bool *deep; // gets, by program, whether it takes more stack than the kernel has; NULL: that is an error
};

/** Makes the unit's code as planned. `ret` is appended to. Errors: SP_ERR_BUG when LLVM refuses what we made, SP_ERR_SCRIPT when
 *  a handler is too large. */
struct sp_err *gen_bundle(const struct plan *plan, const struct gen_opts *opts, struct sp_buf *ret);

/** Gets what embedded C holds that cannot become BPF. */
struct gen_refusal {
	void (*report)(void *ctx, const char *file, unsigned line, unsigned column, const char *what);
	void *ctx;
};

/** Makes bitcode, which is clang's, ready for gen_bundle: its functions are inlined into the unit's pieces. Notes what is seen
 *  in the pieces. is_readable: this LLVM can read it; newer ones write what it does not know. */
struct sp_err *gen_embed_prepare(const struct ir_unit *unit, struct embedded *embedded, const struct gen_refusal *refusal,
				 bool *is_readable_ret);

/** The code generator is a module of its own, the only thing that is linked with LLVM: loading that takes longer than
 *  listing a function does. This is all that the module exports. */
struct gen_door {
	const char *version; // of spile
	struct sp_err *(*bundle)(const struct plan *plan, const struct gen_opts *opts, struct sp_buf *ret);
	struct sp_err *(*embed_prepare)(const struct ir_unit *unit, struct embedded *embedded,
					const struct gen_refusal *refusal, bool *is_readable_ret);
	unsigned llvm_major;
};

extern const struct gen_door spile_gen;

#endif
