// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/ir/lower_print.h"

#include "compiler/ir/lower_expr.h"

// A format that grows, with its values.
struct print {
	struct lower *l;
	struct sp_buf text;
	SP_VEC(struct ir_expr *) args;
	uint64_t max_len; // most bytes that the text can have; UINT32_MAX and up: not known
	bool failed;
};

static void print_deinit(struct print *p)
{
	sp_buf_deinit(&p->text);
	sp_vec_deinit(&p->args);
}

static void add_text(struct print *p, const char *text, size_t len)
{
	for (size_t i = 0; i < len && text[i]; i++) {
		if (text[i] == '%')
			sp_buf_putc(&p->text, '%');
		sp_buf_putc(&p->text, text[i]);
		p->max_len++;
	}
}

static void add_arg(struct print *p, struct ir_expr *value, const char *directive, uint64_t max_len)
{
	sp_vec_push(&p->args, value);
	sp_buf_puts(&p->text, directive);
	p->max_len += max_len;
}

static void add_format(struct print *p, const struct ast_expr *e);
static void add_list(struct print *p, const struct ast_expr *e);

// A value in its natural form: %d or %s.
static void add_value(struct print *p, const struct ast_expr *e)
{
	struct ir_expr *value;
	struct sp_buf number = { 0 };

	if (e->kind == AST_STRING) {
		add_text(p, e->string.text, e->string.len);
		return;
	}
	if (e->kind == AST_BINARY && e->binary.op == BIN_CONCAT) {
		add_value(p, e->binary.a);
		add_value(p, e->binary.b);
		return;
	}
	if (e->kind == AST_PRINT && e->print.to_string && e->print.kind == PRINT_F) {
		add_format(p, e);
		return;
	}
	if (e->kind == AST_PRINT && e->print.to_string && e->print.kind != PRINT_CHAR) {
		add_list(p, e);
		return;
	}
	value = lower_expr(p->l, e);
	if (value->op == IR_LITERAL) {
		add_text(p, value->text, value->len);
	} else if (value->op == IR_CONST) {
		sp_buf_printf(&number, "%lld", (long long)value->imm);
		add_text(p, number.data, number.len);
		sp_buf_deinit(&number);
	} else if (value->type == IR_STR) {
		add_arg(p, value, "%s", value->cap - 1);
	} else {
		add_arg(p, value, "%d", 20);
	}
}

// print println printd printdln
static void add_list(struct print *p, const struct ast_expr *e)
{
	const struct ast_expr *delimiter = e->print.kind == PRINT_D || e->print.kind == PRINT_DLN
						   ? e->print.format
						   : NULL;

	for (unsigned i = 0; i < e->print.args.n; i++) {
		if (i && delimiter)
			add_text(p, delimiter->string.text, delimiter->string.len);
		add_value(p, e->print.args.v[i]);
	}
	if (e->print.kind == PRINT_LN || e->print.kind == PRINT_DLN)
		add_text(p, "\n", 1);
}

// ---- printf -------------------------------------------------------------------------------------

struct directive {
	const char *start, *end; // "%-08.*x"
	bool star_width, star_precision, has_width, has_precision;
	unsigned width, precision;
	char kind; // d i u x X o c s p b m M %; '\0': the format ends in it
};

static const char *parse_number(const char *s, const char *end, unsigned *ret)
{
	unsigned value = 0;

	for (; s < end && *s >= '0' && *s <= '9'; s++)
		value = value > 100000 ? value : value * 10 + (unsigned)(*s - '0');
	*ret = value;
	return s;
}

static struct directive parse_directive(const char *s, const char *end)
{
	struct directive d = { .start = s };

	s++;
	while (s < end && strchr("-+ #0", *s) && *s)
		s++;
	if (s < end && *s == '*') {
		d.star_width = true;
		s++;
	} else {
		const char *digits = s;
		s = parse_number(s, end, &d.width);
		d.has_width = s > digits;
	}
	if (s < end && *s == '.') {
		d.has_precision = true;
		s++;
		if (s < end && *s == '*') {
			d.star_precision = true;
			s++;
		} else {
			s = parse_number(s, end, &d.precision);
		}
	}
	if (s < end)
		d.kind = *s++;
	d.end = s;
	return d;
}

