// SPDX-License-Identifier: GPL-2.0-or-later
// The text form of a unit: a line for each declaration and statement, expressions in prefix form, and `!line:column` behind what
// can fail. With one printer for each table of the unit it is a file of more than 600 lines.
#include "compiler/ir/ir.h"

#include "runtime/abi/event.h"

struct dump {
	struct sp_buf *out;
	const struct ir_unit *unit;
	const struct ir_local *locals; // of the program or function
	const struct ir_notes *notes; // NULL: none
};

static void dump_expr(const struct dump *d, const struct ir_expr *e);
static void dump_stmt(const struct dump *d, const struct ir_stmt *s, unsigned depth);

static void quoted(struct sp_buf *out, const char *text, size_t len)
{
	sp_buf_putc(out, '"');
	sp_buf_quoted(out, text, len);
	sp_buf_putc(out, '"');
}

static void type_name(struct sp_buf *out, enum ir_type type, uint32_t cap)
{
	switch (type) {
	case IR_VOID:
		sp_buf_puts(out, "void");
		break;
	case IR_LONG:
		sp_buf_puts(out, "long");
		break;
	case IR_STR:
		sp_buf_printf(out, "string(%u)", cap);
		break;
	}
}

static void place(const struct dump *d, uint32_t index)
{
	const struct ir_place *p;

	if (index == IR_NO_PLACE)
		return;
	p = &d->unit->places.v[index];
	sp_buf_printf(d->out, "!%u:%u", p->line, p->column);
}

static void local_name(const struct dump *d, uint32_t index)
{
	const char *name = d->locals[index].name;

	if (name[0])
		sp_buf_puts(d->out, name);
	else
		sp_buf_printf(d->out, "%%%u", index);
}

static const char *space_name(enum ir_space space)
{
	switch (space) {
	case IR_SPACE_KERNEL: return "kernel";
	case IR_SPACE_USER: return "user";
	case IR_SPACE_TASK: return "task";
	case IR_SPACE_RESULT: return "result";
	case IR_SPACE_REGISTERS: return "registers";
	case IR_SPACE_RECORD: return "record";
	}
	return "?";
}

static const char *fixup_name(enum sp_fixup_kind kind)
{
	switch (kind) {
	case SP_FIX_TARGET_PID: return "target-pid";
	case SP_FIX_STAP_PID: return "stap-pid";
	case SP_FIX_WALL_OFFSET: return "wall-offset";
	case SP_FIX_TZ_OFFSET: return "tz-offset";
	case SP_FIX_TZ_NAME: return "tz-name";
	case SP_FIX_TERMINAL: return "terminal";
	case SP_FIX_KERNEL_SLIDE: return "kernel-slide";
	case SP_FIX_MODULE_SECTION: return "module-section";
	case SP_FIX_TSC_MULT: return "tsc-mult";
	case SP_FIX_TSC_SHIFT: return "tsc-shift";
	case SP_FIX_TSC_OFFSET: return "tsc-offset";
	case SP_FIX_CONFINED: return "confined";
	case SP_FIX_CPUS: return "cpus";
	case SP_FIX_MEMBER: return "member";
	case SP_FIX_BITS: return "bits";
	case SP_FIX_PROTOTYPE: return "prototype";
	case SP_FIX_SAME_PLACE: return "same-place";
	case SP_FIX_SYMBOL: return "symbol";
	case SP_FIX_COUNTER: return "counter";
	case SP_FIX_LAYOUT: return "layout";
	case SP_FIX_KIND_COUNT: break;
	}
	return "?";
}

static void dump_list(const struct dump *d, struct ir_expr *const *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (i)
			sp_buf_puts(d->out, ", ");
		dump_expr(d, v[i]);
	}
}

