// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/ir.h"

#include "runtime/abi/event.h"
#include "runtime/abi/unwind.h"
#include "runtime/base/cleanup.h"

#include <inttypes.h>

struct ir_unit *ir_unit_create(void)
{
	struct ir_unit *unit = sp_calloc(1, sizeof(*unit));

	sp_arena_init(&unit->arena);
	return unit;
}

void ir_unit_destroy(struct ir_unit *unit)
{
	if (!unit)
		return;
	sp_vec_each(func, &unit->funcs)
		sp_vec_deinit(&func->locals);
	sp_vec_each(prog, &unit->progs)
		sp_vec_deinit(&prog->locals);
	sp_vec_deinit(&unit->maps);
	sp_vec_deinit(&unit->globals);
	sp_vec_deinit(&unit->formats);
	sp_hash_deinit(&unit->format_index);
	sp_vec_deinit(&unit->names);
	sp_vec_deinit(&unit->regexes);
	sp_vec_deinit(&unit->places);
	sp_hash_deinit(&unit->place_index);
	sp_vec_deinit(&unit->fixups);
	sp_vec_deinit(&unit->objects);
	sp_vec_deinit(&unit->sites);
	sp_vec_deinit(&unit->funcs);
	sp_vec_deinit(&unit->progs);
	sp_vec_deinit(&unit->embeds);
	sp_arena_deinit(&unit->arena);
	free(unit);
}

// ---- what a unit holds --------------------------------------------------------------------------

struct ir_prog *ir_prog_new(struct ir_unit *unit, const char *name, enum sp_prog_kind kind)
{
	sp_vec_push(&unit->progs, (struct ir_prog){ .name = sp_arena_strdup(&unit->arena, name),
						    .kind = kind,
						    .place = IR_NO_PLACE,
						    .section = "",
						    .deferral.rest = SP_NONE });
	return &sp_vec_last(&unit->progs);
}

struct ir_func *ir_func_new(struct ir_unit *unit, const char *name, enum ir_type type, uint32_t cap)
{
	sp_vec_push(&unit->funcs, (struct ir_func){ .name = sp_arena_strdup(&unit->arena, name),
						    .type = type,
						    .cap = cap,
						    .place = IR_NO_PLACE });
	return &sp_vec_last(&unit->funcs);
}

uint32_t ir_place(struct ir_unit *unit, const char *file, uint32_t line, uint32_t column,
		  const char *what)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	void **number; // from 1

	sp_buf_printf(&key, "%" PRIu32 ":%" PRIu32 " %s at %s", line, column, what, file);
	number = sp_hash_insert(&unit->place_index, key.data, key.len);
	if (!*number) {
		sp_vec_push(&unit->places, (struct ir_place){ sp_arena_strdup(&unit->arena, file), line, column,
							      sp_arena_strdup(&unit->arena, what) });
		*number = (void *)(uintptr_t)unit->places.n;
	}
	return (uint32_t)(uintptr_t)*number - 1;
}

uint32_t ir_regex(struct ir_unit *unit, const char *pattern, uint32_t place)
{
	for (size_t i = 0; i < unit->regexes.n; i++)
		if (sp_streq(unit->regexes.v[i].pattern, pattern))
			return (uint32_t)i;
	sp_vec_push(&unit->regexes,
		    (struct ir_regex){ .pattern = sp_arena_strdup(&unit->arena, pattern), .place = place });
	return (uint32_t)unit->regexes.n - 1;
}

uint32_t ir_fixup(struct ir_unit *unit, enum sp_fixup_kind kind, uint32_t object, const char *text)
{
	for (size_t i = 0; i < unit->fixups.n; i++) {
		const struct ir_fixup *s = &unit->fixups.v[i];
		if (s->kind == kind && s->object == object && sp_streq(s->text, text))
			return (uint32_t)i;
	}
	sp_vec_push(&unit->fixups,
		    ((struct ir_fixup){ kind, object, sp_arena_strdup(&unit->arena, text) }));
	return (uint32_t)unit->fixups.n - 1;
}

