// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_print.h"

#include "compiler/ir/ir_clone.h"
#include "compiler/lower/lower_call.h"
#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_pretty.h"
#include "compiler/lower/lower_stat.h"
#include "compiler/lower/lower_symbols.h"
#include "compiler/sema/format.h"
#include "runtime/base/directive.h"

#include <assert.h>

#define MAX_FLOAT_LEN 320 // -1.8e308 with %f, without the digits behind the point

void lower_format_deinit(struct lower_format *p)
{
	sp_buf_deinit(&p->text);
	sp_vec_deinit(&p->args);
	sp_vec_deinit(&p->fields);
	sp_vec_deinit(&p->names);
}

void lower_format_text(struct lower_format *p, const char *text, size_t len)
{
	for (size_t i = 0; i < len && text[i]; i++) {
		if (text[i] == '%')
			sp_buf_putc(&p->text, '%');
		sp_buf_putc(&p->text, text[i]);
		p->max_len++;
	}
}

uint32_t lower_format_value(struct lower_format *p, struct ir_expr *value)
{
	sp_vec_push(&p->args, value);
	return (uint32_t)p->args.n - 1;
}

void lower_format_arg(struct lower_format *p, struct ir_expr *value, const char *directive, uint64_t max_len)
{
	sp_vec_push(&p->fields, ((struct ir_field){ .arg = lower_format_value(p, value) }));
	sp_buf_puts(&p->text, directive);
	p->max_len += max_len;
}

// ---- names of values ----------------------------------------------------------------------------

// print_backtrace() and its kin call functions that only the library knows.
static bool is_stack(const struct ast_expr *call)
{
	return !call->call.function && sp_starts_with(call->call.name, "__") && builtin_info((enum builtin_id)call->call.builtin)->lower == BUILTIN_LOWER_SYMBOLS;
}

// A variable, or the function that is called; NULL: it is neither.
static const char *name_of(const struct ast_expr *e)
{
	switch (e->kind) {
	case AST_NAME: return e->name.name;
	case AST_INDEX: return e->index.name;
	case AST_CALL: return is_stack(e) ? "stack" : e->call.name;
	case AST_RESOLVED: return e->resolved->text;
	case AST_STAT: return e->stat.stat->kind == AST_NAME ? e->stat.stat->name.name : e->stat.stat->index.name;
	case AST_NUMBER: case AST_STRING: case AST_PRINT: case AST_UNARY: case AST_BINARY: case AST_TERNARY: case AST_ASSIGN:
	case AST_INCDEC: case AST_IN: case AST_REGEX: case AST_TARGET: case AST_CAST: case AST_ATVAR: case AST_DEFINED:
	case AST_ENTRY: case AST_PERF: case AST_PROBEWRITE: case AST_HIST: case AST_EMBEDDED: case AST_ERROR:
		break;
	}
	return NULL;
}

static bool is_taken(const struct lower_format *p, const char *name)
{
	sp_vec_each(other, &p->names)
		if (sp_streq(*other, name))
			return true;
	return false;
}

// Of values without a name, and of the second of one name, the place among the values is the name: arg2.
static const char *choose_name(const struct lower_format *p, const struct ast_expr *e)
{
	const char *name = name_of(e);

	for (size_t n = p->names.n + 1; !name || is_taken(p, name); n++)
		name = sp_arena_printf(&p->l->unit->arena, "arg%zu", n);
	return name;
}

// Does C say so? A %x prints it without its sign.
static bool is_signed(const struct ast_expr *e)
{
	const struct c_type *type = e->kind == AST_RESOLVED && e->resolved->type ? c_type_strip(e->resolved->type) : NULL;

	return type && (type->kind == C_INT || type->kind == C_ENUM) && type->is_signed;
}

