// SPDX-License-Identifier: GPL-2.0-or-later
// Slots: random programs over strings are run twice, by value and over the areas that are planned, as plan.h says that code is
// generated. Where two values that are alive together overlap, the results differ.
#include "compiler/plan/plan.h"

#include "expect.h"

#define CAP 32
#define N_LOCALS 3
#define N_GLOBALS 2

struct text {
	char s[CAP];
};

struct machine {
	const struct ir_unit *unit;
	const struct plan *plan;
	struct text locals[64], globals[N_GLOBALS]; // by value
	bool in_areas; // ... or here
	uint8_t stack[4096], scratch[65536];
	const struct ir_func *func; // whose locals are meant; NULL: the program's
	const struct plan_frame *frame;
	uint32_t stack_base, scratch_base;
	const char *params[4];
	struct sp_buf out;
	struct sp_arena *values; // each computed text has its own memory when run by value
};

static const char *eval(struct machine *m, const struct ir_expr *e, char *dst);
static void run(struct machine *m, const struct ir_stmt *s, char *result);

static char *slot(struct machine *m, const struct plan_slot *s)
{
	if (s->kind == PLAN_SLOT_NONE)
		return NULL;
	return (char *)(s->kind == PLAN_SLOT_STACK ? m->stack + m->stack_base : m->scratch + m->scratch_base) + s->offset;
}

static const struct plan_slot *slot_of(const struct machine *m, const struct ir_expr *e)
{
	return &m->plan->layouts[0].exprs[e->id].result;
}

// Is it computed where its consumer keeps it?
static bool is_in_place(const struct machine *m, const struct ir_expr *e)
{
	return ir_is_computed(e) && slot_of(m, e)->kind == PLAN_SLOT_NONE;
}

static char *local(struct machine *m, uint32_t index)
{
	if (m->func && index < m->func->n_params)
		return (char *)m->params[index];
	return m->in_areas ? slot(m, &m->frame->locals[index])
			   : m->locals[index + (m->func ? 32 : 0)].s;
}

static void copy(char *dst, const char *src)
{
	size_t len = strnlen(src, CAP - 1);

	memmove(dst, src, len);
	memset(dst + len, 0, CAP - len);
}

// A call: its own locals, areas behind the caller's.
static void call(struct machine *m, const struct ir_expr *e, char *dst)
{
	struct machine *callee = sp_calloc(1, sizeof(*callee));
	const struct ir_func *func = &m->unit->funcs.v[e->func];
	const char *params[4];

	for (unsigned i = 0; i < e->n_args; i++)
		params[i] = eval(m, e->args[i], NULL);
	*callee = *m;
	memcpy(callee->params, params, sizeof(params));
	callee->func = func;
	callee->frame = &m->plan->layouts[0].funcs[e->func];
	// The caller's areas are the callee's, too; addresses of parameters stay valid because the memory is the caller's.
	callee->stack_base = 2048;
	callee->scratch_base = m->plan->layouts[0].progs[0].scratch_size;
	callee->out = (struct sp_buf){ 0 };
	run(callee, func->body, dst);
	memcpy(m->scratch + callee->scratch_base, callee->scratch + callee->scratch_base,
	       callee->frame->scratch_size);
	free(callee);
}

static void compute(struct machine *m, const struct ir_expr *e, char *dst)
{
	struct text both;
	const char *a, *b;

	if (e->op == IR_CONCAT) {
		a = eval(m, e->a, is_in_place(m, e->a) ? dst : NULL);
		if (!m->in_areas) {
			copy(both.s, a);
			a = both.s;
		}
		b = eval(m, e->b, NULL);
		if (a != dst)
			copy(dst, a);
		size_t len = strlen(dst);
		memcpy(dst + len, b, SP_MIN(strlen(b), CAP - 1 - len));
		dst[SP_MIN(len + strlen(b), (size_t)CAP - 1)] = '\0';
	} else if (e->op == IR_COND) {
		const struct ir_expr *branch = strlen(eval(m, e->a->a, NULL)) > 2 ? e->b : e->c;
		a = eval(m, branch, is_in_place(m, branch) ? dst : NULL);
		if (a != dst)
			copy(dst, a);
	} else {
		call(m, e, dst);
	}
}

