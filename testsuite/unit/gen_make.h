// SPDX-License-Identifier: GPL-2.0-or-later
/** Units of IR by hand, and what the generator makes of them. */
#ifndef SP_TEST_GEN_MAKE_H
#define SP_TEST_GEN_MAKE_H

#include "compiler/gen/core/gen.h"
#include "compiler/plan/plan.h"
#include "expect.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/utsname.h>

struct gen_made {
	struct ir_unit *unit;
	struct plan *plan;
	struct sp_buf spo;
	struct sp_buf llvm_ir;
	char *error; // of gen_bundle, or the first diagnostic of plan_make; NULL: none
};

static SP_UNUSED struct gen_made made_begin(void)
{
	struct gen_made m = { .unit = ir_unit_create() };
	struct utsname host;

	uname(&host);
	m.unit->script = "unit.stp";
	snprintf(m.unit->target.arch, sizeof(m.unit->target.arch), "%.15s", host.machine);
	snprintf(m.unit->target.release, sizeof(m.unit->target.release), "%.65s", host.release);
	m.unit->target.features = ~0ull;
	m.unit->max_string = 128;
	m.unit->max_action = 1000;
	m.unit->ring_size = 1 << 16;
	return m;
}

static SP_UNUSED void made_deinit(struct gen_made *m)
{
	plan_destroy(m->plan);
	ir_unit_destroy(m->unit);
	sp_buf_deinit(&m->spo);
	sp_buf_deinit(&m->llvm_ir);
	free(m->error);
}

/** Plans and generates. False, and `error` is set, when one of them complains. */
static SP_UNUSED bool made_end(struct gen_made *m)
{
	struct gen_opts opts = { .llvm_ir = &m->llvm_ir };
	struct source_map sources;
	struct diag_ctx dc;
	const char *wrong;
	struct sp_err *err;

	ir_number(m->unit);
	wrong = ir_verify(m->unit);
	if (wrong) {
		m->error = sp_strdup(wrong);
		return false;
	}
	source_map_init(&sources);
	diag_ctx_init(&dc, &sources);
	m->plan = plan_make(m->unit, &(struct plan_opts){ 0 }, &sources, &dc);
	wrong = plan_verify(m->plan);
	if (dc.n_errors)
		m->error = sp_strdup(dc.diags.v[0]->text);
	else if (wrong)
		m->error = sp_strdup(wrong);
	diag_ctx_deinit(&dc);
	source_map_deinit(&sources);
	if (m->error)
		return false;
	err = gen_bundle(m->plan, &opts, &m->spo);
	if (err)
		m->error = sp_err_text(err);
	sp_err_free(err);
	return !m->error;
}

// ---- programs and tables ------------------------------------------------------------------------

static SP_UNUSED struct ir_prog *add_prog(struct ir_unit *u, const char *name, const char *section,
					  enum sp_prog_kind kind, enum sp_site_kind site,
					  const char *symbol)
{
	struct ir_prog *p = ir_prog_new(u, name, kind);
	struct ir_site s = {
		.kind = site, .point = name, .function = "", .symbol = symbol, .why = "", .object = SP_NONE,
		.program = SP_NONE,
	};

	p->section = section;
	p->in_kernel = kind != SP_PROG_USER;
	p->in_user = !p->in_kernel;
	p->first_site = (unsigned)u->sites.n;
	p->n_sites = 1;
	p->place = ir_place(u, "unit.stp", 1, 1, "");
	sp_vec_push(&u->sites, s);
	return p;
}

static SP_UNUSED struct ir_prog *add_begin(struct ir_unit *u)
{
	return add_prog(u, "begin", "", SP_PROG_USER, SP_SITE_BEGIN, "");
}

static SP_UNUSED struct ir_prog *add_raw_tp(struct ir_unit *u, const char *event)
{
	return add_prog(u, sp_arena_printf(&u->arena, "tp_%s", event),
			sp_arena_printf(&u->arena, "raw_tp/%s", event), SP_PROG_RAW_TP,
			SP_SITE_RAW_TP, event);
}

static SP_UNUSED uint32_t add_global(struct ir_unit *u, const char *name, enum ir_type type,
				     uint32_t cap)
{
	struct ir_global g = { .name = name, .type = type, .cap = cap };

	sp_vec_push(&u->globals, g);
	return (uint32_t)u->globals.n - 1;
}

