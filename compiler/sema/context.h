// SPDX-License-Identifier: GPL-2.0-or-later
/** What the parts of the context pass share: context.c (sites and handlers), path.c (one access path), fold.c (@defined),
 *  entry.c (@entry), hook.c (by which names a hook is chosen), autocast.c (types of pointers that travel through variables). */
#ifndef SP_SEMA_CONTEXT_H
#define SP_SEMA_CONTEXT_H

#include "compiler/sema/sema.h"

#include "runtime/base/hash.h"

/** Where the type of a pointer comes from, and so which memory it points to. */
struct type_home {
	const struct dbg_module *module;
	enum site_space space;
};

struct context {
	const struct sema_opts *opts;
	struct program *program;
	struct sp_arena *arena; // the program's
	struct sp_hash homes; // by address of a c_type -> struct type_home
	struct sp_hash trampolines; // by symbol of a function -> how many sites have one there
	unsigned n_entries; // of how many of the kernel's functions, named one by one, handlers without a condition probe the entry
	unsigned n_entry_arrays; // synthetic arrays are numbered
	bool waits; // a path was PATH_WAITS: autocast has something to do
};

/** What @defined was asked in a body. */
struct asked {
	bool any;
	SP_VEC(struct ast_expr *) found; // what it said 1 to
};

/** What a body is resolved against. */
struct scene {
	struct context *cx;
	struct site *site; // NULL: a function, or a probe without sites
	struct function *function; // NULL: a handler
	bool last_round; // what autocast has not found by now is an error
	struct asked *asked; // while a hook is chosen; else NULL
	struct ast_stmt **body; // fold.c: in which @defined stands; NULL: in a value that is kept from the entry
};

// ---- path.c ----
enum path_result {
	PATH_DONE, // the node is AST_RESOLVED; its children are not resolved. A call is as it was
	PATH_NEEDS_ENTRY, // untouched: the value is there at the entry only
	PATH_WAITS, // untouched: the type of the base is not known yet
	PATH_FAILED, // reported, poisoned
};
/** A @var that names no module or file: it is what `$name` is at the probe, before it is a variable of the module. */
bool path_is_of_probe(const struct ast_expr *e);
/** A @cast, @var or @enum whose module is that of the probe, or a @var of a program, whose place in memory the probe may tell. */
bool path_asks_module(const struct ast_expr *e);
/** Resolves one AST_TARGET, AST_CAST or AST_ATVAR. Of an AST_CALL: whether what it reads in registers is there. */
enum path_result path_resolve(const struct scene *scene, struct ast_expr **place);

// ---- pretty.c ----
/** Makes $$vars, $$parms, $$locals, $$return or $$name an expression of what they stand for. False: reported. */
bool pretty_expand(const struct scene *scene, struct ast_expr **place);
/** The same for all lists in a body. */
void pretty_expand_in(struct scene *scene, struct ast_stmt *body);
/** How a value of `type` is printed by `step`; a bit-field begins at bit_off and has bit_size bits, other values 0. */
const struct pretty *pretty_plan(const struct context *cx, const struct ast_step *step, const struct c_type *type,
				 uint64_t bit_off, uint32_t bit_size);

// ---- result.c ----
/** Makes a call of returnval() at the scene's site the number that the function returns; leaves other calls alone. */
void result_sign(const struct scene *scene, struct ast_expr **place);

// ---- fold.c ----
/** Decides @defined, and leaves out the branches that are dead by it or by constants. */
void fold_stmt(const struct scene *scene, struct ast_stmt **place);
void fold_expr(const struct scene *scene, struct ast_expr **place);

// ---- entry.c ----
struct entry {
	const char *text; // equal texts are stored once
	struct ast_expr *expr; // unresolved, then as the entry site sees it
	struct local *local; // of the handler: holds the value
};

/** The expressions of one handler that are evaluated when the function is entered. */
struct entry_set {
	SP_VEC(struct entry) v;
	const struct site *site; // of the handler
	const struct loc *frame; // not at a return: the frame that they are found by; else NULL
};

