// SPDX-License-Identifier: GPL-2.0-or-later
/** What the parts of binding share: bind.c (bodies), bind_name.c (declarations), bind_point.c (aliases and probe points). */
#ifndef SP_SEMA_BIND_H
#define SP_SEMA_BIND_H

#include "compiler/sema/sema.h"

#include "runtime/base/hash.h"

/** A declaration of some name, and the next one of the same name. */
struct named {
	struct unit *unit;
	union {
		const struct ast_global *global;
		struct ast_function *function;
	};
	struct named *next;
};

struct embed;

struct bind {
	const struct sema_opts *opts;
	struct program *program;
	bool in_library; // a function of the library: the script's globals are not its names
	struct sp_arena *arena; // the program's
	SP_VEC(struct unit *) units; // the user's, then the library's that are in use
	unsigned n_user_units;
	size_t n_bound; // units whose probes are bound
	struct sp_hash unit_set; // by address
	struct sp_hash global_names, function_names; // of these units -> struct named, in their order
	struct sp_hash globals; // by address of the declaration -> struct global
	struct sp_hash functions; // by address of the declaration -> struct function
	SP_VEC(struct function *) pending; // bodies still to be bound
};

/** A library unit is needed: its declarations can be seen, and its probes run, too. */
void bind_use_unit(struct bind *b, struct unit *unit);
/** The global that a file means by a name; NULL: there is none. Its own come first, then the script's, then the library's. */
struct global *bind_find_global(struct bind *b, const char *name, uint32_t file);
/** The function of that name with that many parameters; *other_ret: one with another number of them. */
struct function *bind_find_function(struct bind *b, const char *name, unsigned n_args, uint32_t file,
				    const struct ast_function **other_ret);
/** The one that `next` in `f` goes on to; NULL: none is left. */
struct function *bind_next_overload(struct bind *b, const struct function *f);
/** Finds the globals that C code names. */
void bind_embed(struct bind *b, struct embed *embed);
/** Declares what a file of the script does, used or not. */
void bind_declare_unit(struct bind *b, struct unit *unit);
/** Binds the names in a handler's composed body. */
void bind_handler(struct bind *b, struct handler *handler);
/** How many of the point's components the alias's name takes; 0: it does not match. What is left goes to the points that
 *  the alias stands for, as in alias.return. */
unsigned bind_match_alias(const struct ast_point *name, const struct ast_point *point);
/** Expands aliases, resolves the points, makes the handlers. */
void bind_probe(struct bind *b, struct ast_probe *probe);

#endif