// A field without a size is the whole argument.
static struct ir_field *copy_fields(struct ir_unit *unit, const struct ir_arg *args, const struct ir_field *fields,
				    unsigned n_fields)
{
	struct ir_field *copy = sp_arena_memdup(&unit->arena, fields, n_fields * sizeof(*fields));

	for (unsigned i = 0; i < n_fields; i++) {
		const struct ir_arg *arg = &args[copy[i].arg];

		if (copy[i].size)
			continue;
		copy[i].type = arg->is_late ? SP_SYMBOLS : arg->type == IR_STR ? SP_STRING : SP_LONG;
		copy[i].size = arg->size;
	}
	return copy;
}

// All that makes two formats different; the offsets of arguments follow from their sizes.
static void add_format_key(struct sp_buf *key, const char *text, enum sp_format_kind kind, const struct ir_arg *args,
			   unsigned n_args, const struct ir_field *fields, unsigned n_fields)
{
	sp_buf_add(key, text, strlen(text) + 1);
	sp_buf_add(key, (uint32_t[]){ kind, n_args }, 2 * sizeof(uint32_t));
	for (unsigned i = 0; i < n_args; i++) {
		const uint32_t arg[] = { args[i].type, args[i].size, args[i].is_late };

		sp_buf_add(key, arg, sizeof(arg));
	}
	for (unsigned i = 0; i < n_fields; i++) {
		const struct ir_field *f = &fields[i];
		const uint32_t field[] = { f->type, f->arg, f->at, f->size, f->is_signed, f->is_number, f->is_flags,
					   f->bit_off, f->bit_size, f->more };

		sp_buf_add(key, field, sizeof(field));
	}
}

uint32_t ir_format(struct ir_unit *unit, const char *text, enum sp_format_kind kind,
		   const struct ir_arg *args, unsigned n_args)
{
	struct ir_field *fields = sp_calloc(n_args + 1, sizeof(*fields));
	uint32_t format;

	for (unsigned i = 0; i < n_args; i++)
		fields[i].arg = i;
	format = ir_format_parts(unit, text, kind, args, n_args, fields, n_args);
	free(fields);
	return format;
}

uint32_t ir_format_parts(struct ir_unit *unit, const char *text, enum sp_format_kind kind, const struct ir_arg *args,
			 unsigned n_args, const struct ir_field *fields, unsigned n_fields)
{
	uint32_t offset = sizeof(struct sp_event_head);
	struct ir_field *parts = copy_fields(unit, args, fields, n_fields);
	sp_cleanup(sp_buf_deinit) struct sp_buf key = { 0 };
	struct ir_arg *copy;
	void **number; // from 1

	add_format_key(&key, text, kind, args, n_args, parts, n_fields);
	number = sp_hash_insert(&unit->format_index, key.data, key.len);
	if (*number)
		return (uint32_t)(uintptr_t)*number - 1;
	copy = sp_arena_array(&unit->arena, struct ir_arg, n_args);
	for (unsigned i = 0; i < n_args; i++) {
		copy[i] = args[i];
		copy[i].offset = offset;
		offset += SP_ALIGN_UP(args[i].size, 8);
	}
	sp_vec_push(&unit->formats,
		    ((struct ir_format){ sp_arena_strdup(&unit->arena, text), kind, copy, n_args, offset,
					 parts, n_fields, false }));
	*number = (void *)(uintptr_t)unit->formats.n;
	return (uint32_t)unit->formats.n - 1;
}

static bool same_names(const struct ir_unit *unit, size_t at, const struct ir_name *names, unsigned n)
{
	if (unit->names.v[at].left + 1 != n)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (unit->names.v[at + i].value != names[i].value || !sp_streq(unit->names.v[at + i].text, names[i].text))
			return false;
	return true;
}

uint32_t ir_names(struct ir_unit *unit, const struct ir_name *names, unsigned n)
{
	uint32_t first = (uint32_t)unit->names.n;

	for (size_t i = 0; i < unit->names.n; i += unit->names.v[i].left + 1)
		if (same_names(unit, i, names, n))
			return (uint32_t)i;
	for (unsigned i = 0; i < n; i++)
		sp_vec_push(&unit->names, ((struct ir_name){ sp_arena_strdup(&unit->arena, names[i].text),
							     names[i].value, n - 1 - i }));
	return first;
}

