// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/sema/guard.h"

#include "compiler/sema/calls.h"
#include "compiler/sema/tree.h"

#define MANY_PROCESSES 32768 // that run when the script starts

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

// ---- globals that the runtime sets -----------------------------------------------------------------------------------

static struct global *new_global(struct program *program, const char *name, struct span span)
{
	struct global *g = sp_arena_new(&program->arena, struct global);

	g->name = name;
	g->type = TYPE_LONG;
	g->span = g->type_span = span;
	g->is_synthetic = g->is_private = g->is_read = g->is_written = true;
	g->index = (unsigned)program->globals.n;
	sp_vec_push(&program->globals, g);
	return g;
}

static struct ast_expr *global_value(struct sp_arena *arena, const struct ast_expr *like, struct global *global)
{
	struct ast_expr *e = tree_number(arena, like, 0);

	e->kind = AST_NAME;
	e->name.name = global->name;
	e->name.local = NULL;
	e->name.global = global;
	return e;
}

// ---- pauses ----------------------------------------------------------------------------------------------------------

// What happens at an event, and decides nothing: a security hook that did nothing would permit all.
static bool can_pause(const struct site *site)
{
	if (site->replaces)
		return false;
	switch (site->kind) {
	case SP_SITE_KPROBE: case SP_SITE_KRETPROBE: case SP_SITE_FENTRY: case SP_SITE_FEXIT: case SP_SITE_UPROBE: case SP_SITE_URETPROBE:
	case SP_SITE_RAW_TP: case SP_SITE_TP: case SP_SITE_SYSCALL: case SP_SITE_PERF: case SP_SITE_WATCH: case SP_SITE_BPF:
	case SP_SITE_BPF_RETURN:
		return true;
	case SP_SITE_BEGIN: case SP_SITE_END: case SP_SITE_ERROR: case SP_SITE_TIMER: case SP_SITE_ITER: case SP_SITE_LSM:
	case SP_SITE_CONDITION: case SP_SITE_PROCFS: case SP_SITE_NETFILTER: case SP_SITE_RUNNING: case SP_SITE_SAMPLE:
	case SP_SITE_KIND_COUNT:
		break;
	}
	return false;
}

struct ast_stmt *guard_pause(struct program *program, const struct site *site, struct ast_stmt *body)
{
	struct ast_expr like = { .span = site->origin->span, .op_span = site->origin->span };
	struct sp_arena *arena = &program->arena;
	struct ast_stmt *leave = tree_stmt(arena, AST_S_NEXT, like.span);

	if (!can_pause(site))
		return body;
	if (!program->paused) {
		program->paused = new_global(program, SP_PAUSED_GLOBAL, like.span);
		program->paused->is_given = true;
	}
	leave->loss = AST_LOSS_PAUSED;
	return tree_block(arena, body->span,
			  (struct ast_stmt *[]){ tree_if(arena, global_value(arena, &like, program->paused), leave, NULL), body }, 2);
}

// ---- processes that run already --------------------------------------------------------------------------------------

static void make_globals(struct program *program, struct span span)
{
	enum ast_type *keys = sp_arena_array(&program->arena, enum ast_type, 2);

	program->running = new_global(program, SP_RUNNING_GLOBAL, span);
	program->running->is_given = true;
	program->begun = new_global(program, "begun:", span);
	keys[0] = keys[1] = TYPE_LONG;
	program->begun->is_array = true;
	program->begun->n_keys = 2;
	program->begun->key_types = keys;
	program->begun->size = MANY_PROCESSES;
}

// While the runtime goes through the processes that run already, one that has just begun may be met by it and by the probe. begun[probe,
// pid()] has 1 from the runtime, and 2 from each event: the runtime leaves out what has been told, and the probe the first event
// behind the runtime. !running || !begun[...]++, or !running || (begun[...] += 2) != 3
static struct ast_expr *first_test(struct program *program, const struct ast_expr *like, const struct site *site, unsigned probe)
{
	struct sp_arena *arena = &program->arena;
	struct ast_expr *running, *count = tree_number(arena, like, 0);
	struct ast_expr *keys[] = { tree_number(arena, like, probe), tree_builtin(arena, like, BUILTIN_PID) }, *test;

	if (!program->running)
		make_globals(program, like->span);
	running = global_value(arena, like, program->running);
	if (site->kind == SP_SITE_RUNNING) {
		count->kind = AST_INCDEC;
		count->incdec.target = tree_index(arena, like, program->begun, keys, 2);
		count->incdec.delta = 1;
		count->incdec.is_prefix = false;
		test = tree_not(arena, count);
	} else {
		count->kind = AST_ASSIGN;
		count->assign.kind = ASSIGN_OP;
		count->assign.op = BIN_ADD;
		count->assign.target = tree_index(arena, like, program->begun, keys, 2);
		count->assign.value = tree_number(arena, like, 2);
		test = tree_binary(arena, BIN_NE, count, tree_number(arena, like, 3));
	}
	return tree_binary(arena, BIN_LOR, tree_not(arena, running), test);
}

// What only the process itself can tell, while it runs a handler in the kernel; NULL: nothing of the kind is asked.
static const char *own_word(const struct ast_expr *e)
{
	int builtin = e->kind == AST_CALL && !e->call.function ? e->call.builtin : -1;

	if (e->kind == AST_PERF)
		return "@perf";
	if (builtin == BUILTIN_TASK_CURRENT)
		return "its task_struct";
	if (builtin == BUILTIN_COMPAT_TASK || tree_asks_site(e))
		return e->call.name;
	return NULL;
}

static void find_own_word(void *ctx, struct ast_expr **place)
{
	const char **what = ctx;

	if (!*what)
		*what = own_word(*place);
}

static void find_in_function(void *ctx, struct function *f)
{
	if (f->body)
		tree_walk_stmt(f->body, find_own_word, ctx);
}

const char *guard_needs_task(struct program *program, struct ast_stmt *body)
{
	const char *what = NULL;

	tree_walk_stmt(body, find_own_word, &what);
	calls_each(program, body, find_in_function, &what);
	return what;
}

// ---- the test --------------------------------------------------------------------------------------------------------

struct ast_stmt *guard_body(struct program *program, const struct site *site, const struct abi *abi, unsigned probe,
			    struct ast_stmt *body)
{
	struct sp_arena *arena = &program->arena;
	struct ast_expr like = { .span = site->origin->span, .op_span = site->origin->span };
	struct ast_expr *test = site->callers ? chain_test(arena, site, &like, site->callers) :
						event_test(arena, site, &like, abi);
	struct ast_stmt *leave;

	// A program that a process starts in place of another one is told by the event alone.
	if (site->begins && (site->kind != SP_SITE_TP || site->guard != GUARD_NONE)) {
		struct ast_expr *first = first_test(program, &like, site, probe);

		test = test ? tree_binary(arena, BIN_LAND, test, first) : first;
	}
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
