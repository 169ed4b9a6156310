// SPDX-License-Identifier: GPL-2.0-or-later
// Checks what lower promises, and plan and gen rely on. The first fault is described with the place where it was found; the text
// lives in the unit's arena. Each operation has a few, so this is a file of more than 600 lines.
#include "compiler/ir/ir.h"

#include "runtime/abi/event.h"

struct verify {
	const struct ir_unit *unit;
	const struct ir_local *locals;
	size_t n_locals;
	unsigned n_params;
	enum ir_type result; // of the function; VOID in programs
	bool in_func;
	unsigned loops; // around the current statement
	bool *exprs, *stmts; // ids that have been seen; NULL: there are none yet
	const char *where; // name of the program or function
	const char *broken;
};

static void check_expr(struct verify *v, const struct ir_expr *e, enum ir_type want);
static void check_list(struct verify *v, const struct ir_stmt *s);

static void SP_PRINTF(2, 3) broken(struct verify *v, const char *fmt, ...)
{
	struct sp_buf text = { 0 };
	va_list args;

	if (v->broken)
		return;
	sp_buf_printf(&text, "%s: ", v->where);
	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	// The unit is const for us, but its arena may grow: a text more in it changes nothing that is verified.
	v->broken = sp_arena_strdup((struct sp_arena *)&v->unit->arena, sp_buf_str(&text));
	sp_buf_deinit(&text);
}

static const char *type_text(enum ir_type type)
{
	return type == IR_LONG ? "long" : type == IR_STR ? "string" : "void";
}

static void check_cap(struct verify *v, const char *what, uint32_t cap)
{
	if (cap == 0 || cap % 8)
		broken(v, "%s has capacity %u", what, cap);
}

static bool check_index(struct verify *v, const char *what, uint32_t index, size_t n)
{
	if (index < n)
		return true;
	broken(v, "%s %u of %zu", what, index, n);
	return false;
}

static void check_place(struct verify *v, uint32_t place)
{
	if (place != IR_NO_PLACE)
		check_index(v, "place", place, v->unit->places.n);
}

// The same node of a constant, a variable or a register may stand in several places of a body, as the plan decides nothing about
// it. Its id is that of the last place.
static bool may_be_shared(const struct ir_expr *e)
{
	return e->op == IR_CONST || e->op == IR_LITERAL || e->op == IR_LOCAL || e->op == IR_GLOBAL || e->op == IR_FIXUP ||
	       e->op == IR_CTX;
}

static void check_id(struct verify *v, const char *what, bool *seen, uint32_t id, uint32_t n)
{
	if (!seen)
		return;
	if (id >= n || seen[id])
		broken(v, "id %u of %u is not %s's own", id, n, what);
	else
		seen[id] = true;
}

static void check_key(struct verify *v, uint32_t map, struct ir_expr *const *args, unsigned n_args)
{
	const struct ir_map *m;

	if (!check_index(v, "map", map, v->unit->maps.n))
		return;
	m = &v->unit->maps.v[map];
	if (m->n_keys != n_args) {
		broken(v, "%u keys for %s", n_args, m->label);
		return;
	}
	for (unsigned i = 0; i < n_args; i++)
		check_expr(v, args[i], m->keys[i].type);
}

// Bytes of an argument, with those of the longs behind a long.
static uint32_t room(const struct ir_format *f, unsigned arg)
{
	uint32_t n = f->args[arg].size;

	if (f->args[arg].type == IR_LONG)
		while (++arg < f->n_args && f->args[arg].type == IR_LONG)
			n += f->args[arg].size;
	return n;
}

static void check_format(struct verify *v, uint32_t format, struct ir_expr *const *args,
			 unsigned n_args)
{
	const struct ir_format *f;

	if (!check_index(v, "format", format, v->unit->formats.n))
		return;
	f = &v->unit->formats.v[format];
	if (f->n_args != n_args) {
		broken(v, "%u arguments for format %u", n_args, format);
		return;
	}
	for (unsigned i = 0; i < n_args; i++) {
		check_expr(v, args[i], f->args[i].type);
		if (f->args[i].is_late != args[i]->is_late)
			broken(v, "argument %u of format %u is text too early or too late", i, format);
	}
	for (unsigned i = 0; i < f->n_fields; i++)
		if (f->fields[i].arg >= n_args || f->fields[i].at + f->fields[i].size > room(f, f->fields[i].arg))
			broken(v, "directive %u of format %u prints what is not there", i, format);
}

