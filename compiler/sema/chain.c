// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/chain.h"

static const struct site *return_of(const struct program *program, const struct dbg_func *func)
{
	sp_vec_each(handler, &program->handlers)
		sp_vec_each(place, &(*handler)->sites) {
			const struct site *site = *place;

			if (site->is_return && site->exit == EXIT_NONE && site->func && site->func->module == func->module &&
			    site->func->entry_pc == func->entry_pc)
				return site;
		}
	return NULL;
}

// A .return probe of a function hides its caller: the kernel replaces the return address on the stack. Only the innermost
// return address is read before that happens.
static void check_chain(const struct sema_opts *opts, const struct program *program, const struct site *site,
			const struct site_caller *caller)
{
	const struct site *hiding;

	for (; caller; caller = caller->other) {
		if (!caller->outer)
			continue;
		hiding = return_of(program, caller->outer->func);
		if (hiding) {
			struct diag *d = diag(opts->dc, site->origin->span, DIAG_CALLER_HIDDEN,
					      "calls of %s through %s are not seen while the return of %s is probed, too",
					      site->func->name, caller->outer->func->name, caller->outer->func->name);

			diag_note(opts->dc, d, hiding->origin->span, "it is probed here");
			diag_hint(opts->dc, d, "--engine=user sees both, in programs");
			return;
		}
		check_chain(opts, program, site, caller->outer);
	}
}

void chain_check(const struct sema_opts *opts, const struct program *program)
{
	if (opts->env->user_engine_only)
		return;
	sp_vec_each(handler, &program->handlers)
		sp_vec_each(site, &(*handler)->sites)
			check_chain(opts, program, *site, (*site)->callers);
}