// ---- nodes --------------------------------------------------------------------------------------

struct ir_expr *ir_expr_new(struct ir_unit *unit, enum ir_expr_op op, enum ir_type type,
			    uint32_t place)
{
	struct ir_expr *e = sp_arena_new(&unit->arena, struct ir_expr);

	e->op = op;
	e->type = type;
	e->place = place;
	return e;
}

struct ir_stmt *ir_stmt_new(struct ir_unit *unit, enum ir_stmt_op op, uint32_t place)
{
	struct ir_stmt *s = sp_arena_new(&unit->arena, struct ir_stmt);

	s->op = op;
	s->place = place;
	s->message = IR_NO_LOCAL;
	s->foreach.value = IR_NO_LOCAL;
	return s;
}

struct ir_expr *ir_const(struct ir_unit *unit, int64_t value)
{
	struct ir_expr *e = ir_expr_new(unit, IR_CONST, IR_LONG, IR_NO_PLACE);

	e->value = value;
	return e;
}

struct ir_expr *ir_literal(struct ir_unit *unit, const char *text, size_t len)
{
	struct ir_expr *e = ir_expr_new(unit, IR_LITERAL, IR_STR, IR_NO_PLACE);

	// A NUL inside ends the string, as it does everywhere else.
	len = strnlen(text, len);
	e->text = sp_arena_strndup(&unit->arena, text, len);
	e->len = (uint32_t)len;
	e->cap = (uint32_t)SP_ALIGN_UP(len + 1, 8);
	return e;
}

struct ir_expr *ir_local(struct ir_unit *unit, uint32_t index, enum ir_type type, uint32_t cap)
{
	struct ir_expr *e = ir_expr_new(unit, IR_LOCAL, type, IR_NO_PLACE);

	e->local = index;
	e->cap = type == IR_STR ? cap : 0;
	return e;
}

struct ir_expr *ir_unary(struct ir_unit *unit, enum ir_expr_op op, struct ir_expr *a)
{
	struct ir_expr *e = ir_expr_new(unit, op, IR_LONG, IR_NO_PLACE);

	e->a = a;
	return e;
}

// Two's complement without the undefined behaviour of signed overflow.
static bool fold(enum ir_expr_op op, const struct ir_expr *a, const struct ir_expr *b, int64_t *ret)
{
	uint64_t x = (uint64_t)a->value, y = (uint64_t)b->value;

	if (a->op != IR_CONST || b->op != IR_CONST)
		return false;
	if (op == IR_ADD)
		*ret = (int64_t)(x + y);
	else if (op == IR_SUB)
		*ret = (int64_t)(x - y);
	else if (op == IR_MUL)
		*ret = (int64_t)(x * y);
	else
		return false;
	return true;
}

struct ir_expr *ir_binary(struct ir_unit *unit, enum ir_expr_op op, struct ir_expr *a,
			  struct ir_expr *b, uint32_t place)
{
	struct ir_expr *e;
	int64_t folded;

	if (fold(op, a, b, &folded))
		return ir_const(unit, folded);
	if ((op == IR_ADD || op == IR_SUB) && b->op == IR_CONST && b->value == 0)
		return a;
	// (x + 8) + 16 becomes x + 24: access paths are full of such sums
	if (op == IR_ADD && b->op == IR_CONST && a->op == IR_ADD && a->b->op == IR_CONST)
		return ir_binary(unit, IR_ADD, a->a,
				 ir_const(unit, (int64_t)((uint64_t)a->b->value + (uint64_t)b->value)),
				 place);
	e = ir_expr_new(unit, op, IR_LONG, place);
	e->a = a;
	e->b = b;
	return e;
}

struct ir_expr *ir_seq(struct ir_unit *unit, struct ir_stmt *stmts, struct ir_expr *value)
{
	struct ir_expr *e;

	if (!stmts)
		return value;
	e = ir_expr_new(unit, IR_SEQ, value->type, IR_NO_PLACE);
	e->stmts = stmts;
	e->a = value;
	e->cap = value->cap;
	return e;
}

