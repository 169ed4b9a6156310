// SPDX-License-Identifier: GPL-2.0-or-later
/** Walking and making trees. A target variable that is resolved has expressions in it, as $i in $a[$i]: these walks go into them,
 *  those of front/ast.h do not. */
#ifndef SP_SEMA_TREE_H
#define SP_SEMA_TREE_H

#include "compiler/model/builtin.h"
#include "compiler/sema/program.h"

/** Calls `fn` for the expressions that `e` is made of, those of a resolved target variable included. */
void tree_expr_children(struct ast_expr *e, ast_expr_fn fn, void *ctx);

/** The same for every expression below, children first. */
void tree_walk_expr(struct ast_expr **place, ast_expr_fn fn, void *ctx);
void tree_walk_stmt(struct ast_stmt *s, ast_expr_fn fn, void *ctx);

/** Adds the text of an expression with bound names, and which globals and functions they are: private ones of two files may have one
 *  name. Equal keys are equal expressions. */
void tree_print_key(struct sp_buf *out, struct ast_expr *e);

// The makers of nodes: each is allocated in `arena`, has its type and its declaration, and the source place of `like`, which
// is never NULL.

struct ast_expr *tree_number(struct sp_arena *arena, const struct ast_expr *like, int64_t value);
/** A number at a location of the site's function; `text` names it in run-time errors. */
struct ast_expr *tree_location(struct sp_arena *arena, const struct ast_expr *like, const struct site *site,
			       const struct loc *loc, const char *text);
struct ast_expr *tree_string(struct sp_arena *arena, const struct ast_expr *like, const char *text);
struct ast_expr *tree_local(struct sp_arena *arena, const struct ast_expr *like, struct local *local);
struct ast_expr *tree_index(struct sp_arena *arena, const struct ast_expr *like,
			    struct global *array, struct ast_expr *const *keys, unsigned n_keys);
struct ast_expr *tree_in(struct sp_arena *arena, const struct ast_expr *like, struct global *array,
			 struct ast_expr *const *keys, unsigned n_keys);
struct ast_expr *tree_builtin(struct sp_arena *arena, const struct ast_expr *like, int builtin);
/** A `$name`, without steps. */
struct ast_expr *tree_variable(struct sp_arena *arena, const struct ast_expr *like, const char *name);
/** `$x` with the steps of `atvar`, which is @var("x"). */
struct ast_expr *tree_target(struct sp_arena *arena, const struct ast_expr *atvar);
struct ast_expr *tree_binary(struct sp_arena *arena, enum ast_binary_op op, struct ast_expr *a,
			     struct ast_expr *b);
struct ast_expr *tree_not(struct sp_arena *arena, struct ast_expr *a);
struct ast_expr *tree_assign(struct sp_arena *arena, struct ast_expr *target, struct ast_expr *value);

/** Is it a call of a builtin that gives something else at each site? */
bool tree_asks_site(const struct ast_expr *e);
/** The builtin that the expression calls; NULL: none. */
const struct builtin *tree_builtin_of(const struct ast_expr *e);
/** usymname(ADDRESS) and the like: only the runtime knows the text, which is the same later. */
bool tree_names_address(const struct ast_expr *e);
/** Is it a call of one that needs a hook with registers? addr() needs one in .return probes only. */
bool tree_reads_registers(const struct ast_expr *e, bool is_return);
/** Is it @kderef or @uderef? @kregister or @uregister? */
bool tree_is_deref(const struct ast_expr *e);
bool tree_is_register(const struct ast_expr *e);

struct ast_stmt *tree_stmt(struct sp_arena *arena, enum ast_stmt_kind kind, struct span span);
struct ast_stmt *tree_expr_stmt(struct sp_arena *arena, struct ast_expr *e);
/** A local variable of the compiler's own; the caller puts it among the handler's. */
struct local *tree_new_local(struct sp_arena *arena, const char *name, struct span span);
/** Sets `local` to what stands for the thread that runs: tid(), or -1 - cpu() of the idle threads, each of which has 0. */
struct ast_stmt *tree_set_thread(struct sp_arena *arena, const struct ast_expr *like, struct local *local);
struct ast_stmt *tree_delete(struct sp_arena *arena, struct ast_expr *e);
struct ast_stmt *tree_if(struct sp_arena *arena, struct ast_expr *cond, struct ast_stmt *then,
			 struct ast_stmt *otherwise);
struct ast_stmt *tree_block(struct sp_arena *arena, struct span span, struct ast_stmt *const *v,
			    unsigned n);

#endif
