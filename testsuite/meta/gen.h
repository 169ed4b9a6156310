// SPDX-License-Identifier: GPL-2.0-or-later
/** Between the files that make random trees: the place for which code is made, and what can be named there. */
#ifndef META_GEN_H
#define META_GEN_H

#include "testsuite/meta/script.h"

struct var {
	const char *name;
	enum type type;
	bool is_fixed; // a loop's counter or key: not assigned to
	int param; // of a FUNC_EXPR; -1: none
};

enum { MAX_VARS = 24 };

struct gen {
	struct rng *rng;
	struct tree *tree;
	struct script *script;
	const struct script_wants *wants;

	const struct function *func; // NULL: in a handler
	unsigned n_callable; // of the script's functions
	struct var vars[MAX_VARS];
	unsigned n_vars;
	unsigned nesting; // of blocks
	unsigned loops, tries; // around the place
	unsigned labels; // makes names of loop variables
	uint32_t frozen; // globals that a foreach walks around the place: they are not changed, a bit each
	uint32_t writes; // globals that what has been made so far may change
	uint32_t named; // globals that the script names at all
	bool is_recursive; // what has been made so far calls a recursive function
	unsigned effects; // percent of the values: those that change a variable
	unsigned n_assigned; // how often such a value has been one of a local variable
	bool is_pure; // there are none, and no calls
	bool keeps_locals; // there are none of local variables
	bool is_plain; // only what has no effect, cannot fail and reads nothing that changes
	bool is_focused; // such a value comes in one statement or two alone: all else is the same at each point
	bool has_no_leaves; // of the wanted ones
	bool is_end; // in a probe end: always outside of the kernel
};

// ---- gen_expr.c
struct node *gen_expr(struct gen *g, enum type type, unsigned depth);
struct node *gen_leaf(struct gen *g, enum type type);
/** A value of the program; NULL: there is none here. */
struct node *gen_value(struct gen *g, enum type type);
/** A value between 0 and few, by a condition or a mask: as key, count, position. */
struct node *gen_small(struct gen *g, unsigned depth);
struct node *gen_condition(struct gen *g, unsigned depth);
/** An element of an array, or a scalar. */
struct node *gen_element(struct gen *g, const struct global *a);
/** One that is of the kind and type, T_NONE: any; NULL: there is none. */
const struct global *gen_global(struct gen *g, enum global_kind kind, enum type type);
/** The same for one that is going to be changed. */
const struct global *gen_writable(struct gen *g, enum global_kind kind, enum type type);
/** With arguments; NULL: there is no such function here. */
struct node *gen_call(struct gen *g, enum type result);
/** The same of this function. */
struct node *gen_call_of(struct gen *g, const struct function *f);
/** `text` with the formats of printf(). */
struct node *gen_form(struct gen *g, enum type type, unsigned n_kids, struct node *const *kids, const char *text, ...)
	__attribute__((format(printf, 5, 6)));
/** What stands before =~. */
struct node *gen_matched(struct gen *g, unsigned depth);

// ---- gen_effect.c
enum { FEW_EFFECTS = 3, MANY_EFFECTS = 40 };

/** A value that changes a variable; NULL: not this time. */
struct node *gen_effect(struct gen *g, enum type type, unsigned depth);

// ---- gen_regex.c
/** As it stands between the quotes of a literal. */
const char *gen_pattern(struct gen *g);

// ---- gen_stmt.c
void gen_statements(struct gen *g, struct node *block, unsigned n);
void gen_assign(struct gen *g, struct node *block, const char *name, struct node *value);
struct node *gen_block(struct gen *g, unsigned n);
/** Ten and more of it, one after the other. */
void gen_many_calls(struct gen *g, struct node *block, const struct function *f);

/** A statement that changes a global; NULL: not this time. */
struct node *gen_change(struct gen *g);

/** A local variable that is assigned to; NULL: there is none. */
const struct var *gen_assignable(struct gen *g, enum type type);
/** The name of a new one that is not assigned to: a counter, a key. */
const char *gen_var(struct gen *g, const char *letter, enum type type);

// ---- gen_loop.c
struct node *gen_loop(struct gen *g);

// ---- gen_rare.c
/** What few scripts have. NULL: not here. */
struct node *gen_rare(struct gen *g, enum type type);
struct node *gen_rare_statement(struct gen *g);

// ---- gen_format.c
/** sprintf() as a value, printf() as a statement. */
struct node *gen_format(struct gen *g, enum type type);

// ---- gen_focus.c
/** A statement in which a value of the program stands in one place: in each of them sometimes. NULL: not this time. */
struct node *gen_focus(struct gen *g);

// ---- gen_func.c
/** With script_wants.has_big_function the first is the big one. */
void gen_functions(struct gen *g, unsigned n);

// ---- gen_end.c
/** The probes that fill globals before all others, and show them behind them. */
void gen_globals(struct gen *g);
void gen_setup(struct gen *g);
void gen_end(struct gen *g);

#endif