static void check_size(struct verify *v, unsigned size)
{
	if (size != 1 && size != 2 && size != 4 && size != 8)
		broken(v, "an access of %u bytes", size);
}

static void check_call(struct verify *v, const struct ir_expr *e)
{
	const struct ir_func *f;

	if (!check_index(v, "function", e->func, v->unit->funcs.n))
		return;
	f = &v->unit->funcs.v[e->func];
	if (f->type != e->type)
		broken(v, "a call of %s gives %s", f->name, type_text(e->type));
	if (f->n_params != e->n_args) {
		broken(v, "%u arguments for %s", e->n_args, f->name);
		return;
	}
	for (unsigned i = 0; i < e->n_args; i++)
		check_expr(v, e->args[i], f->locals.v[i].type);
}

static void check_embed(struct verify *v, const struct ir_expr *e)
{
	const struct ir_embed *embed;

	if (!check_index(v, "embed", e->embed, v->unit->embeds.n))
		return;
	embed = &v->unit->embeds.v[e->embed];
	if (embed->n_args != e->n_args || embed->kind == IR_EMBED_TOP) {
		broken(v, "%u arguments for embed %u", e->n_args, e->embed);
		return;
	}
	for (unsigned i = 0; i < e->n_args; i++) {
		check_expr(v, e->args[i], embed->args[i].type);
		if (e->args[i]->op != (embed->args[i].role == IR_EMBED_GLOBAL ? IR_GLOBAL : IR_LOCAL))
			broken(v, "argument %u of embed %u is no variable", i, e->embed);
	}
}

static void check_builtin(struct verify *v, const struct ir_expr *e)
{
	if (!check_index(v, "builtin", e->builtin, BUILTIN_COUNT))
		return;
	// Offsets of structures come as extra arguments.
	for (unsigned i = 0; i < e->n_args; i++)
		check_expr(v, e->args[i],
			   i < builtin_max_args(builtin_info(e->builtin)) &&
					   builtin_arg(builtin_info(e->builtin), i) == 's'
				   ? IR_STR
				   : IR_LONG);
}

// A member of a union that the operation does not have must be 0: it would be taken for another member.
static void check_members(struct verify *v, const char *what, unsigned has, uint32_t index, int64_t imm, uint8_t size)
{
	if ((index && !(has & IR_HAS_INDEX)) || (imm && !(has & IR_HAS_IMM)) || (size && !(has & (IR_HAS_SIZE | IR_HAS_IS_TEXT))))
		broken(v, "%s has what it does not use", what);
}

// The operands a, b and c are those that `types` has letters for (ir.def).
static void check_operands(struct verify *v, const char *name, const char *types, enum ir_type result, const struct ir_expr *const *operands)
{
	for (unsigned i = 0; i < 3; i++) {
		char type = *types;
		bool may_lack = type && types[1] == '?';

		types += may_lack ? 2 : type != 0;
		if (!type && operands[i])
			broken(v, "%s has an operand too many", name);
		else if (type && !may_lack && !operands[i])
			broken(v, "%s lacks an operand", name);
		else if (operands[i] && type != 'g')
			check_expr(v, operands[i], type == 'l' ? IR_LONG : type == 's' ? IR_STR : type == 't' ? result : operands[0]->type);
	}
}

static void check_variable(struct verify *v, const struct ir_expr *e)
{
	if (e->op == IR_LOCAL) {
		if (check_index(v, "local", e->local, v->n_locals) &&
		    v->locals[e->local].type != e->type)
			broken(v, "local %s as %s", v->locals[e->local].name, type_text(e->type));
	} else if (check_index(v, "global", e->global, v->unit->globals.n) &&
		   v->unit->globals.v[e->global].type != e->type) {
		broken(v, "global %s as %s", v->unit->globals.v[e->global].name, type_text(e->type));
	}
}