// What is added up to end_value() is a value. Returns whether it is to be ended.
static bool begin_value(struct lower_format *p, const struct ast_expr *e)
{
	struct ir_name name = { 0 };

	if (!p->names_values)
		return false;
	name.text = choose_name(p, e);
	sp_vec_push(&p->names, name.text);
	sp_vec_push(&p->fields, ((struct ir_field){ .type = SP_NAME, .size = 1, .more = ir_names(p->l->unit, &name, 1),
						    .is_number = e->type == TYPE_LONG, .is_signed = is_signed(e) }));
	sp_buf_puts(&p->text, "%s");
	return true;
}

static void end_value(struct lower_format *p, bool is_begun)
{
	if (!is_begun)
		return;
	sp_vec_push(&p->fields, ((struct ir_field){ .type = SP_NAME_END, .size = 1 }));
	sp_buf_puts(&p->text, "%s");
}

// ---- values -------------------------------------------------------------------------------------

static void add_format(struct lower_format *p, const struct ast_expr *e);
static void add_list(struct lower_format *p, const struct ast_expr *e);

// print(@hist_log(x)), sprintln(@hist_log(x)) and the like: like SystemTap's, without a line end of their own.
static bool is_of_hist(const struct ast_expr *e)
{
	return e->kind == AST_PRINT && e->print.args.n == 1 && e->print.args.v[0]->kind == AST_HIST &&
	       !e->print.args.v[0]->hist.bucket;
}

// An extractor that an empty aggregate has no value for is printed as nothing by handlers that run outside of the kernel, as `end` does.
// In `try` it is the error that `catch` waits for, and so it is everywhere for --compatible. In the kernel to make a text of the number
// would take the verifier too long, and functions do not know who calls them.
static bool may_be_nothing(const struct lower_format *p, const struct ast_expr *e)
{
	const struct lower *l = p->l;
	bool is_outside = !l->function && l->handler && l->handler->prog_kind == SP_PROG_USER;

	return e->kind == AST_STAT && e->stat.op != STAT_COUNT && e->stat.op != STAT_SUM && is_outside && !l->tries && !l->opts->empty_fails;
}

// The text that `directive` makes of it; "" when there are no values. Both look at the element, whose key is computed once.
static struct ir_expr *shown_or_nothing(const struct lower_format *p, const struct ast_expr *e, const char *directive, uint64_t max_len)
{
	struct lower_format text = { .l = p->l, .to_string = true };
	struct ir_expr *value, *count, *shown;
	struct lower_list list;

	lower_list_begin(p->l, &list);
	value = lower_stat_get(p->l, e);
	if (lower_has_effects(value))
		lower_keep_key(p->l, value->args, value->n_args, NULL);
	count = ir_clone_expr(p->l->unit, value);
	count->stat = SP_STAT_COUNT;
	lower_format_arg(&text, value, directive, max_len);
	shown = lower_choose(p->l, count, lower_format_string(&text, value->place), ir_literal(p->l->unit, "", 0));
	lower_format_deinit(&text);
	return ir_seq(p->l->unit, lower_list_end(p->l, &list), shown);
}

