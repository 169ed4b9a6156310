// SPDX-License-Identifier: GPL-2.0-or-later
/** -l and -L of probe aliases: those of the library and of the scripts of -E. */
#ifndef SP_DRIVER_LIST_ALIAS_H
#define SP_DRIVER_LIST_ALIAS_H

#include "compiler/driver/listing.h"
#include "compiler/driver/session.h"
#include "compiler/front/tapset.h"

/** Where aliases are looked up. */
struct alias_env {
	struct spile *spile;
	struct tapset *tapset; // NULL: no library
	struct unit *const *units; // of the user's scripts
	unsigned n_units;
};

/** Adds each alias that matches the pattern and has a site on this target: its name, and with `vars` " name:type" of each local
 *  variable that its body sets and of each $variable. True: some alias matches, with a site or without. */
bool list_aliases(const struct alias_env *env, const struct ast_point *pattern, bool vars, struct listing *listing);

#endif