static void check_add(struct verify *v, const struct ir_expr *e)
{
	if (e->op == IR_MAP_ADD) {
		if (e->map < v->unit->maps.n && v->unit->maps.v[e->map].value_type != IR_LONG)
			broken(v, "map_add to strings");
	} else if (check_index(v, "global", e->global, v->unit->globals.n) && v->unit->globals.v[e->global].type != IR_LONG) {
		broken(v, "global_add to a string");
	}
}

// A statistic can be read only when the map keeps it.
static void check_stat(struct verify *v, uint32_t map, enum sp_stat stat)
{
	const struct ir_map *m;

	if (map >= v->unit->maps.n)
		return; // check_key has told
	m = &v->unit->maps.v[map];
	if (m->kind != SP_MAP_STAT)
		broken(v, "%s is no aggregate", m->label);
	else if (stat >= SP_STAT_KIND_COUNT || !(m->stat.reads >> stat & 1))
		broken(v, "%s does not keep what is read", m->label);
}

static void check_load(struct verify *v, const struct ir_expr *e)
{
	bool is_task = e->space == IR_SPACE_TASK;

	if (e->op == IR_LOAD)
		check_size(v, e->size);
	if (!is_task && !e->a)
		broken(v, "%s without an address", ir_expr_op_name(e->op));
	if (e->op == IR_LOAD && !is_task && (e->offset || e->vm_offset))
		broken(v, "a load at an offset");
	if (e->op != IR_LOAD && is_task)
		broken(v, "%s of a task", ir_expr_op_name(e->op));
	if (e->op == IR_LOAD && e->b && e->b->op != IR_CONST)
		broken(v, "a load whose replacement is not constant");
	if ((e->op == IR_LOADMEM && (e->bytes < 1 || e->bytes > e->cap)) ||
	    (e->op == IR_CAPTURE && (e->bytes < 1 || e->bytes + (int64_t)sizeof(struct sp_captured) > e->cap)))
		broken(v, "%s of %lld bytes", ir_expr_op_name(e->op), (long long)e->bytes);
}

static void check_map_get(struct verify *v, const struct ir_expr *e)
{
	if (e->map < v->unit->maps.n && v->unit->maps.v[e->map].value_type != e->type)
		broken(v, "an element of %s as %s", v->unit->maps.v[e->map].label, type_text(e->type));
}

static void check_stat_get(struct verify *v, const struct ir_expr *e)
{
	check_stat(v, e->map, e->stat);
	if (e->op == IR_STAT_TEXT && e->stat < SP_STAT_LOG)
		broken(v, "stat_text of what is no histogram");
	if (e->op == IR_STAT_GET && (e->stat >= SP_STAT_LOG) != (e->a != NULL))
		broken(v, "stat_get of a histogram without its bucket, or of a bucket of what is none");
}

static void check_what(struct verify *v, const struct ir_expr *e)
{
	int64_t first = e->op == IR_SITE ? SP_SITE_TEXT_POINT : 0;
	int64_t last = e->op == IR_SITE ? SP_SITE_TEXT_NAME : SP_SYMBOL_TEXT_COUNT - 1;

	if (e->what < first || e->what > last || e->space == IR_SPACE_TASK)
		broken(v, "text %lld of %s", (long long)e->what, ir_expr_op_name(e->op));
}

