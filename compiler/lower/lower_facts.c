// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_facts.h"

#include "compiler/ir/ir_runtime.h"
#include "compiler/model/builtin.h"

bool facts_is_of_moment(uint32_t builtin)
{
	switch (builtin) {
	case BUILTIN_PID: case BUILTIN_TID: case BUILTIN_PPID: case BUILTIN_UID: case BUILTIN_GID: case BUILTIN_EUID:
	case BUILTIN_EGID: case BUILTIN_EXECNAME: case BUILTIN_CPU: case BUILTIN_KTIME_GET_NS: case BUILTIN_JIFFIES:
	case BUILTIN_TASK_CURRENT: case BUILTIN_COMPAT_TASK: case BUILTIN_ADDR: case BUILTIN_UADDR: case BUILTIN_STACK:
	case BUILTIN_USTACK: case BUILTIN_PERF:
		return true;
	}
	return false;
}

uint8_t facts_of_func(struct facts *facts, uint32_t func)
{
	if (!(facts->funcs[func] & FACT_KNOWN)) {
		bool outer = facts->is_func;

		facts->is_func = true;
		facts->funcs[func] = FACT_KNOWN | FACT_STATE; // what a recursion sees: it is not repeated in the kernel
		facts->funcs[func] = FACT_KNOWN | facts_of(facts, facts->unit->funcs.v[func].body);
		facts->is_func = outer;
	}
	return facts->funcs[func] & (uint8_t)~FACT_KNOWN;
}

uint8_t facts_of_builtin(uint32_t builtin)
{
	const struct builtin *info = builtin_info((enum builtin_id)builtin);

	if (builtin == BUILTIN_RAISE)
		return FACT_STATE | FACT_KERNEL;
	if (facts_is_of_moment(builtin)) // the record has what the runtime's machine tells of the task: struct sp_deferred
		return builtin == BUILTIN_PID || builtin == BUILTIN_TID || builtin == BUILTIN_UID || builtin == BUILTIN_GID ||
				       builtin == BUILTIN_CPU || builtin == BUILTIN_EXECNAME || builtin == BUILTIN_KTIME_GET_NS ||
				       builtin == BUILTIN_TASK_CURRENT ? FACT_EVENT : FACT_EVENT | FACT_CONTEXT;
	if (builtin == BUILTIN_MATCHED || builtin == BUILTIN_NGROUPS || builtin == BUILTIN_TOKENIZE)
		return builtin == BUILTIN_TOKENIZE ? FACT_STATE | FACT_RESUMES | FACT_LEAVES : FACT_STATE | FACT_RESUMES;
	return info->has_effect ? FACT_STATE : 0;
}

// What makes the runtime run it; NULL: nothing. The only places that know.
static const char *runtime_expr(const struct ir_unit *unit, const struct ir_expr *e)
{
	if (e->op == IR_CALL && unit->max_nesting > IR_KERNEL_NESTING &&
	    ir_calls_recursion(unit, &(struct ir_stmt){ .op = IR_S_EVAL, .a = (struct ir_expr *)e }))
		return "a function calls itself deeper than the kernel has room for";
	return ir_runtime_expr(unit, e);
}

static const char *runtime_stmt(const struct ir_unit *unit, const struct ir_stmt *s, bool is_func)
{
	if (is_func && ir_recurses_in_walk(unit, s))
		return "a function calls itself within foreach";
	return ir_runtime_stmt(unit, s);
}

static void look_at_expr(void *ctx, const struct ir_expr *e)
{
	struct facts *f = ctx;

	if (runtime_expr(f->unit, e))
		f->here |= FACT_RUNTIME;
	if (e->op == IR_MATCH)
		f->here |= FACT_LEAVES;
	if (e->op == IR_CTX || e->op == IR_REG || ir_is_stack(e))
		f->here |= FACT_CONTEXT;
	else if (ir_reads_memory(e))
		f->here |= e->op == IR_LOAD && e->space == IR_SPACE_TASK ? FACT_CONTEXT : FACT_EVENT;
	else if (e->op == IR_EMBED)
		f->here |= FACT_STATE | FACT_EVENT;
	else if (e->op == IR_BUILTIN)
		f->here |= facts_of_builtin(e->builtin);
	else if (e->op == IR_CALL)
		f->here |= facts_of_func(f, e->func);
	else if (e->op == IR_GLOBAL || e->op == IR_GLOBAL_ADD || e->op == IR_MATCH || (ir_expr_op_has(e->op) & IR_HAS_MAP))
		f->here |= FACT_STATE;
}

