// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_ctx.h"

#include "runtime/base/build_id.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"

static uint32_t new_place(struct lower *l, struct span span, const char *what, const char *name)
{
	struct source_place p = source_place(l->opts->sources, span);
	struct sp_buf text = { 0 };
	uint32_t place;

	if (name)
		sp_buf_printf(&text, "%s '%s'", what, name);
	else
		sp_buf_puts(&text, what);
	place = ir_place(l->unit, p.file, p.line, p.column, sp_buf_str(&text));
	sp_buf_deinit(&text);
	return place;
}

// The index of a place that errors name. It is made once, as a wildcard's sites ask for the same one thousands of times.
uint32_t lower_place(struct lower *l, struct span span, const char *what, const char *name)
{
	const struct {
		uint64_t file, off;
		const char *what, *name;
	} key = { span.file, span.off, what, name };
	void **known; // index + 1

	if (!span.file || !l->opts->sources)
		return IR_NO_PLACE;
	known = sp_hash_insert(&l->places, &key, sizeof(key));
	if (!*known)
		*known = (void *)(uintptr_t)(new_place(l, span, what, name) + 1u);
	return (uint32_t)(uintptr_t)*known - 1;
}

void lower_bug(struct lower *l, struct span span, const char *what)
{
	diag(l->opts->dc, span, DIAG_BUG, "internal error in lowering: %s", what);
}

enum ir_type lower_type(enum ast_type type)
{
	switch (type) {
	case TYPE_STRING:
		return IR_STR;
	case TYPE_VOID:
		return IR_VOID;
	case TYPE_UNKNOWN: // nothing depends on it
	case TYPE_LONG:
	case TYPE_STATS:
		return IR_LONG;
	}
	return IR_LONG;
}

uint32_t lower_cap(const struct lower *l, uint64_t bytes)
{
	if (bytes == 0 || bytes > l->unit->max_string)
		return l->unit->max_string;
	return (uint32_t)SP_ALIGN_UP(bytes, 8);
}

uint32_t lower_room(const struct lower *l, uint64_t bytes)
{
	return bytes ? (uint32_t)SP_ALIGN_UP(bytes, 8) : l->unit->max_string;
}

uint32_t lower_part_room(const struct ir_expr *part)
{
	return part->type == IR_STR && part->op != IR_LITERAL ? part->cap : 0;
}

// ---- names --------------------------------------------------------------------------------------

uint32_t lower_global(const struct lower *l, const struct global *global)
{
	return l->global_index[global->index];
}

uint32_t lower_func(const struct lower *l, const struct function *function)
{
	return l->func_index[function->index];
}

uint32_t lower_local(const struct lower *l, const struct local *local)
{
	return l->local_index.v[local->index];
}

static void set_build_id(struct ir_object *object, const struct dbg_module *module)
{
	sp_cleanup_close int fd = -1;

	object->build_id_len = SP_MIN(module->build_id_len, (unsigned)sizeof(object->build_id));
	memcpy(object->build_id, module->build_id, object->build_id_len);
	if (object->build_id_len || object->kind != SP_OBJECT_PROGRAM || !module->path)
		return;
	fd = sp_file_open_regular(module->path);
	if (fd >= 0)
		object->build_id_len = sp_build_id_of_content(fd, object->build_id);
}

uint32_t lower_object(struct lower *l, const struct dbg_module *module)
{
	struct ir_object object = { 0 };

	if (!module)
		return UINT32_MAX;
	for (size_t i = 0; i < l->modules.n; i++)
		if (l->modules.v[i] == module)
			return (uint32_t)i;
	object.kind = !module->is_kernel ? SP_OBJECT_PROGRAM :
		      sp_streq(module->name, "kernel") ? SP_OBJECT_KERNEL : SP_OBJECT_KERNEL_MODULE;
	object.name = sp_arena_strdup(&l->unit->arena, module->name);
	object.path = object.kind == SP_OBJECT_PROGRAM && module->path ?
			      sp_arena_strdup(&l->unit->arena, module->target_path) : "";
	set_build_id(&object, module);
	if (object.kind == SP_OBJECT_PROGRAM)
		object.code_layout = module->code_layout;
	else
		object.text_base = module->text_base;
	object.is_portable = l->opts->portable && object.kind == SP_OBJECT_KERNEL;
	sp_vec_push(&l->modules, module);
	sp_vec_push(&l->unit->objects, object);
	return (uint32_t)l->modules.n - 1;
}

struct ir_expr *lower_fixup(struct lower *l, enum sp_fixup_kind kind, uint32_t object)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);

	e->fixup = ir_fixup(l->unit, kind, object, "");
	return e;
}

struct ir_expr *lower_kernel_slide(struct lower *l, const struct dbg_module *kernel)
{
	lower_object(l, kernel); // by which the runtime measures it
	return lower_fixup(l, SP_FIX_KERNEL_SLIDE, SP_NONE);
}

struct ir_expr *lower_section(struct lower *l, const struct dbg_module *module, const char *section)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);

	e->fixup = ir_fixup(l->unit, SP_FIX_MODULE_SECTION, lower_object(l, module), section);
	return e;
}

// ---- expressions --------------------------------------------------------------------------------