// The place of byte `at` of a string literal in the script: escapes are longer there than in the text.
static struct span literal_span(struct lower *l, const struct ast_expr *literal, size_t at, size_t len)
{
	const struct source_file *file;
	const char *s, *end;
	struct span whole = literal->span;

	if (!whole.file || !l->opts->sources)
		return whole;
	file = source_file(l->opts->sources, whole.file);
	s = file->text + whole.off;
	end = s + whole.len;
	if (whole.len < 2 || *s != '"')
		return whole; // made by a macro or an argument of the script
	for (s++; s < end && *s != '"'; at--) {
		const char *next = s + 1;
		if (at == 0)
			return (struct span){ whole.file, (uint32_t)(s - file->text),
					      (uint32_t)SP_MIN(len, (size_t)(end - s)) };
		if (*s == '\\' && next < end) {
			bool octal = *next >= '0' && *next <= '7', hex = *next == 'x';
			next++;
			for (int digits = 1;
			     octal && digits < 3 && next < end && *next >= '0' && *next <= '7';
			     digits++)
				next++;
			for (int digits = 0; hex && digits < 2 && next < end &&
					     strchr("0123456789abcdefABCDEF", *next) && *next;
			     digits++)
				next++;
		}
		s = next;
	}
	return whole;
}

static void fail(struct print *p, enum diag_id id, const struct ast_expr *e,
		 const struct directive *d, const char *text)
{
	const struct ast_expr *literal = e->print.format;
	struct span span = literal_span(p->l, literal, (size_t)(d->start - literal->string.text),
					(size_t)(d->end - d->start));

	diag(p->l->opts->dc, span, id, "`%.*s` %s", (int)(d->end - d->start), d->start, text);
	p->failed = true;
}

// The next argument, which must be of that type; NULL after a report.
static const struct ast_expr *take(struct print *p, const struct ast_expr *e,
				   const struct directive *d, unsigned *next, enum ir_type type)
{
	const struct ast_expr *arg;

	if (*next >= e->print.args.n) {
		fail(p, DIAG_FORMAT_ARGS, e, d, "has no argument");
		return NULL;
	}
	arg = e->print.args.v[(*next)++];
	if (lower_type(arg->type) != type && arg->type != TYPE_UNKNOWN) {
		fail(p, DIAG_FORMAT_ARGS, e, d,
		     type == IR_STR ? "takes a string, but its argument is a number"
				    : "takes a number, but its argument is a string");
		return NULL;
	}
	return arg;
}

static uint64_t directive_len(const struct directive *d, const struct ir_expr *value)
{
	uint64_t len = d->kind == 'c' ? 1 : d->kind == 's' ? value->cap - 1 : 24;

	if (d->star_width || (d->star_precision && d->kind != 's'))
		return UINT32_MAX;
	if (d->kind == 's' && d->has_precision && !d->star_precision)
		len = SP_MIN(len, (uint64_t)d->precision);
	else if (d->has_precision)
		len = SP_MAX(len, (uint64_t)d->precision + 2);
	return SP_MAX(len, (uint64_t)d->width);
}

static void add_directive(struct print *p, const struct ast_expr *e, const struct directive *d,
			  unsigned *next)
{
	enum ir_type type = d->kind == 's' ? IR_STR : IR_LONG;
	bool plain = d->end - d->start == 2;
	const struct ast_expr *arg;
	struct ir_expr *value;
	char *text;

	if (!d->kind || !strchr("diuxXocspbmM", d->kind)) {
		fail(p, DIAG_FORMAT_BAD, e, d,
		     "is no directive; those are %d %i %u %x %X %o %c %s %p %b %m %M and %%");
		return;
	}
	if (d->kind == 'm' || d->kind == 'M') {
		fail(p, DIAG_LATER_FORMAT, e, d, "cannot be compiled yet");
		return;
	}
	for (int star = 0; star < d->star_width + d->star_precision; star++) {
		if (!(arg = take(p, e, d, next, IR_LONG)))
			return;
		sp_vec_push(&p->args, lower_expr(p->l, arg));
	}
	if (!(arg = take(p, e, d, next, type)))
		return;
	if (plain && (d->kind == 's' || (d->kind == 'd' && arg->kind == AST_NUMBER))) {
		add_value(p, arg);
		return;
	}
	value = lower_expr(p->l, arg);
	text = sp_strndup(d->start, (size_t)(d->end - d->start));
	add_arg(p, value, text, directive_len(d, value));
	free(text);
}

