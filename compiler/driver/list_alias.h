// SPDX-License-Identifier: GPL-2.0-or-later
/** -l and -L of probe aliases: those of the library and of the scripts of -E. */
#ifndef SP_DRIVER_LIST_ALIAS_H
#define SP_DRIVER_LIST_ALIAS_H

#include "compiler/driver/session.h"
#include "compiler/front/tapset.h"

/** Called with a line of a listing. Of several for one point the first by `pc` says in which order variables are named. */
typedef void list_fn(void *ctx, const char *point, const char *vars, uint64_t pc);

/** What aliases are looked up in. */
struct alias_env {
	struct spile *spile;
	struct tapset *tapset; // NULL: no library
	struct unit *const *units; // of the user's scripts
	unsigned n_units;
};

/** Calls `found` for each alias that `pattern` matches and that has a place to probe on this target: its name, and with
 *  `vars` " name:type" of each local variable that its body sets and of each $variable, else "". True: there was an alias
 *  of such a name, with a place or without. */
bool list_aliases(const struct alias_env *env, const struct ast_point *pattern, bool vars, list_fn *found, void *ctx);

#endif
