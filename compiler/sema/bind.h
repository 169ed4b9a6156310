// SPDX-License-Identifier: GPL-2.0-or-later
/** What the parts of binding share: bind.c (bodies), bind_name.c (declarations), bind_point.c (aliases and probe points),
 *  bind_gone.c (points that the library has not). */
#ifndef SP_SEMA_BIND_H
#define SP_SEMA_BIND_H

#include "compiler/sema/sema.h"

#include "runtime/base/hash.h"

/** Declarations of one name, as a list. */
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
	bool in_library; // the body that is bound is of the library, which does not see the script's globals
	struct sp_arena *arena; // the program's
	SP_VEC(struct unit *) units; // files of the user, then those of the library that are in use
	unsigned n_user_units;
	size_t n_bound; // the probes of the first n_bound units are bound
	struct sp_hash unit_set; // the units, by address
	struct sp_hash global_names, function_names; // a name that the units declare -> struct named, in the order of the units
	struct sp_hash globals; // by address of the declaration -> struct global
	struct sp_hash functions; // by address of the declaration -> struct function
	SP_VEC(struct function *) pending; // bodies still to be bound
	const struct ast_probe *left_out; // the first of the script's probes without a site: all of its points are optional
	unsigned n_left_out;
};

/** Adds a file of the library to the program: its declarations can be seen, and its probes run. */
void bind_use_unit(struct bind *b, struct unit *unit);
/** Is the file one of the library? Code of it, the bodies of its aliases in a handler of the script too, does not mean the
 *  globals of the script. */
bool bind_is_library_file(const struct bind *b, uint32_t file);
/** The global that a file means by a name; NULL: there is none. Its own come first, then the script's, then the library's. */
struct global *bind_find_global(struct bind *b, const char *name, uint32_t file);
/** The function of that name with that many parameters. NULL: none, and *other_ret is one with another number, or NULL. */
struct function *bind_find_function(struct bind *b, const char *name, unsigned n_args, uint32_t file,
				    const struct ast_function **other_ret);
/** The overload that is called when `f` does `next`: the one declared after it. NULL: `f` is the last. */
struct function *bind_next_overload(struct bind *b, const struct function *f);
/** Binds the globals that embedded C names in its pragmas. */
void bind_embed(struct bind *b, struct embed *embed);
/** C that is an expression of a function has the function's parameters as STAP_ARG_x: such C becomes a function of its own, with those
 *  that it names for its parameters. NULL: it names none. */
struct function *bind_embed_function(struct bind *b, const struct function *around, const struct ast_expr *e);
/** Declares the globals and functions of a file of the script. Those of the library are declared when they are used. */
void bind_declare_unit(struct bind *b, struct unit *unit);
/** Binds the names in a handler's body, the bodies of aliases around it included. */
void bind_handler(struct bind *b, struct handler *handler);
/** Makes the handler that tells the runtime whether the probe's condition holds, if that depends on globals alone. */
void bind_condition(struct bind *b, struct handler *handler, const struct ast_expr *condition);
/** The same of $in and the like, in handlers of netfilter's hooks. */
void bind_netfilter(struct bind *b, struct handler *handler);
/** Makes $value, in a handler of files, what it stands for. */
void bind_value(struct bind *b, struct handler *handler);
/** The same of $ip and the like, in handlers of samples. */
void bind_sample(struct bind *b, struct handler *handler);
/** Makes the expression the global of that name which the runtime sets before it calls the handler. */
void bind_given(struct bind *b, struct ast_expr *e, const char *name, enum ast_type type);
/** How many components of the point are the alias's name; 0: it does not match. The rest, as `.return` of
 *  syscall.open.return, is for the points that the alias stands for. */
unsigned bind_match_alias(const struct ast_point *name, const struct ast_point *point);

struct alias_use {
	struct ast_alias *alias;
	const struct ast_point *name; // an alias has several names: the matching one
	unsigned n_parts; // of the point, that are the name
};

struct alias_uses {
	SP_VEC(struct alias_use) v;
};

/** Adds the aliases of a unit that the point names, with wildcards or without; private ones only to points of the same file. */
void bind_add_aliases(struct unit *unit, const struct ast_point *point, struct alias_uses *uses);
/** Is the place of the point gone in kernels of today? Then what its alias stands for need not be there. */
bool bind_may_be_gone(struct bind *b, const struct ast_point *point);
/** Is it a point of SystemTap's library whose place in the kernel is gone? Reports that, unless the point is optional. */
bool bind_is_gone(struct bind *b, const struct ast_point *point);
/** Has the library aliases that begin with the point's first name? Then reports that the point is none of them, unless it is
 *  optional. */
bool bind_has_family(struct bind *b, const struct ast_point *point);
/** Reports that there is no such probe point, and what was probably meant. */
void bind_report_point(struct bind *b, const struct ast_point *point);
/** Reports that there is no such function. */
void bind_report_function(struct bind *b, struct ast_expr *call, bool is_variable);
/** Warns of a local variable that is read and never assigned: most often a misspelled name, or a variable of the program's. */
void bind_warn_unassigned(struct bind *b, const struct handler *handler, const struct function *function, const struct local *local);
/** Hints at the names that are near. */
void bind_hint_similar(struct bind *b, struct diag *d, const struct similar *similar);
/** Tells that optional points are left out, when nothing else is probed. */
void bind_tell_left_out(struct bind *b);
/** Expands aliases, resolves the points, makes the handlers. */
void bind_probe(struct bind *b, struct ast_probe *probe);

#endif