// Statements of a SEQ stand on the line of their expression.
static void dump_inline(const struct dump *d, const struct ir_stmt *s)
{
	struct sp_buf text = { 0 };
	struct dump inner = { &text, d->unit, d->locals, d->notes };

	for (; s; s = s->next)
		dump_stmt(&inner, s, 0);
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != '\n' && text.data[i] != '\t') {
			sp_buf_putc(d->out, text.data[i]);
		} else if (text.data[i] == '\n') {
			char before = i ? text.data[i - 1] : '{';
			sp_buf_puts(d->out, before == '{' ? " " : "; ");
		}
	}
	sp_buf_deinit(&text);
}

static void dump_key(const struct dump *d, uint32_t map, struct ir_expr *const *args, unsigned n)
{
	sp_buf_puts(d->out, d->unit->maps.v[map].label);
	if (!n) // a scalar aggregate
		return;
	sp_buf_putc(d->out, '[');
	dump_list(d, args, n);
	sp_buf_putc(d->out, ']');
}

static const char *stat_name(enum sp_stat stat)
{
	static const char *const names[SP_STAT_KIND_COUNT] = {
		"count", "sum", "min", "max", "avg", "variance", "hist_log", "hist_linear",
	};

	return names[stat];
}

static void dump_operands(const struct dump *d, const struct ir_expr *e)
{
	const struct ir_expr *operands[] = { e->a, e->b, e->c };
	bool any = e->n_args != 0;

	sp_buf_putc(d->out, '(');
	dump_list(d, e->args, e->n_args);
	for (unsigned i = 0; i < 3; i++) {
		if (!operands[i])
			continue;
		if (any)
			sp_buf_puts(d->out, ", ");
		dump_expr(d, operands[i]);
		any = true;
	}
	sp_buf_putc(d->out, ')');
}

static void dump_load(const struct dump *d, const struct ir_expr *e)
{
	bool is_number = e->op == IR_LOAD;

	if (!is_number)
		sp_buf_puts(d->out, ir_expr_op_name(e->op));
	else
		sp_buf_printf(d->out, "load%u%s", e->size, e->is_signed ? "s" : "");
	sp_buf_printf(d->out, ".%s", space_name(e->space));
	if (e->op == IR_CAPTURE && e->is_text)
		sp_buf_puts(d->out, ".text");
	if (!is_number && e->bytes)
		sp_buf_printf(d->out, ".%lld", (long long)e->bytes);
	if (is_number && e->space == IR_SPACE_TASK)
		sp_buf_printf(d->out, "+%lld", (long long)e->offset);
	else
		dump_operands(d, e);
}

// Operations without operands.
static void dump_leaf(const struct dump *d, const struct ir_expr *e)
{
	struct sp_buf *out = d->out;

	if (e->op == IR_CONST)
		sp_buf_printf(out, "%lld", (long long)e->value);
	else if (e->op == IR_LITERAL)
		quoted(out, e->text, e->len);
	else if (e->op == IR_LOCAL)
		local_name(d, e->local);
	else if (e->op == IR_GLOBAL)
		sp_buf_printf(out, "@%s", d->unit->globals.v[e->global].name);
	else if (e->op == IR_FIXUP)
		sp_buf_printf(out, "fixup%u:%s", e->fixup, fixup_name(d->unit->fixups.v[e->fixup].kind));
	else if (e->op == IR_SITE)
		sp_buf_puts(out, e->what == SP_SITE_TEXT_POINT	   ? "site.point"
				 : e->what == SP_SITE_TEXT_FUNCTION ? "site.function"
				 : e->what == SP_SITE_TEXT_NAME	   ? "site.name"
								   : "site.module");
	else if (e->op == IR_REG)
		sp_buf_printf(out, "reg%u[%lld]", e->size, (long long)e->offset);
	else if (e->size)
		sp_buf_printf(out, "ctx%u%s[%lld]", e->size, e->is_signed ? "s" : "", (long long)e->offset);
	else
		sp_buf_printf(out, "&ctx[%lld]", (long long)e->offset);
}