/** Arrays that carry values from the entry to the handlers of one probe statement: the same ones at all its sites, so that
 *  sites can share code. Only sites at one place, which are entered and left together, have different ones. Each array is made
 *  when the first handler needs it. */
struct entry_arrays {
	unsigned number; // in their names; 0: none is made yet
	bool many; // functions share them
	struct global *depth[2][2]; // [thread], [thread, frame] -> entries that have not returned; the second of each forgets
	SP_VEC(struct entry_array {
		const char *text; // as struct entry
		struct global *values; // [thread, frame and/or depth] -> value
		struct global *outermost; // [thread] -> value of the call at depth 1, which is not in `values`; NULL: it is
	}) v;
};
void entry_arrays_deinit(struct entry_arrays *arrays);

/** Makes `place` (AST_ENTRY, or a target that needs the entry) a local that holds the value. */
void entry_capture(const struct scene *scene, struct entry_set *set, struct ast_expr **place);
/** Makes the registers of the entry that the location of `value` needs locals that hold them. */
void entry_keep(const struct scene *scene, struct entry_set *set, struct ast_expr *value);
/** At a return in a program: may the function be called again in its own frame, by a chain of tail calls? */
bool entry_may_nest(const struct site *site);
/** Puts what stores and what reads the values into the two handlers. Their locals are appended. */
void entry_weave(struct context *cx, struct entry_arrays *arrays, struct entry_set *set, const struct site *site,
		 const struct site *entry_site, struct handler *entry, struct handler *handler);

// ---- autocast.c ----
/** Carries the types of pointers through assignments, arguments and results; resolves -> and [] on them. */
void autocast_run(struct context *cx);
/** Does the condition have a @defined that cannot be decided before more types are known? */
bool autocast_is_open(const struct ast_expr *e);
/** Type of the pointer that an expression yields; NULL: not known. */
const struct c_type *autocast_type(const struct ast_expr *e);
/** Remembers where a type comes from. */
void autocast_note(struct context *cx, const struct c_type *type, const struct dbg_module *module,
		   enum site_space space);
const struct type_home *autocast_home(const struct context *cx, const struct c_type *type);

// ---- copy.c ----
struct copy {
	struct function *from, *to;
	struct span call; // the first one that is found
	bool at_entry; // of the companion handler at the function's entry
};

/** The functions of one handler, and of its companion at the entry, that depend on the site, themselves or by what they
 *  call. */
struct copy_set {
	SP_VEC(struct copy) v;
};
/** Sets needs_context of every function. */
void copy_mark(struct program *program);
/** Makes calls of such functions, in `body` and in what it calls, calls of copies; @defined is decided in these. What stands
 *  in an @entry is left alone: it is for the other site. */
void copy_calls(const struct scene *scene, struct copy_set *set, struct ast_stmt *body);
/** The same for an expression of the companion; `scene` is that of the entry. */
void copy_entry_calls(const struct scene *scene, struct copy_set *set, struct ast_expr **expr);
/** Makes of the locals `from` that a body names the locals `to`. */
void copy_locals(struct sp_arena *arena, struct local *const *from, size_t n, struct local **to,
		 struct ast_stmt **body);

// ---- hook.c ----
/** The `$names` that a site's hook is chosen by, each once. */
struct hook_names {
	struct sp_arena *arena;
	SP_VEC(const char *) v;
	bool reads_registers; // what the handler calls does so by itself
	bool sets_result; // as in struct point_use
	bool is_return;
};
/** Adds those of a body, and of an expression. What stands in an @entry is read at the entry, and is left out. */
void hook_names_of(struct hook_names *names, struct ast_stmt *body);
void hook_names_of_expr(struct hook_names *names, struct ast_expr **expr);
/** What there is before any hook is chosen. */
void hook_count_entries(struct context *cx, struct handler *const *handlers, size_t n);
/** Frees the names. */
void hook_choose(struct context *cx, struct site *site, struct hook_names *names);

#endif
