// SPDX-License-Identifier: GPL-2.0-or-later
/** From the typed program (sema/program.h) to IR (ir/ir.h).
 *
 *  The problem: a script has expressions with effects, aliases of strings, members behind pointers that fault, and texts
 *  made of whole structures. The IR has none of that: its expressions have no effects, and its loads are explicit.
 *
 *  The idea: a handler is lowered at each of its sites alone, as if there were no other. Parts with effects become
 *  statements before the expression, with temporaries: `a[i++] = f(x)` is `t = i; i = t + 1; u = f(x); a[t] = u`. A
 *  location and its steps become loads and additions (lower_loc.c). Then lower/merge.c compares the IR of the probe's sites
 *  (ir/ir_equal.h), and sites with equal IR share one program: a wildcard of thousands of functions loads as one.
 *
 *  The invariant: lowering asks debug information nothing, and refuses nothing about variables. Sema has found the types and
 *  locations and decided what can be read; a variable that cannot be lowered is an internal error (lower_bug). Nothing
 *  changes the IR afterwards: plan/ records its decisions beside it.
 *
 *  The limits: no optimisation across statements. Each site is lowered before merging, so the time grows with the
 *  number of sites, but a site whose IR is already known leaves only its entry in the table of sites. */
#ifndef SP_LOWER_H
#define SP_LOWER_H

#include "compiler/ir/ir.h"
#include "compiler/sema/program.h"

struct lower_opts {
	struct source_map *sources;
	struct diag_ctx *dc;
	const struct target *target;
	const char *script; // its name, for the bundle
	uint32_t max_string, max_action, max_errors, max_map_entries; // 512, 1000, 0, 2048 unless -D says otherwise
	uint32_t max_nesting; // 0: as the script needs
	uint32_t max_trylock, trylock_delay; // how often a handler tries to get a lock, and us from try to try
	int32_t hist_elision; // 2 unless -D HIST_ELISION says otherwise
	uint32_t max_user_action; // 10 * max_action unless -D MAXACTION_INTERRUPTIBLE says otherwise
	bool user_engine; // process() handlers are also compiled for the VM
	bool portable; // the result may be loaded into other kernels
	bool hide_unread; // globals that nothing reads are not printed at the end
	bool plain_unread; // they are displayed as SystemTap does
	bool hex_unread; // their numbers are printed in hexadecimal, as SystemTap does; else those of pointers alone
	bool json; // what is printed tells who prints, and what the values are called
	bool empty_fails; // to print what an empty aggregate has no value for is an error, as SystemTap's
	bool faults_are_zero; // what cannot be read when the script runs is 0, and no error
	const char *const *outside; // by program: why all of it that is large has to run outside of the kernel, a clause; NULL: it need not
	size_t n_outside; // programs that `outside` tells of
	const bool *unbounded; // by piece of embedded C: it has a loop that the runtime's machine has to run; NULL: none has
	bool user_only; // --engine=user: those handlers are not compiled for the kernel
};

/** Never NULL; after errors (dc) it must not go on. Keeps nothing of `program`. */
struct ir_unit *ir_lower(const struct lower_opts *opts, const struct program *program);

#endif