// The text's address. `dst` (or NULL) is where the consumer wants a computed one that has no slot.
static const char *eval(struct machine *m, const struct ir_expr *e, char *dst)
{
	char *place;

	switch ((int)e->op) {
	case IR_LITERAL:
		return e->text;
	case IR_LOCAL:
		return local(m, e->local);
	case IR_GLOBAL:
		return m->globals[e->global].s;
	case IR_SEQ:
		run(m, e->stmts, NULL);
		return eval(m, e->a, dst);
	}
	if (m->in_areas) {
		place = slot(m, slot_of(m, e));
		if (!place)
			place = dst;
		EXPECT(place != NULL);
	} else {
		place = sp_arena_alloc(m->values, CAP);
	}
	compute(m, e, place);
	return place;
}

static void run(struct machine *m, const struct ir_stmt *s, char *result)
{
	for (; s; s = s->next) {
		char *dst = s->op == IR_S_SET	 ? local(m, s->local)
			    : s->op == IR_S_GSET ? m->globals[s->global].s
						 : result;
		if (s->op == IR_S_EMIT) {
			for (unsigned i = 0; i < s->n_args; i++) {
				char record[CAP];
				sp_buf_printf(&m->out, "%s|", eval(m, s->args[i], record));
			}
			continue;
		}
		const char *value = eval(m, s->a, dst);
		if (value != dst)
			copy(dst, value);
	}
}

// ---- random programs ----------------------------------------------------------------------------

struct maker {
	struct ir_unit *unit;
	uint64_t state;
	unsigned n_locals; // of the program, temporaries included
	bool in_func;
};

static unsigned below(struct maker *k, unsigned n)
{
	k->state = k->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(k->state >> 33) % n;
}

static struct ir_expr *leaf(struct maker *k)
{
	static const char *const texts[] = { "", "a", "bc", "defghijk" };
	struct ir_expr *e;
	unsigned what = below(k, 4);

	if (what == 0)
		return ir_literal(k->unit, texts[below(k, 4)], 8);
	if (what == 1 && !k->in_func) {
		e = ir_expr_new(k->unit, IR_GLOBAL, IR_STR, IR_NO_PLACE);
		e->global = below(k, N_GLOBALS);
		e->cap = CAP;
		return e;
	}
	return ir_local(k->unit, below(k, k->in_func ? 2 : N_LOCALS), IR_STR, CAP);
}

static struct ir_expr *tree(struct maker *k, unsigned depth)
{
	struct ir_expr *e;
	struct ir_stmt *set;
	unsigned what = depth ? below(k, 6) : 0;

	if (what < 1)
		return leaf(k);
	if (what == 4 && !k->in_func) {
		uint32_t temp = k->n_locals++;
		set = ir_set(k->unit, temp, tree(k, depth - 1), IR_NO_PLACE);
		return ir_seq(k->unit, set, ir_local(k->unit, temp, IR_STR, CAP));
	}
	e = ir_expr_new(k->unit,
			what == 3		   ? IR_COND
			: what == 5 && !k->in_func ? IR_CALL
						   : IR_CONCAT,
			IR_STR, IR_NO_PLACE);
	e->cap = CAP;
	if (e->op == IR_CALL) {
		e->n_args = 2;
		e->args = sp_arena_array(&k->unit->arena, struct ir_expr *, 2);
		e->args[0] = tree(k, depth - 1);
		e->args[1] = tree(k, depth - 1);
	} else if (e->op == IR_COND) {
		e->a = ir_unary(k->unit, IR_STRLEN, tree(k, depth - 1));
		e->b = tree(k, depth - 1);
		e->c = tree(k, depth - 1);
	} else {
		e->a = tree(k, depth - 1);
		e->b = tree(k, depth - 1);
	}
	return e;
}

static struct ir_stmt *statement(struct maker *k)
{
	struct ir_arg args[3] = { { IR_STR, 0, CAP, false }, { IR_STR, 0, CAP, false }, { IR_STR, 0, CAP, false } };
	struct ir_stmt *s;

	switch (below(k, 3)) {
	case 0:
		return ir_set(k->unit, below(k, N_LOCALS), tree(k, 4), IR_NO_PLACE);
	case 1:
		s = ir_stmt_new(k->unit, IR_S_GSET, IR_NO_PLACE);
		s->global = below(k, N_GLOBALS);
		s->a = tree(k, 4);
		return s;
	}
	s = ir_stmt_new(k->unit, IR_S_EMIT, IR_NO_PLACE);
	s->format = ir_format(k->unit, "%s%s%s", SP_FORMAT_PRINT, args, 3);
	s->n_args = 3;
	s->args = sp_arena_array(&k->unit->arena, struct ir_expr *, 3);
	for (unsigned i = 0; i < 3; i++)
		s->args[i] = tree(k, 3);
	return s;
}

