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

/** Opens the scripts in which aliases are looked up: those of the library and of -E. To be closed after an error, too. `parse`: what
 *  scripts of this session are parsed with. */
struct sp_err *alias_env_open(struct spile *spile, struct parse_env *parse, struct alias_env *ret);
void alias_env_close(struct alias_env *env);

/** Adds each alias that matches the pattern and has a site on this target: its name, and with `vars` " name:type" of each local
 *  variable that its body sets and of each $variable. True: some alias matches, with a site or without. */
bool list_aliases(const struct alias_env *env, const struct ast_point *pattern, bool vars, struct listing *listing);
/** Reports why `probe POINT {}` does not compile. */
void list_report(const struct alias_env *env, const char *point);
/** Adds in the same way each public alias that is called so: `name` is one of its components, or with wildcards matches all of it. */
void list_aliases_named(const struct alias_env *env, const char *name, bool vars, struct listing *listing);

#endif