// MAP_GET and the like: operations on an element of a map or on a global.
static void dump_data(const struct dump *d, const struct ir_expr *e)
{
	const char *want = e->want == IR_WANT_OLD ? "_old" : e->want == IR_WANT_NEW ? "_new" : "";
	bool has_value = e->a && e->op != IR_MAP_GET && e->op != IR_MAP_HAS;

	if (e->op == IR_MAP_HAS)
		sp_buf_puts(d->out, "has ");
	else if (e->op == IR_STAT_GET)
		sp_buf_printf(d->out, "%s(", stat_name(e->stat));
	else if (e->op == IR_STAT_TEXT)
		sp_buf_printf(d->out, "%s(%s ", ir_expr_op_name(e->op), stat_name(e->stat));
	else if (e->op != IR_MAP_GET)
		sp_buf_printf(d->out, "%s%s(", ir_expr_op_name(e->op), want);
	if (e->op == IR_GLOBAL_ADD)
		sp_buf_printf(d->out, "@%s", d->unit->globals.v[e->global].name);
	else
		dump_key(d, e->map, e->args, e->n_args);
	if (has_value) {
		sp_buf_puts(d->out, ", ");
		dump_expr(d, e->a);
	}
	sp_buf_puts(d->out, e->op == IR_MAP_HAS || e->op == IR_MAP_GET ? "" : ")");
}

// The operation and its members, which stand before the operands.
static void dump_head(const struct dump *d, const struct ir_expr *e)
{
	struct sp_buf *out = d->out;

	if (e->op == IR_CALL)
		sp_buf_puts(out, d->unit->funcs.v[e->func].name);
	else if (e->op == IR_BUILTIN)
		sp_buf_printf(out, "builtin.%s%s", builtin_info(e->builtin)->name, e->tracer == SP_TRACER_TRAMPOLINE ? ".trampoline" : e->tracer ? ".tracepoint" : "");
	else if (e->op == IR_SYMBOLS)
		sp_buf_printf(out, "symbols.%s%lld",
			      e->at_exit ? "exit"
			      : e->space == IR_SPACE_USER ? "user"
			      : e->tracer == SP_TRACER_TRAMPOLINE ? "trampoline" : e->tracer ? "tracepoint" : "kernel", (long long)e->what);
	else if (e->op == IR_SPRINTF || e->op == IR_EMBED)
		sp_buf_printf(out, "%s.%u", ir_expr_op_name(e->op), e->index);
	else if (e->op == IR_SEXT || e->op == IR_ZEXT)
		sp_buf_printf(out, "%s%lld", ir_expr_op_name(e->op), (long long)e->bits);
	else
		sp_buf_puts(out, ir_expr_op_name(e->op));
}

static void dump_expr(const struct dump *d, const struct ir_expr *e)
{
	struct sp_buf *out = d->out;

	switch (e->op) {
	case IR_CONST: case IR_LITERAL: case IR_LOCAL: case IR_GLOBAL: case IR_FIXUP: case IR_CTX: case IR_REG: case IR_SITE:
		dump_leaf(d, e);
		break;
	case IR_LOAD: case IR_LOADSTR: case IR_LOADMEM: case IR_CAPTURE:
		dump_load(d, e);
		break;
	case IR_MAP_GET: case IR_MAP_HAS: case IR_MAP_ADD: case IR_GLOBAL_ADD: case IR_STAT_GET: case IR_STAT_TEXT:
		dump_data(d, e);
		break;
	case IR_MATCH:
		sp_buf_puts(out, "match(");
		dump_expr(d, e->a);
		sp_buf_puts(out, ", ");
		quoted(out, d->unit->regexes.v[e->regex].pattern, strlen(d->unit->regexes.v[e->regex].pattern));
		sp_buf_putc(out, ')');
		break;
	case IR_SEQ:
		sp_buf_puts(out, "seq(");
		dump_inline(d, e->stmts);
		dump_expr(d, e->a);
		sp_buf_putc(out, ')');
		break;
	case IR_NEG: case IR_NOT: case IR_LNOT: case IR_SEXT: case IR_ZEXT: case IR_STRLEN: case IR_CONCAT: case IR_COND:
	case IR_ADD: case IR_SUB: case IR_MUL: case IR_DIV: case IR_MOD: case IR_UDIV: case IR_UMOD:
	case IR_AND: case IR_OR: case IR_XOR: case IR_SHL: case IR_SHR: case IR_USHR: case IR_LAND: case IR_LOR:
	case IR_EQ: case IR_NE: case IR_LT: case IR_LE: case IR_GT: case IR_GE:
	case IR_CALL: case IR_BUILTIN: case IR_SYMBOLS: case IR_SPRINTF: case IR_EMBED:
		dump_head(d, e);
		dump_operands(d, e);
		break;
	}
	place(d, e->place);
	if (d->notes)
		d->notes->expr(d->notes->ctx, out, e);
}

