// SPDX-License-Identifier: GPL-2.0-or-later
/** The pass table: what a compilation does, in order.
 *
 *  The problem. A compilation is a dozen transformations. A fault in one shows in another, and a test of the whole says little
 *  about either.
 *
 *  The idea. Each transformation is a row of a table: it reads what the rows before it left in struct pass_state, and adds one
 *  result. The driver can stop behind any row, print its result (--dump=PASS, --stop-after=PASS), and have it verified
 *  (--verify-passes). The dumps are the goldens of the tests.
 *
 *  The invariants. A pass keeps nothing between runs, and nothing in the session; its result is complete when it returns. After
 *  sema nothing asks debug information, after lower nothing reads the tree.
 *
 *  The limits. Passes run one after the other, in one thread; only a listing of a whole kernel (list_whole.h) uses more. */
#ifndef SP_DRIVER_PASSES_H
#define SP_DRIVER_PASSES_H

#include "compiler/driver/session.h"
#include "compiler/front/tapset.h"
#include "compiler/ir/embedded.h"
#include "compiler/plan/plan.h"
#include "compiler/sema/sema.h"

struct pass_state {
	struct parse_env env;
	struct tapset *tapset; // NULL: no library
	SP_VEC(struct unit *) units; // the user's script and those of -E
	struct point_env points;
	struct sema_opts sema;
	struct program *program;
	struct ir_unit *ir; // not changed after the pass lower
	struct embedded embedded; // the embedded C of `ir`, compiled
	struct plan *plan; // how code is made of `ir`
	bool *stackless; // by program: it keeps nothing of its own on the stack; NULL: none is so
	bool *texts_in_place; // by program: it has no functions for its texts; NULL: all have
	const char **outside; // by program: why it is made outside of the kernel (lower_opts); NULL: none is
	size_t n_outside; // that it has room for
	bool *unbounded; // by piece of embedded C: a loop of it is run outside of the kernel; NULL: none is
	struct sp_buf embedded_text; // C text of embedded code, when it is dumped
	struct sp_buf cost; // text for --cost
	struct sp_buf llvm; // text of the LLVM IR, when it is dumped
};

struct pass {
	const char *name;
	int phase; // SystemTap's number: 1 parse, 2 elaborate, 3 translate, 4 compile
	const char *what; // what the dump shows
	struct sp_err *(*run)(struct spile *spile, struct pass_state *state);
	void (*dump)(const struct spile *spile, const struct pass_state *state, struct sp_buf *out);
	const char *(*verify)(const struct spile *spile, const struct pass_state *state); // NULL: nothing to check
};

/** Ends with a NULL name. */
extern const struct pass passes[];

/** All passes up to opts.stop_after. Returns the exit status. */
int passes_run(struct spile *spile);

#endif