static struct ir_unit *make(uint64_t seed)
{
	struct maker k = { .unit = ir_unit_create(), .state = seed, .n_locals = N_LOCALS };
	struct ir_stmt **tail, *end;
	struct ir_func *func;
	struct ir_prog *prog;

	k.unit->target.features = ~0ull;
	k.unit->max_string = CAP;
	k.unit->ring_size = 1 << 20;
	for (unsigned i = 0; i < N_GLOBALS; i++)
		sp_vec_push(&k.unit->globals,
			    (struct ir_global){ .name = "g", .type = IR_STR, .cap = CAP });
	func = ir_func_new(k.unit, "f", IR_STR, CAP);
	func->n_params = 2;
	for (unsigned i = 0; i < 3; i++)
		sp_vec_push(&func->locals,
			    (struct ir_local){ .name = "x", .type = IR_STR, .cap = CAP });
	k.in_func = true;
	func->body = ir_set(k.unit, 2, tree(&k, 3), IR_NO_PLACE);
	end = ir_stmt_new(k.unit, IR_S_RETURN, IR_NO_PLACE);
	end->a = tree(&k, 3);
	func->body->next = end;
	k.in_func = false;
	prog = ir_prog_new(k.unit, "p", SP_PROG_USER);
	prog->in_user = true;
	prog->n_sites = 1;
	sp_vec_push(&k.unit->sites,
		    (struct ir_site){ .kind = SP_SITE_BEGIN, .point = "", .object = UINT32_MAX, .program = UINT32_MAX });
	tail = &prog->body;
	for (unsigned i = 0; i < 12; i++) {
		*tail = statement(&k);
		tail = &(*tail)->next;
	}
	for (unsigned i = 0; i < k.n_locals; i++)
		sp_vec_push(&prog->locals, (struct ir_local){ .name = i < N_LOCALS ? "v" : "",
							      .type = IR_STR,
							      .cap = CAP });
	return k.unit;
}

static void check(uint64_t seed)
{
	struct ir_unit *unit = make(seed);
	struct plan *plan;
	struct machine *by_value = sp_calloc(1, sizeof(*by_value)),
		       *in_areas = sp_calloc(1, sizeof(*in_areas));
	struct sp_arena values = { 0 };
	struct source_map sources;
	struct diag_ctx dc;
	const char *broken;

	source_map_init(&sources);
	diag_ctx_init(&dc, &sources);
	ir_number(unit);
	broken = ir_verify(unit);
	EXPECT_STR(broken ? broken : "", "");
	plan = plan_make(unit, &(struct plan_opts){ 0 }, &sources, &dc);
	broken = plan_verify(plan);
	EXPECT_STR(broken ? broken : "", "");
	EXPECT(plan->layouts[0].progs[0].stack_size + plan->layouts[0].funcs[0].stack_size <= 256);
	by_value->plan = in_areas->plan = plan;
	by_value->unit = in_areas->unit = unit;
	by_value->values = in_areas->values = &values;
	in_areas->in_areas = true;
	memset(in_areas->stack, 'S', sizeof(in_areas->stack));
	memset(in_areas->scratch, 'C', sizeof(in_areas->scratch));
	in_areas->frame = &plan->layouts[0].progs[0];
	for (unsigned i = 0; i < N_LOCALS; i++)
		memset(local(in_areas, i), 0, CAP);
	run(by_value, unit->progs.v[0].body, NULL);
	run(in_areas, unit->progs.v[0].body, NULL);
	EXPECT_STR(sp_buf_str(&in_areas->out), sp_buf_str(&by_value->out));
	for (unsigned i = 0; i < N_LOCALS; i++)
		EXPECT_STR(local(in_areas, i), by_value->locals[i].s);
	for (unsigned i = 0; i < N_GLOBALS; i++)
		EXPECT_STR(in_areas->globals[i].s, by_value->globals[i].s);
	sp_buf_deinit(&by_value->out);
	sp_buf_deinit(&in_areas->out);
	free(by_value);
	free(in_areas);
	sp_arena_deinit(&values);
	plan_destroy(plan);
	ir_unit_destroy(unit);
	diag_ctx_deinit(&dc);
	source_map_deinit(&sources);
}

int main(void)
{
	for (uint64_t seed = 1; seed <= 1500 && !expect_failures; seed++) {
		check(seed);
		if (expect_failures)
			printf("seed %llu\n", (unsigned long long)seed);
	}
	return expect_status();
}