static void dump_block(const struct dump *d, const struct ir_stmt *s, unsigned depth)
{
	for (; s; s = s->next) {
		if (d->notes)
			d->notes->before(d->notes->ctx, d->out, s, depth);
		dump_stmt(d, s, depth);
	}
}

static void note_stmt(const struct dump *d, const struct ir_stmt *s)
{
	if (d->notes)
		d->notes->stmt(d->notes->ctx, d->out, s);
}

static void dump_loop(const struct dump *d, const struct ir_stmt *s, unsigned depth)
{
	sp_buf_puts(d->out, "loop ");
	dump_expr(d, s->a);
	place(d, s->place);
	note_stmt(d, s);
	sp_buf_puts(d->out, " {\n");
	dump_block(d, s->then, depth + 1);
	if (s->step) {
		sp_buf_fill(d->out, '\t', depth);
		sp_buf_puts(d->out, "} step {\n");
		dump_block(d, s->step, depth + 1);
	}
	sp_buf_fill(d->out, '\t', depth);
	sp_buf_puts(d->out, "}\n");
}

static void dump_foreach(const struct dump *d, const struct ir_stmt *s, unsigned depth)
{
	const struct ir_map *map = &d->unit->maps.v[s->map];

	sp_buf_puts(d->out, "foreach ");
	if (s->foreach.value != IR_NO_LOCAL) {
		local_name(d, s->foreach.value);
		sp_buf_puts(d->out, " = ");
	}
	sp_buf_putc(d->out, '[');
	for (unsigned i = 0; i < map->n_keys; i++) {
		if (i)
			sp_buf_puts(d->out, ", ");
		local_name(d, s->foreach.keys[i]);
	}
	sp_buf_printf(d->out, "] in %s", map->label);
	if (s->foreach.sort_key >= SP_VM_SORT_STAT)
		sp_buf_printf(d->out, " sort %s%c", stat_name((enum sp_stat)(s->foreach.sort_key - SP_VM_SORT_STAT)),
			      s->foreach.sort_dir < 0 ? '-' : '+');
	else if (s->foreach.sort_dir)
		sp_buf_printf(d->out, " sort %u%c", s->foreach.sort_key,
			      s->foreach.sort_dir < 0 ? '-' : '+');
	if (s->foreach.limit) {
		sp_buf_puts(d->out, " limit ");
		dump_expr(d, s->foreach.limit);
	}
	note_stmt(d, s);
	sp_buf_puts(d->out, " {\n");
	dump_block(d, s->then, depth + 1);
	sp_buf_fill(d->out, '\t', depth);
	sp_buf_puts(d->out, "}\n");
}