static void look_at_stmt(void *ctx, const struct ir_stmt *s)
{
	struct facts *f = ctx;

	if (runtime_stmt(f->unit, s, f->is_func))
		f->here |= FACT_RUNTIME;
	switch (s->op) {
	case IR_S_SET: case IR_S_EVAL: case IR_S_IF: case IR_S_LOOP: case IR_S_BREAK: case IR_S_CONTINUE: case IR_S_RETURN:
	case IR_S_FAIL: case IR_S_TRY:
		return;
	case IR_S_STORE:
		f->here |= FACT_STATE | FACT_KERNEL;
		return;
	case IR_S_GSET: case IR_S_MAP_SET: case IR_S_MAP_DEL: case IR_S_MAP_CLEAR: case IR_S_STAT_ADD: case IR_S_STAT_PRINT:
	case IR_S_EMIT: case IR_S_EXIT: case IR_S_ABORT: case IR_S_FOREACH:
		f->here |= FACT_STATE;
	}
}

uint8_t facts_of(struct facts *facts, const struct ir_stmt *body)
{
	const struct ir_visitor visitor = { .ctx = facts, .expr = look_at_expr, .stmt = look_at_stmt };
	uint8_t outer = facts->here, here;

	facts->here = 0;
	ir_walk_stmts(body, &visitor);
	here = facts->here;
	facts->here = outer;
	return here;
}

uint8_t facts_of_expr(struct facts *facts, const struct ir_expr *e)
{
	const struct ir_visitor visitor = { .ctx = facts, .expr = look_at_expr, .stmt = look_at_stmt };

	facts->here = 0;
	ir_walk_expr(e, &visitor);
	return facts->here;
}

uint8_t facts_of_stmt(struct facts *facts, struct ir_stmt *s)
{
	struct ir_stmt *next = s->next;
	uint8_t here;

	s->next = NULL;
	here = facts_of(facts, s);
	s->next = next;
	return here;
}

// ---- causes ---------------------------------------------------------------------------------------------------------

struct cause_search {
	const struct facts *facts;
	bool *seen; // by function
	bool is_func;
	uint32_t place; // of the statement that is looked at
	struct ir_cause found;
};

static void look_for_stmt(void *ctx, const struct ir_stmt *s);

static void look_for_expr(void *ctx, const struct ir_expr *e)
{
	struct cause_search *c = ctx;
	const struct ir_visitor visitor = { .ctx = c, .expr = look_for_expr, .stmt = look_for_stmt };
	const char *what = c->found.what ? NULL : runtime_expr(c->facts->unit, e);
	bool outer = c->is_func;

	if (what)
		c->found = (struct ir_cause){ what, e->place == IR_NO_PLACE ? c->place : e->place };
	if (c->found.what || e->op != IR_CALL || c->seen[e->func] || !(c->facts->funcs[e->func] & FACT_RUNTIME))
		return;
	c->seen[e->func] = c->is_func = true;
	ir_walk_stmts(c->facts->unit->funcs.v[e->func].body, &visitor);
	c->is_func = outer;
}

static void look_for_stmt(void *ctx, const struct ir_stmt *s)
{
	struct cause_search *c = ctx;
	const char *what = c->found.what ? NULL : runtime_stmt(c->facts->unit, s, c->is_func);

	c->place = s->place == IR_NO_PLACE ? c->place : s->place;
	if (what)
		c->found = (struct ir_cause){ what, c->place };
}

struct ir_cause facts_runtime_cause(const struct facts *facts, const struct ir_stmt *body)
{
	struct cause_search c = { .facts = facts, .seen = sp_calloc(facts->unit->funcs.n + 1, sizeof(*c.seen)), .place = IR_NO_PLACE };
	const struct ir_visitor visitor = { .ctx = &c, .expr = look_for_expr, .stmt = look_for_stmt };

	ir_walk_stmts(body, &visitor);
	free(c.seen);
	return c.found;
}