// The statements of what comes next stand before all values: those with effects, and what is read before these, are computed before them.
// Bytes of memory wait in the record.
static void compute_effects(struct lower_format *p)
{
	size_t n = p->args.n;

	while (n && !lower_has_effects(p->args.v[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++)
		if (p->args.v[i]->op != IR_CAPTURE && p->args.v[i]->op != IR_LOADMEM && p->args.v[i]->op != IR_SYMBOLS)
			p->args.v[i] = lower_keep(p->l, p->args.v[i]);
}

static void add_leaf(struct lower_format *p, const struct ast_expr *e)
{
	struct ir_expr *value;
	struct sp_buf number = { 0 };

	if (e->kind == AST_RESOLVED && e->resolved->pretty) {
		compute_effects(p);
		lower_pretty_put(p, e);
		return;
	}
	value = may_be_nothing(p, e) ? shown_or_nothing(p, e, "%d", 20) : lower_expr(p->l, e);
	if (value->op == IR_LITERAL) {
		lower_format_text(p, value->text, value->len);
	} else if (value->op == IR_CONST) {
		sp_buf_printf(&number, "%lld", (long long)value->value);
		lower_format_text(p, number.data, number.len);
		sp_buf_deinit(&number);
	} else if (value->type == IR_STR) {
		lower_format_arg(p, value, "%s", value->cap - 1);
	} else {
		lower_format_arg(p, value, "%d", 20);
	}
}

// A value in its natural form: %d or %s.
static void add_value(struct lower_format *p, const struct ast_expr *e)
{
	bool is_begun;

	if (e->kind == AST_STRING) {
		lower_format_text(p, e->string.text, e->string.len);
		return;
	}
	if (e->kind == AST_BINARY && e->binary.op == BIN_CONCAT) {
		add_value(p, e->binary.a);
		add_value(p, e->binary.b);
		return;
	}
	if (e->kind == AST_PRINT && e->print.to_string && e->print.kind == PRINT_F && !format_may_have_nul(e->print.format)) {
		add_format(p, e);
		return;
	}
	if (e->kind == AST_PRINT && e->print.to_string && e->print.kind != PRINT_CHAR && e->print.kind != PRINT_F &&
	    !is_of_hist(e)) {
		add_list(p, e);
		return;
	}
	is_begun = e->kind != AST_NUMBER && begin_value(p, e); // a number in the script is a part of the text
	add_leaf(p, e);
	end_value(p, is_begun);
}

// print println printd printdln
static void add_list(struct lower_format *p, const struct ast_expr *e)
{
	const struct ast_expr *delimiter = e->print.kind == PRINT_D || e->print.kind == PRINT_DLN
						   ? e->print.format
						   : NULL;

	for (unsigned i = 0; i < e->print.args.n; i++) {
		if (i && delimiter)
			lower_format_text(p, delimiter->string.text, delimiter->string.len);
		add_value(p, e->print.args.v[i]);
	}
	if (e->print.kind == PRINT_LN || e->print.kind == PRINT_DLN)
		lower_format_text(p, "\n", 1);
}

// ---- printf -------------------------------------------------------------------------------------

static uint64_t directive_len(const struct format_part *part, const struct ir_expr *value)
{
	uint64_t len = strchr("feg", part->conversion) ? MAX_FLOAT_LEN + (uint64_t)SP_MAX(part->precision, 0) :
		       part->conversion == 'c' ? 4 : part->conversion == 's' ? value->cap - 1 : 24;

	if (part->conversion == 'm' || part->conversion == 'M')
		len = 2 * (uint64_t)value->cap;
	if (part->star_width || (part->star_precision && part->conversion != 's'))
		return UINT32_MAX;
	if (part->conversion == 's' && part->precision >= 0)
		len = SP_MIN(len, (uint64_t)part->precision);
	else if (part->precision >= 0)
		len = SP_MAX(len, (uint64_t)part->precision + 2);
	return part->width > 0 ? SP_MAX(len, (uint64_t)part->width) : len;
}

// Infer has checked that there are as many arguments as directives take, and of their types.
static const struct ast_expr *take(const struct ast_expr *e, unsigned *next)
{
	assert(*next < e->print.args.n);
	return e->print.args.v[(*next)++];
}

// The memory that %m and %M print: as many bytes as the precision says, captured in the record.
static struct ir_expr *memory_at(struct lower_format *p, struct ir_expr *address, const struct format_part *part,
				 const char *flags, uint32_t place)
{
	const struct lower *l = p->l;
	struct ir_expr *e = ir_expr_new(l->unit, IR_LOADMEM, IR_STR, place);
	bool in_program = l->site && l->site->space == SPACE_USER;
	bool is_user = memchr(flags, '#', part->spec_len) || in_program ||
		       !target_has(&l->unit->target, SP_FEATURE_KERNEL_READ);

	e->space = is_user ? IR_SPACE_USER : IR_SPACE_KERNEL;
	e->a = address;
	e->bytes = part->precision < 0 ? 1 : SP_MAX(SP_MIN(part->precision, SP_DIRECTIVE_MAX_WIDTH), 1);
	if (part->star_precision)
		e->bytes = l->unit->max_string;
	e->cap = (uint32_t)SP_ALIGN_UP((uint64_t)e->bytes, 8);
	return e;
}

// Where there is no number to print, its place is as wide as the directive says.
static bool add_or_nothing(struct lower_format *p, const struct ast_expr *e, const struct format_part *part, const char *spec)
{
	struct format_part shown = { .conversion = 's', .width = part->width, .precision = SP_DIRECTIVE_UNSET };
	const char *own, *outer;
	struct sp_arena *arena = &p->l->unit->arena;

	if (!may_be_nothing(p, e) || part->star_width || part->star_precision || !strchr("diuxXop", part->conversion))
		return false;
	own = sp_arena_printf(arena, "%.*s%c", (int)part->spec_len, spec, part->conversion);
	outer = part->width > 0 ? sp_arena_printf(arena, "%%%s%ds", memchr(spec, '-', part->spec_len) ? "-" : "", part->width) : "%s";
	struct ir_expr *value = shown_or_nothing(p, e, own, directive_len(part, NULL));
	lower_format_arg(p, value, outer, directive_len(&shown, value));
	return true;
}

// The most that the number for a `*` may be. Of memory, a record has as much as of a text; of a text, no more than all of it is printed.
static int64_t most_of_star(const struct lower *l, const struct format_part *part, bool is_precision)
{
	const int64_t most = SP_DIRECTIVE_MAX_WIDTH;

	if (!is_precision || !strchr("smM", part->conversion))
		return most;
	return part->conversion != 's' ? SP_MIN((int64_t)l->unit->max_string, most) : l->unit->max_string <= most ? INT64_MAX : most;
}

// error() names no place, so the text does.
static struct ir_stmt *fail_star(const struct lower *l, int64_t most, uint32_t place)
{
	const struct ir_place *at = place == IR_NO_PLACE ? NULL : &l->unit->places.v[place];
	const char *text = sp_arena_printf(&l->unit->arena, "* asks for more than %lld characters", (long long)most);
	struct ir_stmt *fail = ir_stmt_new(l->unit, IR_S_FAIL, place);

	if (at)
		text = sp_arena_printf(&l->unit->arena, "%s at %s:%u:%u", text, at->file, at->line, at->column);
	fail->a = ir_literal(l->unit, text, strlen(text));
	return fail;
}

// The number for a `*`, which fails where it asks for more than can be printed. A width below 0 is the flag `-`, such a precision is none.
static struct ir_expr *star_value(struct lower *l, const struct ast_expr *e, const struct format_part *part, bool is_precision)
{
	const int64_t most = most_of_star(l, part, is_precision);
	uint32_t place = lower_place(l, e->span, "", NULL);
	struct lower_list list;
	struct ir_expr *value;
	struct ir_stmt *test;

	lower_list_begin(l, &list);
	value = lower_keep(l, lower_expr(l, e));
	if (most < INT64_MAX && (value->op != IR_CONST || value->value > most || value->value < -most)) {
		test = ir_stmt_new(l->unit, IR_S_IF, place);
		test->a = lower_with(l, IR_GT, value, most);
		if (!is_precision)
			test->a = ir_binary(l->unit, IR_LOR, test->a, lower_with(l, IR_LT, value, -most), place);
		test->then = fail_star(l, most, place);
		lower_emit(l, test);
	}
	return ir_seq(l->unit, lower_list_end(l, &list), value);
}

static void add_directive(struct lower_format *p, const struct ast_expr *e, const struct format_part *part,
			  unsigned *next)
{
	const char *spec = e->print.format->string.text + part->off;
	unsigned n_stars = (unsigned)part->star_width + (unsigned)part->star_precision;
	struct ir_expr *value, *star = NULL;
	const struct ast_expr *arg;
	bool is_begun;

	assert(*next + n_stars < e->print.args.n);
	arg = e->print.args.v[*next + n_stars];
	if (part->spec_len == 1 &&
	    (part->conversion == 's' || (part->conversion == 'd' && arg->kind == AST_NUMBER))) {
		add_value(p, take(e, next));
		return;
	}
	is_begun = begin_value(p, arg);
	for (unsigned i = 0; i < n_stars; i++) { // are of the directive, in front of which the name is
		star = star_value(p->l, take(e, next), part, i == (unsigned)part->star_width);
		if (part->conversion == 'm' || part->conversion == 'M') {
			compute_effects(p);
			star = lower_keep(p->l, star);
		}
		sp_vec_push(&p->fields, ((struct ir_field){ .arg = lower_format_value(p, star) }));
	}
	take(e, next);
	if (add_or_nothing(p, arg, part, spec)) {
		end_value(p, is_begun);
		return;
	}
	value = lower_expr(p->l, arg);
	if (part->conversion == 'm' || part->conversion == 'M') {
		value = memory_at(p, value, part, spec, lower_place(p->l, arg->span, "", NULL));
		value->b = part->star_precision ? star : NULL;
	}
	// The runtime's format has no length such as `l`: all numbers have 64 bits.
	lower_format_arg(p, value,
		sp_arena_printf(&p->l->unit->arena, "%.*s%c", (int)part->spec_len, spec, part->conversion),
		directive_len(part, value));
	end_value(p, is_begun);
}

// printf and sprintf
static void add_format(struct lower_format *p, const struct ast_expr *e)
{
	const char *text = e->print.format->string.text;
	struct format_part part;
	unsigned next = 0;
	uint32_t at = 0;

	while (format_next(text, e->print.format->string.len, &at, &part) == FORMAT_PART) {
		if (!part.conversion)
			lower_format_text(p, text + part.off, part.len);
		else if (part.conversion == '%')
			lower_format_text(p, "%", 1);
		else
			add_directive(p, e, &part, &next);
	}
}

// ---- the family ---------------------------------------------------------------------------------

static void collect(struct lower_format *p, const struct ast_expr *e)
{
	switch (e->print.kind) {
	case PRINT_F:
		add_format(p, e);
		break;
	case PRINT_CHAR:
		for (unsigned i = 0; i < e->print.args.n; i++) {
			bool is_begun = begin_value(p, e->print.args.v[i]);

			lower_format_arg(p, lower_expr(p->l, e->print.args.v[i]), "%c", 1);
			end_value(p, is_begun);
		}
		break;
	case PRINT_PLAIN:
	case PRINT_LN:
	case PRINT_D:
	case PRINT_DLN:
		add_list(p, e);
		break;
	}
}

uint32_t lower_format_make(struct lower_format *p, enum sp_format_kind kind, const char *text,
			   const struct ir_field *fields, unsigned n_fields)
{
	struct ir_arg *args = sp_calloc(p->args.n + 1, sizeof(*args));
	uint32_t format;

	for (size_t i = 0; i < p->args.n; i++) {
		struct ir_expr *e = p->args.v[i];

		e->is_late = e->op == IR_SYMBOLS && kind != SP_FORMAT_STRING;
		args[i].type = e->type;
		args[i].is_late = e->is_late;
		args[i].size = e->is_late ? lower_symbols_size(e) : e->type == IR_STR ? e->cap : 8;
	}
	format = ir_format_parts(p->l->unit, text, kind, args, (unsigned)p->args.n, fields, n_fields);
	free(args);
	return format;
}

static uint32_t make_format(struct lower_format *p, enum sp_format_kind kind)
{
	lower_protect(p->l, p->args.v, (unsigned)p->args.n);
	return lower_format_make(p, kind, sp_buf_str(&p->text), p->fields.v, (unsigned)p->fields.n);
}

static struct ir_expr **copy_args(struct lower_format *p)
{
	return sp_arena_memdup(&p->l->unit->arena, p->args.v, p->args.n * sizeof(*p->args.v));
}

static void add_who(struct lower_format *p)
{
	struct ir_expr *who[LOWER_WHO];

	lower_who(p->l, who);
	for (unsigned i = 0; i < LOWER_WHO; i++)
		lower_format_value(p, who[i]);
}

static struct ir_stmt *record(struct lower_format *p, enum sp_format_kind kind, uint32_t place)
{
	struct ir_stmt *s = ir_stmt_new(p->l->unit, IR_S_EMIT, place);
	bool tells_who = p->l->opts->json && (kind == SP_FORMAT_PRINT || kind == SP_FORMAT_LOG || kind == SP_FORMAT_WARN);

	if (tells_who)
		add_who(p);
	s->format = make_format(p, kind);
	p->l->unit->formats.v[s->format].tells_who = tells_who;
	s->n_args = (unsigned)p->args.n;
	s->args = copy_args(p);
	return s;
}

void lower_print(struct lower *l, const struct ast_expr *e)
{
	struct lower_format p = { .l = l, .names_values = l->opts->json };

	if (is_of_hist(e)) {
		lower_stat_print(l, e);
		return;
	}
	// print(sprint(@hist_log(x))): no string, which would cut it
	if ((e->print.kind == PRINT_PLAIN || e->print.kind == PRINT_LN) && e->print.args.n == 1 &&
	    is_of_hist(e->print.args.v[0])) {
		lower_stat_print(l, e->print.args.v[0]);
		if (e->print.kind == PRINT_LN)
			lower_format_text(&p, "\n", 1);
	} else {
		collect(&p, e);
	}
	if (p.text.len)
		lower_emit(l, record(&p, SP_FORMAT_PRINT, lower_place(l, e->span, "", NULL)));
	lower_format_deinit(&p);
}

struct ir_stmt *lower_line(struct lower *l, const struct ast_expr *text, enum sp_format_kind kind,
			   uint32_t place)
{
	struct lower_format p = { .l = l, .names_values = l->opts->json && (kind == SP_FORMAT_LOG || kind == SP_FORMAT_WARN) };
	struct ir_stmt *s;

	add_value(&p, text);
	s = record(&p, kind, place);
	lower_format_deinit(&p);
	return s;
}

// The text of a format without arguments is constant: `%%` is its only directive.
static struct ir_expr *constant_text(struct lower_format *p)
{
	struct sp_buf plain = { 0 };
	struct ir_expr *e;

	for (size_t i = 0; i < p->text.len; i++) {
		i += p->text.data[i] == '%';
		sp_buf_putc(&plain, p->text.data[i]);
	}
	e = ir_literal(p->l->unit, sp_buf_str(&plain), plain.len);
	sp_buf_deinit(&plain);
	return e;
}

static struct ir_expr *made_string(struct lower_format *p, uint64_t max_len, uint32_t place)
{
	struct ir_expr *text = ir_expr_new(p->l->unit, IR_SPRINTF, IR_STR, place);

	text->format = make_format(p, SP_FORMAT_STRING);
	text->n_args = (unsigned)p->args.n;
	text->args = copy_args(p);
	text->cap = lower_cap(p->l, max_len + 1);
	for (unsigned i = 0; i < text->n_args; i++)
		text->cap = SP_MAX(text->cap, lower_part_room(text->args[i]));
	return text;
}

struct ir_expr *lower_format_string(struct lower_format *p, uint32_t place)
{
	if (!p->args.n)
		return constant_text(p);
	if (p->args.n == 1 && sp_streq(p->text.data, "%s"))
		return p->args.v[0];
	return made_string(p, p->max_len, place);
}

struct ir_expr *lower_format_kept(struct lower_format *p, uint32_t place)
{
	return p->args.n ? made_string(p, UINT32_MAX, place) : constant_text(p);
}

struct ir_expr *lower_sprint(struct lower *l, const struct ast_expr *e)
{
	struct lower_format p = { .l = l, .to_string = true };
	struct lower_list list;
	struct ir_expr *text;

	if (is_of_hist(e))
		return lower_stat_text(l, e);
	lower_list_begin(l, &list);
	collect(&p, e);
	text = lower_format_string(&p, lower_place(l, e->span, "", NULL));
	lower_format_deinit(&p);
	return ir_seq(l->unit, lower_list_end(l, &list), text);
}