struct ir_stmt *ir_set(struct ir_unit *unit, uint32_t local, struct ir_expr *value, uint32_t place)
{
	struct ir_stmt *s = ir_stmt_new(unit, IR_S_SET, place);

	s->local = local;
	s->a = value;
	return s;
}

// ---- walking ------------------------------------------------------------------------------------

void ir_walk_expr(const struct ir_expr *e, const struct ir_visitor *v)
{
	if (!e)
		return;
	if (e->stmts)
		ir_walk_stmts(e->stmts, v);
	for (unsigned i = 0; i < e->n_args; i++)
		ir_walk_expr(e->args[i], v);
	ir_walk_expr(e->a, v);
	ir_walk_expr(e->b, v);
	ir_walk_expr(e->c, v);
	if (v->expr)
		v->expr(v->ctx, e);
}

void ir_walk_stmts(const struct ir_stmt *list, const struct ir_visitor *v)
{
	for (const struct ir_stmt *s = list; s; s = s->next) {
		for (unsigned i = 0; i < s->n_args; i++)
			ir_walk_expr(s->args[i], v);
		ir_walk_expr(s->a, v);
		ir_walk_expr(s->b, v);
		ir_walk_expr(s->foreach.limit, v);
		if (v->stmt)
			v->stmt(v->ctx, s);
		ir_walk_stmts(s->then, v);
		ir_walk_stmts(s->step, v);
		ir_walk_stmts(s->otherwise, v);
		if (v->leave)
			v->leave(v->ctx, s);
	}
}

void ir_walk_unit(const struct ir_unit *unit, const struct ir_visitor *v)
{
	sp_vec_each(func, &unit->funcs)
		ir_walk_stmts(func->body, v);
	sp_vec_each(prog, &unit->progs)
		ir_walk_stmts(prog->body, v);
}

// ---- changing -----------------------------------------------------------------------------------

static void edit_expr(struct ir_expr *e, const struct ir_editor *editor)
{
	if (!e)
		return;
	ir_edit_stmts(e->stmts, editor);
	for (unsigned i = 0; i < e->n_args; i++)
		edit_expr(e->args[i], editor);
	edit_expr(e->a, editor);
	edit_expr(e->b, editor);
	edit_expr(e->c, editor);
	editor->expr(editor->ctx, e);
}

void ir_edit_stmts(struct ir_stmt *list, const struct ir_editor *editor)
{
	for (struct ir_stmt *s = list; s; s = s->next) {
		for (unsigned i = 0; i < s->n_args; i++)
			edit_expr(s->args[i], editor);
		edit_expr(s->a, editor);
		edit_expr(s->b, editor);
		edit_expr(s->foreach.limit, editor);
		if (editor->stmt)
			editor->stmt(editor->ctx, s);
		ir_edit_stmts(s->then, editor);
		ir_edit_stmts(s->step, editor);
		ir_edit_stmts(s->otherwise, editor);
	}
}

static void number_expr(void *ctx, struct ir_expr *e)
{
	struct ir_unit *unit = ctx;

	e->id = unit->n_exprs++;
}

static void number_stmt(void *ctx, struct ir_stmt *s)
{
	struct ir_unit *unit = ctx;

	s->id = unit->n_stmts++;
}

void ir_number(struct ir_unit *unit)
{
	const struct ir_editor editor = { .ctx = unit, .expr = number_expr, .stmt = number_stmt };

	unit->n_exprs = unit->n_stmts = 0;
	sp_vec_each(func, &unit->funcs)
		ir_edit_stmts(func->body, &editor);
	sp_vec_each(prog, &unit->progs)
		ir_edit_stmts(prog->body, &editor);
}

// ---- places -------------------------------------------------------------------------------------

struct span ir_place_span(const struct ir_place *place, const struct source_map *sources)
{
	if (!place || !sources)
		return SPAN_NONE;
	for (uint32_t id = 1; id <= sources->files.n; id++) {
		const struct source_file *file = sources->files.v[id - 1]; // the module spile-gen has no source.c
		const char *line = file->text, *end = file->text + file->len;

		if (!sp_streq(file->name, place->file))
			continue;
		for (uint32_t n = 1; line && n < place->line; n++) {
			line = memchr(line, '\n', (size_t)(end - line));
			line = line ? line + 1 : NULL;
		}
		if (!line || line + place->column - 1 > end)
			return SPAN_NONE;
		return (struct span){ id, (uint32_t)(line - file->text) + place->column - 1, 1 };
	}
	return SPAN_NONE;
}