// What is true of an operation beside the types of its operands, its key and the members that it has.
static void check_op(struct verify *v, const struct ir_expr *e)
{
	switch (e->op) {
	case IR_LITERAL:
		if (!e->text || strlen(e->text) != e->len || e->len + 1 > e->cap)
			broken(v, "a literal of the wrong length");
		break;
	case IR_LOCAL: case IR_GLOBAL:
		check_variable(v, e);
		break;
	case IR_CTX: case IR_REG:
		if (e->size || e->op == IR_REG)
			check_size(v, e->size);
		break;
	case IR_LOAD: case IR_LOADSTR: case IR_LOADMEM: case IR_CAPTURE:
		check_load(v, e);
		break;
	case IR_SEXT: case IR_ZEXT:
		if (e->bits < 1 || e->bits > 63)
			broken(v, "an extension of %lld bits", (long long)e->bits);
		break;
	case IR_FIXUP: case IR_MATCH:
		check_index(v, ir_expr_op_name(e->op), e->index, e->op == IR_FIXUP ? v->unit->fixups.n : v->unit->regexes.n);
		break;
	case IR_MAP_GET:
		check_map_get(v, e);
		break;
	case IR_STAT_GET: case IR_STAT_TEXT:
		check_stat_get(v, e);
		break;
	case IR_MAP_ADD: case IR_GLOBAL_ADD:
		check_add(v, e);
		break;
	case IR_CALL:
		check_call(v, e);
		break;
	case IR_BUILTIN:
		check_builtin(v, e);
		break;
	case IR_SITE: case IR_SYMBOLS:
		check_what(v, e);
		break;
	case IR_SPRINTF:
		check_format(v, e->format, e->args, e->n_args);
		break;
	case IR_EMBED:
		check_embed(v, e);
		break;
	case IR_SEQ:
		check_list(v, e->stmts);
		break;
	case IR_CONST: case IR_NEG: case IR_NOT: case IR_LNOT: case IR_ADD: case IR_SUB: case IR_MUL: case IR_DIV: case IR_MOD:
	case IR_UDIV: case IR_UMOD: case IR_AND: case IR_OR: case IR_XOR: case IR_SHL: case IR_SHR: case IR_USHR: case IR_EQ:
	case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE: case IR_LAND: case IR_LOR: case IR_COND: case IR_CONCAT:
	case IR_STRLEN: case IR_MAP_HAS:
		break;
	}
}

static void check_expr(struct verify *v, const struct ir_expr *e, enum ir_type want)
{
	const char *types;

	if (v->broken)
		return;
	if (!e) {
		broken(v, "an operand is missing");
		return;
	}
	if (e->type != want)
		broken(v, "%s gives %s, not %s", ir_expr_op_name(e->op), type_text(e->type), type_text(want));
	types = ir_expr_op_types(e->op);
	if ((*types == 'l' && e->type != IR_LONG) || (*types == 's' && e->type != IR_STR))
		broken(v, "%s gives %s", ir_expr_op_name(e->op), type_text(e->type));
	if (e->type == IR_STR)
		check_cap(v, ir_expr_op_name(e->op), e->cap);
	check_place(v, e->place);
	if (!may_be_shared(e))
		check_id(v, ir_expr_op_name(e->op), v->exprs, e->id, v->unit->n_exprs);
	check_members(v, ir_expr_op_name(e->op), ir_expr_op_has(e->op), e->index, e->imm, e->size);
	check_operands(v, ir_expr_op_name(e->op), types + 1, e->type, (const struct ir_expr *[]){ e->a, e->b, e->c });
	if (ir_expr_op_has(e->op) & IR_HAS_MAP)
		check_key(v, e->map, e->args, e->n_args);
	check_op(v, e);
}

// ---- statements ---------------------------------------------------------------------------------

static void check_foreach(struct verify *v, const struct ir_stmt *s)
{
	const struct ir_map *m;

	if (!check_index(v, "map", s->map, v->unit->maps.n))
		return;
	m = &v->unit->maps.v[s->map];
	for (unsigned i = 0; i < m->n_keys; i++)
		if (check_index(v, "local", s->foreach.keys[i], v->n_locals) &&
		    v->locals[s->foreach.keys[i]].type != m->keys[i].type)
			broken(v, "foreach over %s: key %u has another type", m->label, i);
	if (s->foreach.value != IR_NO_LOCAL && check_index(v, "local", s->foreach.value, v->n_locals) &&
	    v->locals[s->foreach.value].type != m->value_type)
		broken(v, "foreach over %s: the value has another type", m->label);
	if (s->foreach.sort_key >= SP_VM_SORT_STAT)
		check_stat(v, s->map, (enum sp_stat)(s->foreach.sort_key - SP_VM_SORT_STAT));
	else if (s->foreach.sort_key > m->n_keys)
		broken(v, "foreach over %s: sorted by key %u", m->label, s->foreach.sort_key);
	if (s->foreach.limit)
		check_expr(v, s->foreach.limit, IR_LONG);
}

static void check_return(struct verify *v, const struct ir_stmt *s)
{
	if (v->in_func && v->result != IR_VOID)
		check_expr(v, s->a, v->result);
	else if (s->a)
		broken(v, "a return with a value");
}

static void check_set(struct verify *v, const struct ir_stmt *s)
{
	if (!check_index(v, "local", s->local, v->n_locals))
		return;
	check_expr(v, s->a, v->locals[s->local].type);
	if (s->local < v->n_params && v->locals[s->local].type == IR_STR)
		broken(v, "a string parameter is set");
}