static void dump_branches(const struct dump *d, const struct ir_stmt *s, unsigned depth)
{
	if (s->op == IR_S_IF) {
		sp_buf_puts(d->out, "if ");
		dump_expr(d, s->a);
	} else {
		sp_buf_puts(d->out, "try");
	}
	note_stmt(d, s);
	sp_buf_puts(d->out, " {\n");
	dump_block(d, s->then, depth + 1);
	if (s->otherwise || s->op == IR_S_TRY) {
		sp_buf_fill(d->out, '\t', depth);
		sp_buf_puts(d->out, s->op == IR_S_IF ? "} else" : "} catch");
		if (s->message != IR_NO_LOCAL) {
			sp_buf_putc(d->out, ' ');
			local_name(d, s->message);
		}
		sp_buf_puts(d->out, " {\n");
		dump_block(d, s->otherwise, depth + 1);
	}
	sp_buf_fill(d->out, '\t', depth);
	sp_buf_puts(d->out, "}\n");
}

static void dump_simple(const struct dump *d, const struct ir_stmt *s)
{
	struct sp_buf *out = d->out;

	sp_buf_puts(out, ir_stmt_op_name(s->op));
	if (s->op == IR_S_MAP_SET || s->op == IR_S_STORE || s->op == IR_S_FAIL ||
	    s->op == IR_S_STAT_ADD || s->op == IR_S_STAT_PRINT)
		place(d, s->place);
	if (s->op == IR_S_SET) {
		sp_buf_putc(out, ' ');
		local_name(d, s->local);
		sp_buf_puts(out, " =");
	} else if (s->op == IR_S_GSET) {
		sp_buf_printf(out, " @%s =", d->unit->globals.v[s->global].name);
	} else if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL) {
		sp_buf_putc(out, ' ');
		dump_key(d, s->map, s->args, s->n_args);
		sp_buf_puts(out, s->op == IR_S_MAP_SET ? " =" : "");
	} else if (s->op == IR_S_STAT_ADD) {
		sp_buf_putc(out, ' ');
		dump_key(d, s->map, s->args, s->n_args);
		sp_buf_puts(out, " <<<");
	} else if (s->op == IR_S_STAT_PRINT) {
		sp_buf_printf(out, " %s(", stat_name(s->stat));
		dump_key(d, s->map, s->args, s->n_args);
		sp_buf_putc(out, ')');
	} else if (s->op == IR_S_MAP_CLEAR) {
		sp_buf_printf(out, " %s", d->unit->maps.v[s->map].label);
	} else if (s->op == IR_S_EMIT) {
		sp_buf_printf(out, " %u(", s->format);
		dump_list(d, s->args, s->n_args);
		sp_buf_putc(out, ')');
	} else if (s->op == IR_S_STORE) {
		sp_buf_printf(out, "%u.%s", s->size, space_name(s->space));
	}
	if (s->a) {
		sp_buf_putc(out, ' ');
		dump_expr(d, s->a);
	}
	if (s->b) {
		sp_buf_puts(out, ", ");
		dump_expr(d, s->b);
	}
	note_stmt(d, s);
	sp_buf_putc(out, '\n');
}

static void dump_stmt(const struct dump *d, const struct ir_stmt *s, unsigned depth)
{
	sp_buf_fill(d->out, '\t', depth);
	switch (s->op) {
	case IR_S_LOOP:
		dump_loop(d, s, depth);
		break;
	case IR_S_FOREACH:
		dump_foreach(d, s, depth);
		break;
	case IR_S_IF:
	case IR_S_TRY:
		dump_branches(d, s, depth);
		break;
	case IR_S_SET:
	case IR_S_GSET:
	case IR_S_MAP_SET:
	case IR_S_MAP_DEL:
	case IR_S_MAP_CLEAR:
	case IR_S_STAT_ADD:
	case IR_S_STAT_PRINT:
	case IR_S_STORE:
	case IR_S_EMIT:
	case IR_S_EVAL:
	case IR_S_BREAK:
	case IR_S_CONTINUE:
	case IR_S_RETURN:
	case IR_S_FAIL:
	case IR_S_EXIT:
	case IR_S_ABORT:
		dump_simple(d, s);
		break;
	}
}