void ir_cause_print(struct sp_buf *out, const struct ir_unit *unit, const struct ir_cause *cause)
{
	const struct ir_place *place = cause->place < unit->places.n ? &unit->places.v[cause->place] : NULL;

	sp_buf_puts(out, cause->what);
	if (place && place->line)
		sp_buf_printf(out, " at %s:%u:%u", place->file, place->line, place->column);
}

// ---- names --------------------------------------------------------------------------------------

struct op {
	const char *name, *types;
	unsigned has;
};

static const struct op expr_ops[] = {
#define IR_EXPR(op, name, types, has) { name, types, has },
#include "ir.def"
#undef IR_EXPR
};

static const struct op stmt_ops[] = {
#define IR_STMT(op, name, types, has) { name, types, has },
#include "ir.def"
#undef IR_STMT
};

const char *ir_expr_op_name(enum ir_expr_op op) { return expr_ops[op].name; }
const char *ir_stmt_op_name(enum ir_stmt_op op) { return stmt_ops[op].name; }
const char *ir_site_text(const struct ir_unit *unit, const struct ir_site *site, enum sp_site_text what)
{
	switch (what) {
	case SP_SITE_TEXT_POINT:
		return site->point;
	case SP_SITE_TEXT_NAME:
		return site->name ? site->name : site->point;
	case SP_SITE_TEXT_FUNCTION:
		return site->function;
	case SP_SITE_TEXT_MODULE:
		return site->object < unit->objects.n ? ir_object_label(&unit->objects.v[site->object]) : "";
	}
	return "";
}

const char *ir_expr_op_types(enum ir_expr_op op) { return expr_ops[op].types; }
const char *ir_stmt_op_types(enum ir_stmt_op op) { return stmt_ops[op].types; }
unsigned ir_expr_op_has(enum ir_expr_op op) { return expr_ops[op].has; }
unsigned ir_stmt_op_has(enum ir_stmt_op op) { return stmt_ops[op].has; }

bool ir_walks_text(const struct ir_expr *e)
{
	return e->op == IR_BUILTIN ? builtin_info(e->builtin)->walks_text : e->op == IR_CONCAT || e->op == IR_SPRINTF;
}

bool ir_is_stack(const struct ir_expr *e)
{
	if (e->op == IR_BUILTIN)
		return e->builtin == BUILTIN_STACK || e->builtin == BUILTIN_USTACK;
	return e->op == IR_SYMBOLS && !e->a;
}

bool ir_is_user_stack(const struct ir_expr *e)
{
	if (e->op == IR_BUILTIN)
		return e->builtin == BUILTIN_USTACK;
	return e->op == IR_SYMBOLS && !e->a && !e->c && e->space == IR_SPACE_USER;
}

static uint32_t work_size(const struct ir_expr *e)
{
	if (e->op == IR_BUILTIN && e->tracer) // gen_tracer.h: four numbers, the addresses, a name
		return 32 + SP_TRACER_MAX * 8 + 24;
	// gen_text.h asks for four numbers, or for the addresses or the digits of a number; gen_wide.h for those of a division.
	if (e->op == IR_SYMBOLS && !e->a && !e->is_late)
		return 32 + SP_SYMBOLS_PLACES * 8 + (e->tracer ? 24 : 0);
	return ir_walks_text(e) || (e->op == IR_STAT_GET && e->stat == SP_STAT_VARIANCE) ? 64 : 0;
}

uint32_t ir_unwind_offset(const struct ir_expr *e)
{
	return work_size(e);
}

// One address of a stack is the last of those up to it.
uint32_t ir_work_size(const struct ir_expr *e)
{
	uint32_t size = work_size(e);

	if (!ir_is_user_stack(e))
		return size;
	return size + (uint32_t)sizeof(struct sp_unwind_state) + (e->op == IR_BUILTIN ? SP_SYMBOLS_MAX * 8 : 0);
}