/** `keys`: l for a long, s for a string of 16 bytes. `value_cap` 0: longs. */
static SP_UNUSED uint32_t add_map(struct ir_unit *u, const char *name, const char *keys,
				  uint32_t value_cap, uint32_t max_entries)
{
	struct ir_map m = { .name = name, .label = name, .max_entries = max_entries };

	m.value_type = value_cap ? IR_STR : IR_LONG;
	m.value_size = value_cap ? value_cap : 8;
	m.n_keys = (unsigned)strlen(keys);
	m.keys = sp_arena_array(&u->arena, struct ir_key, m.n_keys);
	for (unsigned i = 0; i < m.n_keys; i++) {
		m.keys[i] = (struct ir_key){ .type = keys[i] == 's' ? IR_STR : IR_LONG, .offset = m.key_size,
					     .size = keys[i] == 's' ? 16 : 8 };
		m.key_size += m.keys[i].size;
	}
	sp_vec_push(&u->maps, m);
	return (uint32_t)u->maps.n - 1;
}

static SP_UNUSED uint32_t add_local(struct ir_unit *u, struct ir_prog *p, enum ir_type type,
				    uint32_t cap)
{
	struct ir_local l = { .name = "x", .type = type, .cap = cap };

	(void)u;
	sp_vec_push(&p->locals, l);
	return (uint32_t)p->locals.n - 1;
}

static SP_UNUSED uint32_t func_local(struct ir_func *f, enum ir_type type, uint32_t cap)
{
	struct ir_local l = { .name = "x", .type = type, .cap = cap };

	sp_vec_push(&f->locals, l);
	return (uint32_t)f->locals.n - 1;
}

static SP_UNUSED uint32_t at_line(struct ir_unit *u, uint32_t line)
{
	return ir_place(u, "unit.stp", line, 3, "operator '/'");
}

// ---- expressions --------------------------------------------------------------------------------

static SP_UNUSED struct ir_expr *num(struct ir_unit *u, int64_t value)
{
	return ir_const(u, value);
}

static SP_UNUSED struct ir_expr *lit(struct ir_unit *u, const char *text)
{
	return ir_literal(u, text, strlen(text));
}

static SP_UNUSED struct ir_expr *two(struct ir_unit *u, enum ir_expr_op op, struct ir_expr *a,
				     struct ir_expr *b)
{
	struct ir_expr *e = ir_expr_new(u, op, IR_LONG, at_line(u, 7));

	e->a = a;
	e->b = b;
	return e;
}

static SP_UNUSED struct ir_expr *with(struct ir_expr *e, uint32_t index)
{
	e->index = index;
	return e;
}

static SP_UNUSED struct ir_expr *builtin_of(struct ir_unit *u, enum builtin_id id)
{
	struct ir_expr *e = ir_expr_new(u, IR_BUILTIN, id == BUILTIN_EXECNAME ? IR_STR : IR_LONG,
					IR_NO_PLACE);

	e->builtin = id;
	e->cap = id == BUILTIN_EXECNAME ? 16 : 0;
	return e;
}

static SP_UNUSED struct ir_expr *global_of(struct ir_unit *u, uint32_t index)
{
	struct ir_expr *e = ir_expr_new(u, IR_GLOBAL, u->globals.v[index].type, IR_NO_PLACE);

	e->global = index;
	e->cap = u->globals.v[index].cap;
	return e;
}

static SP_UNUSED struct ir_expr *ctx_of(struct ir_unit *u, int64_t offset, uint8_t size,
					bool is_signed)
{
	struct ir_expr *e = ir_expr_new(u, IR_CTX, IR_LONG, IR_NO_PLACE);

	e->offset = offset;
	e->size = size;
	e->is_signed = is_signed;
	return e;
}

static SP_UNUSED struct ir_expr **args_of(struct ir_unit *u, unsigned n, va_list list)
{
	struct ir_expr **args = sp_arena_array(&u->arena, struct ir_expr *, n);

	for (unsigned i = 0; i < n; i++)
		args[i] = va_arg(list, struct ir_expr *);
	return args;
}

static SP_UNUSED struct ir_expr *map_op(struct ir_unit *u, enum ir_expr_op op, uint32_t map,
					struct ir_expr *a, enum ir_want want, unsigned n, ...)
{
	bool is_str = op == IR_MAP_GET && u->maps.v[map].value_type == IR_STR;
	struct ir_expr *e = ir_expr_new(u, op, is_str ? IR_STR : IR_LONG, at_line(u, 8));
	va_list list;

	va_start(list, n);
	e->args = args_of(u, n, list);
	va_end(list);
	e->n_args = n;
	e->map = map;
	e->a = a;
	e->want = want;
	e->cap = is_str ? u->maps.v[map].value_size : 0;
	return e;
}

static SP_UNUSED struct ir_expr *call_of(struct ir_unit *u, uint32_t func, unsigned n, ...)
{
	struct ir_expr *e = ir_expr_new(u, IR_CALL, u->funcs.v[func].type, at_line(u, 9));
	va_list list;

	va_start(list, n);
	e->args = args_of(u, n, list);
	va_end(list);
	e->n_args = n;
	e->func = func;
	e->cap = u->funcs.v[func].cap;
	return e;
}