// ---- declarations -------------------------------------------------------------------------------

// stats(count, hist_linear 0 10 1)
static void shape_name(struct sp_buf *out, const struct sp_stat_shape *shape)
{
	const char *between = "";

	sp_buf_puts(out, "stats(");
	for (unsigned i = 0; i < SP_STAT_KIND_COUNT; i++) {
		if (!(shape->reads >> i & 1))
			continue;
		sp_buf_printf(out, "%s%s", between, stat_name((enum sp_stat)i));
		between = ", ";
	}
	if (shape->reads >> SP_STAT_LINEAR & 1)
		sp_buf_printf(out, " %lld %lld %lld", (long long)shape->linear.low, (long long)shape->linear.high,
			      (long long)shape->linear.width);
	sp_buf_putc(out, ')');
}

static void dump_globals(const struct dump *d)
{
	struct sp_buf *out = d->out;

	for (uint32_t i = 0; i < d->unit->globals.n; i++) {
		const struct ir_global *g = &d->unit->globals.v[i];

		sp_buf_printf(out, "global %s: ", g->name);
		type_name(out, g->type, g->cap);
		if (g->type == IR_LONG && g->init)
			sp_buf_printf(out, " = %lld", (long long)g->init);
		if (g->init_text) {
			sp_buf_puts(out, " = ");
			quoted(out, g->init_text, g->init_len);
		}
		sp_buf_puts(out, g->is_unread ? " unread" : "");
		sp_buf_puts(out, g->is_private ? " private" : "");
		if (d->notes)
			d->notes->global(d->notes->ctx, out, i);
		sp_buf_putc(out, '\n');
	}
	sp_vec_each(m, &d->unit->maps) {
		sp_buf_printf(out, "map %s", m->label);
		for (unsigned i = 0; i < m->n_keys; i++) {
			sp_buf_puts(out, i ? ", " : "[");
			type_name(out, m->keys[i].type, m->keys[i].size);
		}
		sp_buf_puts(out, m->n_keys ? "]: " : ": ");
		if (m->kind == SP_MAP_STAT)
			shape_name(out, &m->stat);
		else
			type_name(out, m->value_type, m->value_size);
		sp_buf_printf(out, ", %u elements%s%s%s", m->max_entries, m->wraps ? " wraps" : m->forgets ? " forgets" : "",
			      m->is_unread ? " unread" : "", m->is_private ? " private" : "");
		if (!sp_streq(m->name, m->label))
			sp_buf_printf(out, " as %s", m->name);
		sp_buf_putc(out, '\n');
	}
}

// The fields that print a part of an argument; the line of the format has the others.
static void dump_field(const struct dump *d, const struct ir_field *f)
{
	static const char *const types[] = { "long", "string", "symbols", "bits", "named", "float", "quoted",
					     "captured", "value", "wide", "when", "unless", "until", "name", "name-end" };
	bool has_names = f->type == SP_NAMED || f->type == SP_WHEN || f->type == SP_UNLESS;

	if (f->type <= SP_SYMBOLS)
		return;
	sp_buf_printf(d->out, "\t%s %u+%u:%u", types[f->type], f->arg, f->at, f->size);
	if (f->type == SP_BITS || has_names)
		sp_buf_printf(d->out, " %s %u:%u", f->is_signed ? "signed" : "unsigned", f->bit_off, f->bit_size);
	if (has_names)
		sp_buf_printf(d->out, " names %s..", d->unit->names.v[f->more].text);
	if (f->type == SP_NAME)
		sp_buf_printf(d->out, " %s%s", d->unit->names.v[f->more].text, f->is_number ? " number" : "");
	if (f->type == SP_VALUE)
		sp_buf_printf(d->out, " format %u", f->more);
	if (f->type == SP_WIDE)
		sp_buf_printf(d->out, " %s base %u", f->is_signed ? "signed" : "unsigned", f->more);
	sp_buf_putc(d->out, '\n');
}