struct ir_expr *lower_with(struct lower *l, enum ir_expr_op op, struct ir_expr *a, int64_t b)
{
	return ir_binary(l->unit, op, a, ir_const(l->unit, b), IR_NO_PLACE);
}

struct ir_expr *lower_choose(struct lower *l, struct ir_expr *cond, struct ir_expr *yes, struct ir_expr *no)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_COND, yes->type, IR_NO_PLACE);

	e->a = cond;
	e->b = yes;
	e->c = no;
	if (e->type == IR_STR)
		e->cap = SP_MAX(yes->cap, no->cap);
	return e;
}

// ---- statements and temporaries -----------------------------------------------------------------

void lower_emit(struct lower *l, struct ir_stmt *s)
{
	for (; s; s = s->next) {
		*l->tail = s;
		l->tail = &s->next;
	}
}

void lower_list_begin(struct lower *l, struct lower_list *list)
{
	list->head = NULL;
	list->saved = l->tail;
	l->tail = &list->head;
}

struct ir_stmt *lower_list_end(struct lower *l, struct lower_list *list)
{
	l->tail = list->saved;
	return list->head;
}

uint32_t lower_temp(struct lower *l, enum ir_type type, uint32_t cap)
{
	sp_vec_push(&l->locals,
		    (struct ir_local){ .name = "", .type = type, .cap = type == IR_STR ? cap : 0 });
	return (uint32_t)l->locals.n - 1;
}

struct ir_expr *lower_read(struct lower *l, uint32_t local)
{
	return ir_local(l->unit, local, l->locals.v[local].type, l->locals.v[local].cap);
}

static bool is_temp(const struct lower *l, const struct ir_expr *e)
{
	return e->op == IR_LOCAL && !l->locals.v[e->local].name[0];
}

struct ir_expr *lower_keep(struct lower *l, struct ir_expr *value)
{
	uint32_t temp;

	if (value->op == IR_CONST || value->op == IR_LITERAL || value->op == IR_FIXUP ||
	    is_temp(l, value))
		return value;
	temp = lower_temp(l, value->type, value->cap);
	lower_emit(l, ir_set(l->unit, temp, value, value->place));
	return lower_read(l, temp);
}

struct ir_expr *lower_zero(struct lower *l, enum ir_type type)
{
	return type == IR_STR ? ir_literal(l->unit, "", 0) : ir_const(l->unit, 0);
}

// ---- order of evaluation ------------------------------------------------------------------------

struct change {
	const struct ir_expr *variable;
	bool found;
};

// A call can change any global, but no local of its caller.
static void change_by_expr(void *ctx, const struct ir_expr *e)
{
	struct change *c = ctx;
	bool is_global = c->variable->op == IR_GLOBAL, is_element = c->variable->op == IR_MAP_GET;

	c->found |= (e->op == IR_CALL || e->op == IR_EMBED) && (is_global || is_element);
	c->found |= e->op == IR_GLOBAL_ADD && is_global && e->global == c->variable->global;
	c->found |= e->op == IR_MAP_ADD && is_element && e->map == c->variable->map;
}

static void change_by_stmt(void *ctx, const struct ir_stmt *s)
{
	struct change *c = ctx;
	uint32_t index = c->variable->index;

	if (c->variable->op == IR_GLOBAL)
		c->found |= s->op == IR_S_GSET && s->global == index;
	else if (c->variable->op == IR_MAP_GET)
		c->found |= (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR) && s->map == index;
	else
		c->found |= (s->op == IR_S_SET && s->local == index) ||
			    (s->op == IR_S_TRY && s->message == index);
}

bool lower_changes(struct ir_expr *e, const struct ir_expr *variable)
{
	struct change c = { .variable = variable };
	struct ir_visitor visitor = { .ctx = &c, .expr = change_by_expr, .stmt = change_by_stmt };

	ir_walk_expr(e, &visitor);
	return c.found;
}

// What is read behind the statements of a sequence, as `s` is in `(s = "a")`.
static struct ir_expr *value_of(struct ir_expr *e)
{
	while (e->op == IR_SEQ && e->a)
		e = e->a;
	return e;
}

void lower_protect(struct lower *l, struct ir_expr **operands, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct ir_expr *e = operands[i], *value = value_of(e);
		bool changed = false;
		uint32_t temp;
		if (value->type != IR_STR || (value->op != IR_GLOBAL && value->op != IR_LOCAL))
			continue;
		for (unsigned k = i + 1; k < n; k++)
			changed = changed || lower_changes(operands[k], value);
		if (!changed)
			continue;
		temp = lower_temp(l, IR_STR, e->cap);
		operands[i] = ir_seq(l->unit, ir_set(l->unit, temp, e, IR_NO_PLACE),
				     lower_read(l, temp));
	}
}

static void find_effect(void *ctx, const struct ir_expr *e)
{
	bool *found = ctx;

	*found |= e->op == IR_SEQ || e->op == IR_CALL || e->op == IR_MAP_ADD || e->op == IR_GLOBAL_ADD ||
		  e->op == IR_MATCH || (e->op == IR_BUILTIN && builtin_info(e->builtin)->has_effect);
}

bool lower_has_effects(struct ir_expr *e)
{
	bool found = false;
	struct ir_visitor visitor = { .ctx = &found, .expr = find_effect };

	ir_walk_expr(e, &visitor);
	return found;
}