/** CONCAT of what fits into `cap`. */
static SP_UNUSED struct ir_expr *join(struct ir_unit *u, uint32_t cap, struct ir_expr *a,
				      struct ir_expr *b)
{
	struct ir_expr *e = ir_expr_new(u, IR_CONCAT, IR_STR, IR_NO_PLACE);

	e->cap = cap;
	e->a = a;
	e->b = b;
	return e;
}

// ---- statements ---------------------------------------------------------------------------------

/** Links statements; NULL ends. */
static SP_UNUSED struct ir_stmt *list_of(struct ir_stmt *first, ...)
{
	struct ir_stmt *last = first, *next;
	va_list list;

	va_start(list, first);
	while ((next = va_arg(list, struct ir_stmt *))) {
		while (last->next)
			last = last->next;
		last->next = next;
		last = next;
	}
	va_end(list);
	return first;
}

static SP_UNUSED struct ir_stmt *stmt_of(struct ir_unit *u, enum ir_stmt_op op, uint32_t index,
					 struct ir_expr *a)
{
	struct ir_stmt *s = ir_stmt_new(u, op, at_line(u, 5));

	s->index = index;
	s->a = a;
	s->message = -1;
	s->foreach.value = -1;
	return s;
}

static SP_UNUSED struct ir_stmt *set_of(struct ir_unit *u, uint32_t local, struct ir_expr *a)
{
	return stmt_of(u, IR_S_SET, local, a);
}

static SP_UNUSED struct ir_stmt *exit_of(struct ir_unit *u)
{
	return stmt_of(u, IR_S_EXIT, 0, NULL);
}

static SP_UNUSED struct ir_stmt *eval_of(struct ir_unit *u, struct ir_expr *a)
{
	return stmt_of(u, IR_S_EVAL, 0, a);
}

static SP_UNUSED struct ir_stmt *if_of(struct ir_unit *u, struct ir_expr *cond,
				       struct ir_stmt *then, struct ir_stmt *otherwise)
{
	struct ir_stmt *s = stmt_of(u, IR_S_IF, 0, cond);

	s->then = then;
	s->otherwise = otherwise;
	return s;
}

static SP_UNUSED struct ir_stmt *loop_of(struct ir_unit *u, struct ir_expr *cond,
					 struct ir_stmt *body, struct ir_stmt *step)
{
	struct ir_stmt *s = stmt_of(u, IR_S_LOOP, 0, cond);

	s->then = body;
	s->step = step;
	return s;
}

static SP_UNUSED struct ir_stmt *map_set(struct ir_unit *u, uint32_t map, struct ir_expr *value,
					 unsigned n, ...)
{
	struct ir_stmt *s = stmt_of(u, IR_S_MAP_SET, map, value);
	va_list list;

	va_start(list, n);
	s->args = args_of(u, n, list);
	va_end(list);
	s->n_args = n;
	return s;
}

static SP_UNUSED struct ir_stmt *map_del(struct ir_unit *u, uint32_t map, unsigned n, ...)
{
	struct ir_stmt *s = stmt_of(u, IR_S_MAP_DEL, map, NULL);
	va_list list;

	va_start(list, n);
	s->args = args_of(u, n, list);
	va_end(list);
	s->n_args = n;
	return s;
}

static uint32_t format_of(struct ir_unit *u, const char *text, enum sp_format_kind kind,
			  struct ir_expr **args, unsigned n)
{
	struct ir_arg *types = sp_arena_array(&u->arena, struct ir_arg, n + 1);

	for (unsigned i = 0; i < n; i++)
		types[i] = (struct ir_arg){ .type = args[i]->type,
					    .size = args[i]->type == IR_STR ? args[i]->cap : 8 };
	return ir_format(u, text, kind, types, n);
}

static SP_UNUSED struct ir_stmt *print_of(struct ir_unit *u, const char *text, unsigned n, ...)
{
	struct ir_stmt *s = stmt_of(u, IR_S_EMIT, 0, NULL);
	va_list list;

	va_start(list, n);
	s->args = args_of(u, n, list);
	va_end(list);
	s->n_args = n;
	s->format = format_of(u, text, SP_FORMAT_PRINT, s->args, n);
	return s;
}

static SP_UNUSED struct ir_expr *sprint_of(struct ir_unit *u, uint32_t cap, const char *text,
					   unsigned n, ...)
{
	struct ir_expr *e = ir_expr_new(u, IR_SPRINTF, IR_STR, IR_NO_PLACE);
	va_list list;

	va_start(list, n);
	e->args = args_of(u, n, list);
	va_end(list);
	e->n_args = n;
	e->cap = cap;
	e->format = format_of(u, text, SP_FORMAT_STRING, e->args, n);
	return e;
}

#endif