static void dump_formats(const struct dump *d)
{
	static const char *const kinds[] = { "print", "log", "warn", "system", "string", "part", "deferred", "iter" };

	for (size_t i = 0; i < d->unit->formats.n; i++) {
		const struct ir_format *f = &d->unit->formats.v[i];
		sp_buf_printf(d->out, "format %zu: %s ", i, kinds[f->kind]);
		quoted(d->out, f->text, strlen(f->text));
		for (unsigned k = 0; k < f->n_args; k++) {
			sp_buf_puts(d->out, k ? ", " : " ");
			type_name(d->out, f->args[k].type, f->args[k].size);
		}
		sp_buf_puts(d->out, f->tells_who ? " tells-who\n" : "\n");
		for (unsigned k = 0; k < f->n_fields; k++)
			dump_field(d, &f->fields[k]);
	}
}

static void dump_locals(const struct dump *d, const struct ir_func *func, const struct ir_prog *prog)
{
	size_t n = func ? func->locals.n : prog->locals.n;

	for (uint32_t i = func ? func->n_params : 0; i < n; i++) {
		sp_buf_puts(d->out, "\tlocal ");
		local_name(d, i);
		sp_buf_puts(d->out, ": ");
		type_name(d->out, d->locals[i].type, d->locals[i].cap);
		if (d->notes)
			d->notes->local(d->notes->ctx, d->out, func, prog, i);
		sp_buf_putc(d->out, '\n');
	}
}

static void dump_func(struct dump *d, uint32_t index)
{
	const struct ir_func *f = &d->unit->funcs.v[index];

	d->locals = f->locals.v;
	sp_buf_printf(d->out, "function %s(", f->name);
	for (unsigned i = 0; i < f->n_params; i++) {
		sp_buf_puts(d->out, i ? ", " : "");
		local_name(d, i);
		sp_buf_puts(d->out, ": ");
		type_name(d->out, f->locals.v[i].type, f->locals.v[i].cap);
	}
	sp_buf_puts(d->out, "): ");
	type_name(d->out, f->type, f->cap);
	if (d->notes)
		d->notes->func(d->notes->ctx, d->out, index);
	sp_buf_putc(d->out, '\n');
	dump_locals(d, f, NULL);
	dump_block(d, f->body, 1);
}

static void dump_prog(struct dump *d, uint32_t index)
{
	const struct ir_prog *p = &d->unit->progs.v[index];

	d->locals = p->locals.v;
	sp_buf_printf(d->out, "probe %s", p->name);
	if (p->section[0])
		sp_buf_printf(d->out, " in %s", p->section);
	if (d->notes)
		d->notes->prog(d->notes->ctx, d->out, index);
	sp_buf_puts(d->out, p->reads_floats ? " reads-floats" : "");
	if (p->condition)
		sp_buf_printf(d->out, " if:%u", p->condition);
	if (p->deferral.rest != SP_NONE)
		sp_buf_printf(d->out, " then %s", d->unit->progs.v[p->deferral.rest].name);
	sp_buf_putc(d->out, '\n');
	for (unsigned i = 0; i < p->n_sites; i++) {
		const struct ir_site *s = &d->unit->sites.v[p->first_site + i];
		sp_buf_printf(d->out, "\tsite %s%s\n", s->point, s->optional ? " optional" : "");
	}
	dump_locals(d, NULL, p);
	dump_block(d, p->body, 1);
}

void ir_dump(struct sp_buf *out, const struct ir_unit *unit, const struct ir_notes *notes)
{
	struct dump d = { out, unit, NULL, notes };

	dump_globals(&d);
	dump_formats(&d);
	for (uint32_t i = 0; i < unit->funcs.n; i++)
		dump_func(&d, i);
	for (uint32_t i = 0; i < unit->progs.n; i++)
		dump_prog(&d, i);
}
