// SPDX-License-Identifier: GPL-2.0-or-later
/** Pieces of a script as trees, so that one script can be written in several ways that mean the same, and made smaller.
 *  A node is a form: text in which the bytes 1 to 6 stand for its kids. */
#ifndef META_TREE_H
#define META_TREE_H

#include "runtime/base/arena.h"
#include "runtime/base/buf.h"

enum type { T_NONE, T_LONG, T_STR };

/** Of operators, weakest first. */
enum level {
	L_ANY,
	L_TERNARY,
	L_LOR,
	L_LAND,
	L_OR,
	L_XOR,
	L_AND,
	L_IN,
	L_COMPARE,
	L_SHIFT,
	L_CONCAT,
	L_ADD,
	L_MUL,
	L_UNARY,
	L_POSTFIX,
	L_PRIMARY
};

enum node_kind {
	NODE_FORM,
	NODE_BLOCK, // statements in braces
	NODE_CALL, // of a function, as a value or a statement; kids are arguments
	NODE_PARAM // of a FUNC_EXPR
};

/** How a value is computed, or a statement done, when each step of it is one of its own. */
enum order {
	ORDER_WHOLE, // as it stands: it is one step
	ORDER_KIDS, // its kids from left to right, each once, and then itself
	ORDER_AND,
	ORDER_OR,
	ORDER_CHOICE // the first kid says which of the two others
};

enum { MAX_KIDS = 6, MAX_PARAMS = 3 };

struct node {
	enum node_kind kind;
	enum type type; // T_NONE: a statement
	enum level level; // of the form
	const char *form;
	const char *alt; // means the same; its kids stand in parentheses of their own
	struct node *kid[MAX_KIDS];
	enum level need[MAX_KIDS]; // a weaker kid is put into parentheses
	unsigned id;
	enum order order;
	bool has_place; // the first kid is assigned to, or read when the others are: of it only the keys are computed before
	bool is_step; // while it is printed: a variable has its value

	struct node *first, *last; // NODE_BLOCK
	struct node *next; // in a block
	const struct function *func; // NODE_CALL
	struct node *target; // NODE_CALL, a statement: what gets the result, or NULL
	unsigned param; // NODE_PARAM

	bool is_off; // a statement that is left out
	unsigned global; // of statements that fill and show one: its number, from 1 on
	struct node *instead; // of an expression
};

enum func_kind {
	FUNC_EXPR, // one expression; called with literals and local variables: can stand in the place of a call
	FUNC_LINEAR, // left at its end alone, all local variables assigned: can stand in the place of a statement
	FUNC_FREE // anything: recursion, returns from within loops
};

struct function {
	const char *name;
	enum func_kind kind;
	enum type result; // T_NONE: no value
	unsigned n_params;
	enum type types[MAX_PARAMS];
	const char *params[MAX_PARAMS];
	struct node *body; // NODE_BLOCK; NULL for FUNC_EXPR
	struct node *value; // NULL without a result
	bool is_typed; // types are written in the declaration
	bool is_recursive; // or calls such a function
	uint32_t writes; // globals that a call may change, a bit each
};

/** How a tree is written. */
struct style {
	bool parens; // around every operand
	uint64_t alt; // chooses the nodes that are written in their other form; 0: none
	bool steps; // each value has a variable of its own, which is assigned before it is used, as the language orders it
	bool inlined; // functions stand in the place of their calls where they can
	bool cuts; // but not those that give texts: a short MAXSTRINGLEN cuts what they return, and nothing that is only printed
};

struct tree {
	struct sp_arena *arena;
	unsigned n_nodes;
};

struct node *node_form(struct tree *t, enum type type, const char *form, unsigned n_kids, struct node *const *kids);
/** The same for what has its first kid as a place (node.has_place). */
struct node *node_of_place(struct tree *t, enum type type, const char *form, unsigned n_kids, struct node *const *kids);
/** Text without kids. */
struct node *node_leaf(struct tree *t, enum type type, const char *text);
/** An operator that is left-associative. */
struct node *node_binary(struct tree *t, enum type type, enum level level, const char *op, struct node *a, struct node *b);
/** Kids are operands of `level` and up. */
struct node *node_operator(struct tree *t, enum type type, enum level level, const char *form, unsigned n_kids,
			   struct node *const *kids);
struct node *node_call(struct tree *t, const struct function *f, struct node *const *args);
struct node *node_param(struct tree *t, const struct function *f, unsigned index);
struct node *node_block(struct tree *t);
void block_add(struct node *block, struct node *statement);

void node_print(struct sp_buf *out, struct node *n, const struct style *style, unsigned indent);
void function_print(struct sp_buf *out, const struct function *f, const struct style *style);

#endif