// The value that is set, or counted.
static void check_map_value(struct verify *v, const struct ir_stmt *s)
{
	const struct ir_map *m;

	if (s->map >= v->unit->maps.n)
		return; // check_key has told
	m = &v->unit->maps.v[s->map];
	if (s->op == IR_S_MAP_SET)
		check_expr(v, s->a, m->value_type);
	else if (m->kind != SP_MAP_STAT)
		broken(v, "stat_add to %s", m->label);
}

static void check_try(struct verify *v, const struct ir_stmt *s)
{
	if (s->message != IR_NO_LOCAL && check_index(v, "local", s->message, v->n_locals) &&
	    v->locals[s->message].type != IR_STR)
		broken(v, "the message of try is no string");
}

static void check_stmt_op(struct verify *v, const struct ir_stmt *s)
{
	switch (s->op) {
	case IR_S_SET:
		check_set(v, s);
		break;
	case IR_S_GSET:
		if (check_index(v, "global", s->global, v->unit->globals.n))
			check_expr(v, s->a, v->unit->globals.v[s->global].type);
		break;
	case IR_S_MAP_SET: case IR_S_STAT_ADD:
		check_key(v, s->map, s->args, s->n_args);
		check_map_value(v, s);
		break;
	case IR_S_MAP_DEL:
		check_key(v, s->map, s->args, s->n_args);
		break;
	case IR_S_STAT_PRINT:
		check_key(v, s->map, s->args, s->n_args);
		check_stat(v, s->map, s->stat);
		if (s->stat < SP_STAT_LOG)
			broken(v, "stat_print of what is no histogram");
		break;
	case IR_S_MAP_CLEAR:
		check_index(v, "map", s->map, v->unit->maps.n);
		break;
	case IR_S_STORE:
		check_size(v, s->size);
		break;
	case IR_S_EMIT:
		check_format(v, s->format, s->args, s->n_args);
		break;
	case IR_S_FOREACH:
		check_foreach(v, s);
		break;
	case IR_S_BREAK: case IR_S_CONTINUE:
		if (!v->loops)
			broken(v, "%s outside of a loop", ir_stmt_op_name(s->op));
		break;
	case IR_S_RETURN:
		check_return(v, s);
		break;
	case IR_S_TRY:
		check_try(v, s);
		break;
	case IR_S_EVAL: case IR_S_IF: case IR_S_LOOP: case IR_S_FAIL: case IR_S_EXIT: case IR_S_ABORT:
		break;
	}
}

static void check_stmt(struct verify *v, const struct ir_stmt *s)
{
	bool is_loop = s->op == IR_S_LOOP || s->op == IR_S_FOREACH;

	check_place(v, s->place);
	check_id(v, ir_stmt_op_name(s->op), v->stmts, s->id, v->unit->n_stmts);
	check_members(v, ir_stmt_op_name(s->op), ir_stmt_op_has(s->op), s->index, 0, s->size);
	check_operands(v, ir_stmt_op_name(s->op), ir_stmt_op_types(s->op), IR_VOID, (const struct ir_expr *[]){ s->a, s->b, NULL });
	check_stmt_op(v, s);
	v->loops += is_loop;
	check_list(v, s->then);
	v->loops -= is_loop;
	check_list(v, s->otherwise);
	check_list(v, s->step);
}

static void check_list(struct verify *v, const struct ir_stmt *s)
{
	for (; s && !v->broken; s = s->next)
		check_stmt(v, s);
}

// ---- declarations -------------------------------------------------------------------------------

static void check_locals(struct verify *v)
{
	for (size_t i = 0; i < v->n_locals; i++) {
		if (v->locals[i].type == IR_STR)
			check_cap(v, v->locals[i].name, v->locals[i].cap);
		else if (v->locals[i].type == IR_VOID)
			broken(v, "local %s has no type", v->locals[i].name);
	}
}

