// SPDX-License-Identifier: GPL-2.0-or-later
/** Code: IR and its plan to the bytes of a .spo, through LLVM.
 *
 *  The problem. One language runs in the kernel, where the verifier follows each path of each program, and outside of it, in a
 *  machine of our own without such limits. Two code generators would disagree about what a script means.
 *
 *  The idea. The same functions make both: modules of LLVM for the kernel's programs, others for user-side handlers, whose calls of
 *  helpers are calls of the machine. What each engine does in its own way is behind one table (core/gen_engine.h). Each statement
 *  and expression becomes LLVM instructions at once, without a form in between; LLVM's passes are few, because whatever moves or
 *  copies code costs the verifier more than the processor gains. Large scripts are divided among several modules, which are made
 *  at the same time. core/ has functions, frames and failures; value/ and text/ what expressions do; kernel/ and vm/ the two
 *  engines; object/ joins the modules with the tables that the runtime reads.
 *
 *  The invariant. Nothing is decided here (plan.h), so the order of programs means nothing, and neither does the number of threads. A mistake of ours is an error,
 *  SP_ERR_BUG, never a crash: gen_bug() notes it, and generation goes on to the end.
 *
 *  The limits. How much stack a program takes, and how deep its calls nest, is known when LLVM has made machine code: gen_opts.excess
 *  tells of it. */
#ifndef SP_GEN_GEN_H
#define SP_GEN_GEN_H

#include "compiler/plan/plan.h"
#include "runtime/base/err.h"

/** What of a program is more than the kernel has. */
enum gen_excess {
	GEN_FITS,
	GEN_STACK, // bytes of stack
	GEN_FRAMES // functions that call each other
};

struct gen_opts {
	struct sp_buf *cost; // gets what each probe costs (--cost); NULL: not wanted
	struct sp_buf *llvm_ir; // gets the textual LLVM IR after optimisation (--dump=llvm); NULL: not wanted
	uint8_t *excess; // gets, by program, its enum gen_excess; NULL: what is too much is an error
	const bool *sample; // by program: these alone are made, for `excess`; nothing else comes of it, errors neither. NULL: all are
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

/** What the module exports, as a table of functions. It is a module of its own, and the only thing that is linked with LLVM,
 *  because loading LLVM takes longer than listing a function does. */
struct gen_api {
	const char *version; // of spile
	struct sp_err *(*bundle)(const struct plan *plan, const struct gen_opts *opts, struct sp_buf *ret);
	struct sp_err *(*embed_prepare)(const struct ir_unit *unit, struct embedded *embedded,
					const struct gen_refusal *refusal, bool *is_readable_ret);
	unsigned llvm_major;
};

extern const struct gen_api spile_gen;

#endif
