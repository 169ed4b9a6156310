// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/guard.h"

#include "compiler/sema/tree.h"

static const struct c_type truth = { .kind = C_INT, .name = "long", .size = 8, .is_signed = true, .is_complete = true };

// test && outer || other
static struct ast_expr *chain_test(struct sp_arena *arena, const struct site *site, const struct ast_expr *like,
				   const struct site_caller *caller)
{
	struct ast_expr *e = tree_location(arena, like, site, caller->test, "the caller");

	if (caller->outer)
		e = tree_binary(arena, BIN_LAND, e, chain_test(arena, site, like, caller->outer));
	if (caller->other)
		e = tree_binary(arena, BIN_LOR, e, chain_test(arena, site, like, caller->other));
	return e;
}

// A word of the context: a field of the sys_exit record, such as the call's number or result, or an iterator's object.
static struct ast_expr *record_value(struct sp_arena *arena, const struct ast_expr *like, uint32_t offset)
{
	struct ast_expr *e = tree_number(arena, like, 0);
	struct site_value *v = sp_arena_new(arena, struct site_value);

	v->base = SITE_BASE_CTX;
	v->ctx_off = offset;
	v->ctx_size = 8;
	v->base_type = v->type = &truth;
	v->text = "the event";
	e->kind = AST_RESOLVED;
	e->resolved = v;
	return e;
}

// The test for a new task: the number is that of fork, clone or the like, and the result is 0, as it is in the child.
static struct ast_expr *is_new_task(struct sp_arena *arena, const struct ast_expr *like, const struct abi *abi)
{
	struct ast_expr *test = NULL;

	for (unsigned i = 0; i < abi->n_clone_calls; i++) {
		struct ast_expr *is_it = tree_binary(arena, BIN_EQ, record_value(arena, like, 8),
						     tree_number(arena, like, abi->clone_calls[i]));

		test = test ? tree_binary(arena, BIN_LOR, test, is_it) : is_it;
	}
	return tree_binary(arena, BIN_LAND,
			   tree_binary(arena, BIN_EQ, record_value(arena, like, 16), tree_number(arena, like, 0)), test);
}

// The test by which a handler leaves out events at its site, see enum site_guard; NULL: it is for all of them.
static struct ast_expr *event_test(struct sp_arena *arena, const struct site *site, const struct ast_expr *like,
				   const struct abi *abi)
{
	bool is_first = site->guard == GUARD_NEW_PROCESS || site->guard == GUARD_PROCESS;
	bool is_new = site->guard == GUARD_NEW_PROCESS || site->guard == GUARD_NEW_THREAD;
	struct ast_expr *test;

	if (site->guard == GUARD_NONE)
		return NULL;
	if (site->guard == GUARD_OBJECT)
		return tree_binary(arena, BIN_NE, record_value(arena, like, 8), tree_number(arena, like, 0));
	test = tree_binary(arena, is_first ? BIN_EQ : BIN_NE, tree_builtin(arena, like, BUILTIN_PID),
			   tree_builtin(arena, like, BUILTIN_TID));
	return is_new && abi ? tree_binary(arena, BIN_LAND, is_new_task(arena, like, abi), test) : test;
}

struct ast_stmt *guard_body(struct sp_arena *arena, const struct site *site, const struct abi *abi, struct ast_stmt *body)
{
	struct ast_expr like = { .span = site->origin->span, .op_span = site->origin->span };
	struct ast_expr *test = site->callers ? chain_test(arena, site, &like, site->callers) :
						event_test(arena, site, &like, abi);
	struct ast_stmt *leave;

	if (!test)
		return body;
	if (site->callers && site->is_return) {
		struct ast_expr *entry = tree_number(arena, &like, 0);

		entry->kind = AST_ENTRY;
		entry->entry.a = test;
		test = entry;
	}
	leave = tree_stmt(arena, AST_S_NEXT, like.span);
	return tree_block(arena, body->span,
			  (struct ast_stmt *[]){ tree_if(arena, tree_not(arena, test), leave, NULL), body }, 2);
}
