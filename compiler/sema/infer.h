// SPDX-License-Identifier: GPL-2.0-or-later
/** What the parts of type inference share: infer.c goes over the program until nothing changes, infer_expr.c and
    infer_stmt.c say what each node is and asks for, infer_conflict.c reports what does not fit. */
#ifndef SP_SEMA_INFER_H
#define SP_SEMA_INFER_H

#include "compiler/sema/sema.h"

/** One run of the pass. */
struct infer {
	const struct sema_opts *opts;
	struct program *program;
	struct function *function; // whose body is looked at; NULL: a handler
	struct span *shape_spans; // by global: where it was first indexed
	bool changed;
};

/** What a place asks of an expression, and why. */
struct need {
	enum ast_type type;
	enum {
		NEED_NOTHING,
		NEED_OPERATOR,
		NEED_VARIABLE,
		NEED_ARGUMENT,
		NEED_FORMAT,
		NEED_KEY,
		NEED_RESULT,
		NEED_CONDITION
	} why;
	const struct ast_expr *by; // operator, variable, call
	unsigned number; // of the argument or key, from 1
	char conversion; // NEED_FORMAT
	const struct global *array; // NEED_KEY
};

/** A variable, array, parameter or result: what has a type that is found. */
struct slot {
	enum ast_type *type;
	struct span *span; // what decided
	const char *name;
	bool is_element, is_result;
};

/** The slot that `e` names; without a type when it names none. */
struct slot infer_slot(const struct ast_expr *e);
/** Reports that `e` is of type `is` where `need` asks for another one, with the places that decided. */
void infer_conflict(struct infer *t, const struct ast_expr *e, enum ast_type is, struct need need);

/** The type of an expression, as far as it is known; what has none yet takes the one that is needed. */
enum ast_type infer_expr(struct infer *t, struct ast_expr *e, struct need need);
/** The same for an expression whose value is used: printing and functions without a result have none. */
enum ast_type infer_value(struct infer *t, struct ast_expr *e, struct need need);
/** The variable, element or result `e` against what is needed of it. */
enum ast_type infer_settle_slot(struct infer *t, struct ast_expr *e, struct need need);
/** The keys by which an array is indexed. */
void infer_keys(struct infer *t, struct global *g, struct ast_list *keys);
/** A statement and all within it; a visitor of trees, whose `ctx` is the struct infer. */
void infer_stmt(void *ctx, struct ast_stmt **place);

#endif