// printf and sprintf
static void add_format(struct print *p, const struct ast_expr *e)
{
	const char *s = e->print.format->string.text, *end = s + e->print.format->string.len;
	unsigned next = 0;

	while (s < end && !p->failed) {
		const char *percent = memchr(s, '%', (size_t)(end - s));
		struct directive d;
		if (!percent)
			percent = end;
		add_text(p, s, (size_t)(percent - s));
		if (percent == end)
			break;
		d = parse_directive(percent, end);
		if (d.kind == '%' && d.end - d.start == 2)
			add_text(p, "%", 1);
		else
			add_directive(p, e, &d, &next);
		s = d.end;
	}
	if (!p->failed && next < e->print.args.n) {
		diag(p->l->opts->dc, e->print.args.v[next]->span, DIAG_FORMAT_ARGS,
		     "the format has no directive for this argument");
		p->failed = true;
	}
}

// ---- the family ---------------------------------------------------------------------------------

static void collect(struct print *p, const struct ast_expr *e)
{
	switch (e->print.kind) {
	case PRINT_F:
		add_format(p, e);
		break;
	case PRINT_CHAR:
		for (unsigned i = 0; i < e->print.args.n; i++)
			add_arg(p, lower_expr(p->l, e->print.args.v[i]), "%c", 1);
		break;
	case PRINT_PLAIN:
	case PRINT_LN:
	case PRINT_D:
	case PRINT_DLN:
		add_list(p, e);
		break;
	}
}

static uint32_t make_format(struct print *p, enum sp_format_kind kind)
{
	struct ir_arg *args = sp_calloc(p->args.n + 1, sizeof(*args));
	uint32_t format;

	lower_protect(p->l, p->args.v, (unsigned)p->args.n);
	for (size_t i = 0; i < p->args.n; i++) {
		args[i].type = p->args.v[i]->type;
		args[i].size = args[i].type == IR_STR ? p->args.v[i]->cap : 8;
	}
	format = ir_format(p->l->unit, sp_buf_str(&p->text), kind, args, (unsigned)p->args.n);
	free(args);
	return format;
}

static struct ir_expr **copy_args(struct print *p)
{
	return sp_arena_memdup(&p->l->unit->arena, p->args.v, p->args.n * sizeof(*p->args.v));
}

static struct ir_stmt *record(struct print *p, enum sp_format_kind kind, uint32_t place)
{
	struct ir_stmt *s = ir_stmt_new(p->l->unit, IR_S_EMIT, place);

	s->index = make_format(p, kind);
	s->n_args = (unsigned)p->args.n;
	s->args = copy_args(p);
	return s;
}

void lower_print(struct lower *l, const struct ast_expr *e)
{
	struct print p = { .l = l };

	collect(&p, e);
	if (p.text.len && !p.failed)
		lower_emit(l, record(&p, SP_FORMAT_PRINT, lower_place(l, e->span, "%s", "")));
	print_deinit(&p);
}

struct ir_stmt *lower_line(struct lower *l, const struct ast_expr *text, enum sp_format_kind kind,
			   uint32_t place)
{
	struct print p = { .l = l };
	struct ir_stmt *s;

	add_value(&p, text);
	s = record(&p, kind, place);
	print_deinit(&p);
	return s;
}

// Without arguments the text is known: "%%" is the only directive in it.
static struct ir_expr *constant_text(struct print *p)
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

struct ir_expr *lower_sprint(struct lower *l, const struct ast_expr *e)
{
	struct print p = { .l = l };
	struct ir_expr *text;

	collect(&p, e);
	if (p.failed) {
		text = ir_literal(l->unit, "", 0);
	} else if (!p.args.n) {
		text = constant_text(&p);
	} else if (p.args.n == 1 && sp_streq(p.text.data, "%s")) {
		text = p.args.v[0];
	} else {
		text = ir_expr_new(l->unit, IR_SPRINTF, IR_STR, lower_place(l, e->span, "%s", ""));
		text->index = make_format(&p, SP_FORMAT_STRING);
		text->n_args = (unsigned)p.args.n;
		text->args = copy_args(&p);
		text->cap = lower_cap(l, p.max_len + 1);
	}
	print_deinit(&p);
	return text;
}