static void check_map(struct verify *v, const struct ir_map *m)
{
	uint32_t end = 0;

	if (strlen(m->name) > 15)
		broken(v, "map name %s is too long", m->name);
	if (m->kind == SP_MAP_STAT && m->value_size != sp_stat_size(&m->stat))
		broken(v, "aggregate %s has records of %u bytes", m->label, m->value_size);
	if (m->kind == SP_MAP_STAT && !m->n_keys && m->max_entries == 1)
		end = SP_STAT_KEY_SIZE;
	else if (!m->n_keys || !m->max_entries)
		broken(v, "map %s has %u keys and %u elements", m->label, m->n_keys, m->max_entries);
	for (unsigned i = 0; i < m->n_keys; i++) {
		check_cap(v, m->label, m->keys[i].size);
		if (m->keys[i].offset != end)
			broken(v, "map %s has a gap in its key", m->label);
		end += m->keys[i].size;
	}
	check_cap(v, m->label, m->value_size);
	if (end != m->key_size)
		broken(v, "map %s has keys of %u bytes, not %u", m->label, end, m->key_size);
}

static void check_unit(struct verify *v)
{
	const struct ir_unit *unit = v->unit;

	for (size_t i = 0; i < unit->maps.n; i++) {
		check_map(v, &unit->maps.v[i]);
		for (size_t k = 0; k < i; k++)
			if (sp_streq(unit->maps.v[i].name, unit->maps.v[k].name))
				broken(v, "two maps are named %s", unit->maps.v[i].name);
	}
	sp_vec_each(g, &unit->globals) {
		if (g->type == IR_STR)
			check_cap(v, g->name, g->cap);
		if (g->init_text && (g->type != IR_STR || g->init_len + 1 > g->cap))
			broken(v, "global %s begins with a text that does not fit", g->name);
	}
	sp_vec_each(s, &unit->fixups)
		if (s->object != SP_NONE)
			check_index(v, "object", s->object, unit->objects.n);
	sp_vec_each(s, &unit->sites)
		if (s->object != SP_NONE)
			check_index(v, "object", s->object, unit->objects.n);
}

static bool is_rest(const struct ir_unit *unit, const struct ir_prog *prog)
{
	sp_vec_each(other, &unit->progs)
		if (other->deferral.rest == (uint32_t)(prog - unit->progs.v))
			return true;
	return false;
}

static void check_prog(struct verify *v, const struct ir_prog *prog)
{
	v->where = prog->name;
	v->locals = prog->locals.v;
	v->n_locals = prog->locals.n;
	v->in_func = false;
	v->n_params = 0;
	if (!prog->name[0] || strlen(prog->name) > 63)
		broken(v, "a program's name has %zu bytes", strlen(prog->name));
	if (prog->deferral.rest != SP_NONE && check_index(v, "rest", prog->deferral.rest, v->unit->progs.n) && v->unit->progs.v[prog->deferral.rest].n_sites)
		broken(v, "the rest has sites of its own");
	if ((!prog->n_sites && !is_rest(v->unit, prog)) || prog->first_site + prog->n_sites > v->unit->sites.n)
		broken(v, "sites %u to %u of %zu", prog->first_site,
		       prog->first_site + prog->n_sites, v->unit->sites.n);
	check_locals(v);
	check_list(v, prog->body);
}

const char *ir_verify(const struct ir_unit *unit)
{
	struct verify v = { .unit = unit, .where = "unit" };

	if (unit->n_exprs)
		v.exprs = sp_calloc(unit->n_exprs, sizeof(*v.exprs));
	if (unit->n_stmts)
		v.stmts = sp_calloc(unit->n_stmts, sizeof(*v.stmts));
	check_unit(&v);
	sp_vec_each(func, &unit->funcs) {
		v.where = func->name;
		v.locals = func->locals.v;
		v.n_locals = func->locals.n;
		v.result = func->type;
		v.in_func = true;
		v.n_params = func->n_params;
		if (func->n_params > func->locals.n)
			broken(&v, "%u parameters in %zu locals", func->n_params, func->locals.n);
		check_locals(&v);
		check_list(&v, func->body);
	}
	sp_vec_each(prog, &unit->progs) {
		for (const struct ir_prog *other = unit->progs.v; other < prog; other++)
			if (sp_streq(other->name, prog->name))
				broken(&v, "two programs are named %s", prog->name);
		check_prog(&v, prog);
	}
	free(v.exprs);
	free(v.stmts);
	return v.broken;
}
