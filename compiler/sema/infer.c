// SPDX-License-Identifier: GPL-2.0-or-later
// Types by fixpoint: every use of a variable, array, parameter or result says what it is; what says otherwise is reported
// with both places. Numbers are long, texts string; there are no conversions.
#include "compiler/model/builtin.h"
#include "compiler/sema/embed.h"
#include "compiler/sema/format.h"
#include "compiler/sema/sema.h"
#include "compiler/sema/tree.h"

struct infer {
	const struct sema_opts *opts;
	struct program *program;
	struct function *function; // whose body is looked at; NULL: a handler
	struct span *shape_spans; // by global: where it was first indexed
	bool changed;
};

// What a place asks of an expression, and why.
struct need {
	enum ast_type type;
	enum {
		NEED_NOTHING,
		NEED_OPERATOR,
		NEED_VARIABLE,
		NEED_ARGUMENT,
		NEED_FORMAT,
		NEED_KEY,
		NEED_RESULT,
		NEED_CONDITION
	} why;
	const struct ast_expr *by; // operator, variable, call
	unsigned number; // of the argument or key, from 1
	char conversion; // NEED_FORMAT
	const struct global *array; // NEED_KEY
};

static const struct need nothing = { .type = TYPE_UNKNOWN };

// A variable, array, parameter or result: what has a type that is found.
struct slot {
	enum ast_type *type;
	struct span *span; // what decided
	const char *name;
	bool is_element, is_result;
};

static enum ast_type infer_expr(struct infer *t, struct ast_expr *e, struct need need);

static struct slot slot_of(const struct ast_expr *e)
{
	if (e->kind == AST_NAME && e->name.local)
		return (struct slot){ &e->name.local->type, &e->name.local->type_span, e->name.name,
				      false, false };
	if (e->kind == AST_NAME && e->name.global)
		return (struct slot){ &e->name.global->type, &e->name.global->type_span,
				      e->name.name, false, false };
	if (e->kind == AST_INDEX && e->index.global)
		return (struct slot){ &e->index.global->type, &e->index.global->type_span,
				      e->index.name, true, false };
	if (e->kind == AST_CALL && e->call.function)
		return (struct slot){ &e->call.function->return_type, &e->call.function->type_span,
				      e->call.name, false, true };
	return (struct slot){ 0 };
}

// ---- conflicts ------------------------------------------------------------------------------------------------------

static void describe(struct sp_buf *out, const struct ast_expr *e)
{
	struct slot slot = slot_of(e);

	if (slot.is_element)
		sp_buf_printf(out, "an element of '%s'", slot.name);
	else if (slot.type && !slot.is_result)
		sp_buf_printf(out, "'%s'", slot.name);
	else if (e->kind == AST_CALL)
		sp_buf_printf(out, "the result of %s()", e->call.name);
	else if (e->kind == AST_RESOLVED)
		sp_buf_puts(out, e->resolved->text);
	else
		sp_buf_puts(out, "this");
}

static const char *operator_text(const struct ast_expr *e)
{
	static const char *const unary[] = { "-", "+", "!", "~" };

	if (e->kind == AST_BINARY)
		return ast_binary_op_text(e->binary.op);
	if (e->kind == AST_ASSIGN)
		return e->assign.kind == ASSIGN_OP ? ast_binary_op_text(e->assign.op) : "<<<";
	if (e->kind == AST_UNARY)
		return unary[e->unary.op];
	if (e->kind == AST_INCDEC)
		return e->incdec.delta > 0 ? "++" : "--";
	if (e->kind == AST_TERNARY)
		return "?:";
	return "=~";
}

static void describe_need(struct sp_buf *out, struct need need)
{
	switch (need.why) {
	case NEED_NOTHING:
		sp_buf_puts(out, "this place takes");
		break;
	case NEED_OPERATOR:
		sp_buf_printf(out, "'%s%s' takes", operator_text(need.by),
			      need.by->kind == AST_ASSIGN && need.by->assign.kind == ASSIGN_OP ? "="
											       : "");
		break;
	case NEED_VARIABLE:
		describe(out, need.by);
		sp_buf_puts(out, " is");
		break;
	case NEED_ARGUMENT:
		sp_buf_printf(out, "argument %u of %s() is", need.number, need.by->call.name);
		break;
	case NEED_FORMAT:
		if (need.conversion == '*')
			sp_buf_puts(out, "a width or precision is");
		else
			sp_buf_printf(out, "%%%c prints", need.conversion);
		break;
	case NEED_KEY:
		sp_buf_printf(out, "key %u of '%s' is", need.number, need.array->name);
		break;
	case NEED_RESULT:
		sp_buf_puts(out, "the function returns");
		break;
	case NEED_CONDITION:
		sp_buf_puts(out, "a condition is");
		break;
	}
}

static void note_slot(struct infer *t, struct diag *d, const struct slot *slot, struct span not_here)
{
	struct span span = *slot->span;

	if (span.file == not_here.file && span.off == not_here.off)
		return;
	diag_note(t->opts->dc, d, span, "'%s' is first used as a %s here", slot->name,
		  ast_type_name(*slot->type));
}

static void note_need(struct infer *t, struct diag *d, struct need need, struct span not_here)
{
	struct slot slot = { 0 };
	struct global *array = (struct global *)need.array;

	if (need.why == NEED_VARIABLE)
		slot = slot_of(need.by);
	else if (need.why == NEED_ARGUMENT && need.by->call.function)
		slot = (struct slot){ &need.by->call.function->locals.v[need.number - 1]->type,
				      &need.by->call.function->locals.v[need.number - 1]->type_span,
				      need.by->call.function->locals.v[need.number - 1]->name,
				      false, false };
	else if (need.why == NEED_RESULT)
		slot = (struct slot){ &t->function->return_type, &t->function->type_span,
				      t->function->name, false, true };
	if (slot.type)
		note_slot(t, d, &slot, not_here);
	if (need.why == NEED_KEY)
		diag_note(t->opts->dc, d, array->key_spans[need.number - 1],
			  "the key is first used as a %s here", ast_type_name(need.type));
}

static void conflict(struct infer *t, const struct ast_expr *e, enum ast_type is, struct need need)
{
	struct sp_buf text = { 0 };
	struct slot slot = slot_of(e);
	bool stats = is == TYPE_STATS || need.type == TYPE_STATS;
	struct diag *d;

	describe(&text, e);
	sp_buf_printf(&text, " is a %s, but ", ast_type_name(is));
	describe_need(&text, need);
	sp_buf_printf(&text, " a %s", ast_type_name(need.type));
	d = diag(t->opts->dc, e->span, stats ? DIAG_STATS_USE : DIAG_TYPE_CONFLICT, "%s",
		 sp_buf_str(&text));
	if (slot.type)
		note_slot(t, d, &slot, e->span);
	note_need(t, d, need, e->span);
	if (need.why == NEED_OPERATOR && need.by->kind == AST_BINARY &&
	    need.by->binary.op == BIN_ADD && is == TYPE_STRING)
		diag_hint(t->opts->dc, d, "strings are joined with '.'");
	if (e->kind == AST_RESOLVED && is == TYPE_LONG && need.type == TYPE_STRING && c_type_is_string(e->resolved->type))
		diag_hint(t->opts->dc, d, "%s_string(%s) is the text",
			  e->resolved->space == SPACE_USER ? "user" : "kernel", e->resolved->text);
	sp_buf_deinit(&text);
}

// The natural type of `e` against what is needed of it.
static enum ast_type settle(struct infer *t, struct ast_expr *e, enum ast_type is, struct need need)
{
	if (e->type != is && is != TYPE_UNKNOWN) {
		e->type = is;
		t->changed = true;
	}
	if (need.type != TYPE_UNKNOWN && is != TYPE_UNKNOWN && is != TYPE_VOID && is != need.type)
		conflict(t, e, is, need);
	return is;
}

// A variable takes the type that is needed when it has none.
static enum ast_type settle_slot(struct infer *t, struct ast_expr *e, struct need need)
{
	struct slot slot = slot_of(e);

	if (*slot.type == TYPE_UNKNOWN && need.type != TYPE_UNKNOWN) {
		*slot.type = need.type;
		*slot.span = e->span;
		t->changed = true;
	}
	return settle(t, e, *slot.type, need);
}

// An expression whose value is used.
static enum ast_type infer_value(struct infer *t, struct ast_expr *e, struct need need)
{
	enum ast_type type = infer_expr(t, e, need);

	if (type == TYPE_VOID && e->kind == AST_CALL) {
		struct diag *d = diag(t->opts->dc, e->span, DIAG_NO_VALUE, "%s() returns nothing",
				      e->call.name);

		if (e->call.function)
			diag_note(t->opts->dc, d, e->call.function->decl->span, "declared here");
	} else if (type == TYPE_STATS && need.type == TYPE_UNKNOWN && e->kind != AST_HIST) {
		diag_hint(t->opts->dc,
			  diag(t->opts->dc, e->span, DIAG_STATS_USE, "a statistic is not one value"),
			  "take @count, @sum, @min, @max or @avg of it");
	} else if (type == TYPE_VOID && e->kind == AST_PRINT) {
		diag_hint(t->opts->dc,
			  diag(t->opts->dc, e->span, DIAG_NO_VALUE, "printing yields no value"),
			  "sprintf and its kin yield the text");
	}
	return type;
}

// ---- shapes: array or scalar, and how many keys ---------------------------------------------------------------------

static void use_keys(struct infer *t, struct global *g, unsigned n_keys, struct span span)
{
	struct span *first = &t->shape_spans[g->index];
	struct diag *d;

	if (!g->n_keys) {
		if (n_keys > PROGRAM_MAX_KEYS) {
			diag(t->opts->dc, span, DIAG_ARRAY_SHAPE, "an array has at most %d keys",
			     PROGRAM_MAX_KEYS);
			n_keys = PROGRAM_MAX_KEYS;
		}
		g->is_array = true;
		g->n_keys = n_keys;
		g->key_types = sp_arena_array(&t->program->arena, enum ast_type, n_keys);
		*first = span;
		return;
	}
	if (g->n_keys == n_keys)
		return;
	d = diag(t->opts->dc, span, DIAG_ARRAY_SHAPE,
		 "'%s' is used with %u key%s here, but with %u elsewhere", g->name, n_keys,
		 n_keys == 1 ? "" : "s", g->n_keys);
	if (first->file)
		diag_note(t->opts->dc, d, *first, "first used with %u key%s here", g->n_keys,
			  g->n_keys == 1 ? "" : "s");
}

static void shape_expr(void *ctx, struct ast_expr **place)
{
	struct infer *t = ctx;
	struct ast_expr *e = *place;

	if (e->kind == AST_INDEX)
		use_keys(t, e->index.global, e->index.keys.n, e->op_span);
	else if (e->kind == AST_IN)
		use_keys(t, e->in.global, e->in.keys.n, e->op_span);
}

static void shape_whole(void *ctx, struct ast_expr **place)
{
	tree_walk_expr(place, shape_expr, ctx);
}

static void shape_stmt(void *ctx, struct ast_stmt **place)
{
	struct ast_stmt *s = *place;

	if (s->kind == AST_S_FOREACH && s->foreach.global)
		use_keys(ctx, s->foreach.global, s->foreach.keys.n, s->foreach.array_span);
	ast_stmt_children(s, shape_whole, shape_stmt, ctx);
}

static void no_expr(void *ctx, struct ast_expr **place)
{
	(void)ctx, (void)place;
}

static void returns_value(void *ctx, struct ast_stmt **place)
{
	if ((*place)->kind == AST_S_RETURN && (*place)->expr)
		*(bool *)ctx = true;
	ast_stmt_children(*place, no_expr, returns_value, ctx);
}

// ---- expressions ----------------------------------------------------------------------------------------------------

static struct need by_operator(enum ast_type type, const struct ast_expr *e)
{
	return (struct need){ .type = type, .why = NEED_OPERATOR, .by = e };
}

static void infer_keys(struct infer *t, struct global *g, struct ast_list *keys)
{
	for (unsigned i = 0; i < keys->n && i < g->n_keys; i++) {
		struct need need = {
			.type = g->key_types[i], .why = NEED_KEY, .number = i + 1, .array = g
		};
		enum ast_type type;

		if (!keys->v[i])
			continue;
		type = infer_value(t, keys->v[i], need);
		if (g->key_types[i] == TYPE_UNKNOWN && (type == TYPE_LONG || type == TYPE_STRING)) {
			g->key_types[i] = type;
			g->key_spans[i] = keys->v[i]->span;
			t->changed = true;
		}
	}
}

// Both sides have one type.
static enum ast_type infer_pair(struct infer *t, struct ast_expr *a, struct ast_expr *b,
				struct need need, const struct ast_expr *op)
{
	enum ast_type ta = infer_value(t, a, need), tb;

	if (need.type == TYPE_UNKNOWN && (ta == TYPE_LONG || ta == TYPE_STRING))
		need = by_operator(ta, op);
	tb = infer_value(t, b, need);
	if (ta == TYPE_UNKNOWN && tb != TYPE_UNKNOWN && tb != TYPE_VOID)
		ta = infer_value(t, a, by_operator(tb, op));
	return ta;
}

static enum ast_type infer_binary(struct infer *t, struct ast_expr *e, struct need need)
{
	switch (e->binary.op) {
	case BIN_CONCAT:
		infer_value(t, e->binary.a, by_operator(TYPE_STRING, e));
		infer_value(t, e->binary.b, by_operator(TYPE_STRING, e));
		return settle(t, e, TYPE_STRING, need);
	case BIN_EQ:
	case BIN_NE:
	case BIN_LT:
	case BIN_LE:
	case BIN_GT:
	case BIN_GE:
		infer_pair(t, e->binary.a, e->binary.b, nothing, e);
		return settle(t, e, TYPE_LONG, need);
	case BIN_ADD:
	case BIN_SUB:
	case BIN_MUL:
	case BIN_DIV:
	case BIN_MOD:
	case BIN_AND:
	case BIN_OR:
	case BIN_XOR:
	case BIN_SHL:
	case BIN_SHR:
	case BIN_USHR:
	case BIN_LAND:
	case BIN_LOR:
		break;
	}
	infer_value(t, e->binary.a, by_operator(TYPE_LONG, e));
	infer_value(t, e->binary.b, by_operator(TYPE_LONG, e));
	return settle(t, e, TYPE_LONG, need);
}

// What is filled by <<< and read by extractors.
static void infer_aggregate(struct infer *t, struct ast_expr *e, struct need need)
{
	struct diag *d;

	if (e->kind != AST_NAME || !e->name.local) {
		infer_value(t, e, need);
		return;
	}
	d = diag(t->opts->dc, e->span, DIAG_STATS_USE, "'%s' is a local variable, which holds no statistics",
		 e->name.name);
	diag_hint(t->opts->dc, d, "declare it: global %s", e->name.name);
}

static enum ast_type infer_assign(struct infer *t, struct ast_expr *e, struct need need)
{
	struct need from_target = { .why = NEED_VARIABLE, .by = e->assign.target };
	enum ast_type type;

	if (e->assign.kind == ASSIGN_STAT) {
		infer_aggregate(t, e->assign.target, by_operator(TYPE_STATS, e));
		infer_value(t, e->assign.value, by_operator(TYPE_LONG, e));
		return settle(t, e, TYPE_LONG, need);
	}
	if (e->assign.kind == ASSIGN_OP) {
		type = e->assign.op == BIN_CONCAT ? TYPE_STRING : TYPE_LONG;
		infer_value(t, e->assign.target, by_operator(type, e));
		infer_value(t, e->assign.value, by_operator(type, e));
		return settle(t, e, type, need);
	}
	from_target.type = infer_expr(t, e->assign.target, need);
	type = infer_value(t, e->assign.value, from_target.type == TYPE_UNKNOWN ? need : from_target);
	if (from_target.type == TYPE_UNKNOWN && type != TYPE_UNKNOWN && type != TYPE_VOID)
		infer_value(t, e->assign.target, (struct need){ .type = type });
	return settle(t, e, type, nothing);
}

static enum ast_type infer_call(struct infer *t, struct ast_expr *e, struct need need)
{
	struct function *f = e->call.function;

	if (!f) {
		const struct builtin *info = builtin_info((enum builtin_id)e->call.builtin);
		static const enum ast_type results[] = { TYPE_VOID, TYPE_LONG, TYPE_STRING };

		for (unsigned i = 0; i < e->call.args.n; i++)
			infer_value(t, e->call.args.v[i],
				    (struct need){ .type = builtin_arg(info, i) == 's' ? TYPE_STRING
										       : TYPE_LONG,
						   .why = NEED_ARGUMENT,
						   .by = e,
						   .number = i + 1 });
		return settle(t, e, results[info->result], need);
	}
	for (unsigned i = 0; i < e->call.args.n; i++) {
		struct local *param = f->locals.v[i];
		enum ast_type type = infer_value(t, e->call.args.v[i],
						 (struct need){ .type = param->type,
								.why = NEED_ARGUMENT,
								.by = e,
								.number = i + 1 });

		if (param->type == TYPE_UNKNOWN && (type == TYPE_LONG || type == TYPE_STRING)) {
			param->type = type;
			param->type_span = e->call.args.v[i]->span;
			t->changed = true;
		}
	}
	if (f->return_type == TYPE_VOID)
		return settle(t, e, TYPE_VOID, nothing);
	return settle_slot(t, e, need);
}

static void format_args(struct infer *t, struct ast_expr *e, unsigned n_wanted)
{
	diag(t->opts->dc, e->op_span, DIAG_FORMAT_ARGS,
	     "the format takes %u argument%s, but there %s %u", n_wanted, n_wanted == 1 ? "" : "s",
	     e->print.args.n == 1 ? "is" : "are", e->print.args.n);
}

static void infer_format(struct infer *t, struct ast_expr *e)
{
	const struct ast_expr *format = e->print.format;
	struct format_part part;
	enum format_result result;
	unsigned n = 0;
	uint32_t at = 0;

	while ((result = format_next(format->string.text, format->string.len, &at, &part)) ==
	       FORMAT_PART) {
		unsigned n_stars = part.star_width + part.star_precision;

		for (unsigned i = 0; i <= n_stars; i++) {
			bool is_star = i < n_stars;
			struct need need = { .why = NEED_FORMAT,
					     .conversion = is_star ? '*' : part.conversion };

			if (!is_star && (part.conversion == '\0' || part.conversion == '%'))
				continue;
			need.type = !is_star && part.conversion == 's' ? TYPE_STRING : TYPE_LONG;
			if (n < e->print.args.n)
				infer_value(t, e->print.args.v[n], need);
			n++;
		}
	}
	if (result == FORMAT_BAD) {
		bool is_length = part.conversion && strchr("hlLjzt", part.conversion);
		struct diag *d = diag(t->opts->dc, format_span(t->opts->sources, format, &part),
				      DIAG_FORMAT_BAD, "'%.*s' is not a directive", (int)part.len,
				      format->string.text + part.off);

		diag_hint(t->opts->dc, d,
			  is_length ? "every number has 64 bits: leave the length out"
			  : part.conversion == 'b' ? "it prints 1, 2, 4 or 8 bytes: %%1b, %%2b, %%4b, %%8b or %%b"
				    : "a percent sign is printed by %%%%");
	} else if (n != e->print.args.n) {
		format_args(t, e, n);
	}
}

static void infer_printed(struct infer *t, struct ast_expr *e)
{
	for (unsigned i = 0; i < e->print.args.n; i++) {
		struct ast_expr *arg = e->print.args.v[i];
		struct need need = nothing;

		if (e->print.kind == PRINT_CHAR)
			need = (struct need){ .type = TYPE_LONG,
					      .why = NEED_FORMAT,
					      .conversion = 'c' };
		infer_value(t, arg, need);
	}
}

static enum ast_type infer_print(struct infer *t, struct ast_expr *e, struct need need)
{
	if (e->print.kind == PRINT_F)
		infer_format(t, e);
	else
		infer_printed(t, e);
	return settle(t, e, e->print.to_string ? TYPE_STRING : TYPE_VOID, need);
}

static enum ast_type infer_name(struct infer *t, struct ast_expr *e, struct need need)
{
	struct global *g = e->name.global;

	if (g && g->is_array) {
		struct diag *d = diag(t->opts->dc, e->span, DIAG_ARRAY_SHAPE,
				      "'%s' is an array, not a value", g->name);

		if (t->shape_spans[g->index].file)
			diag_note(t->opts->dc, d, t->shape_spans[g->index],
				  "it is used with %u key%s here", g->n_keys,
				  g->n_keys == 1 ? "" : "s");
		return TYPE_UNKNOWN;
	}
	return settle_slot(t, e, need);
}

static void infer_child(void *ctx, struct ast_expr **place)
{
	infer_value(ctx, *place, (struct need){ .type = TYPE_LONG });
}

static enum ast_type infer_resolved(struct infer *t, struct ast_expr *e, struct need need)
{
	struct site_value *v = e->resolved;

	if (v->base == SITE_BASE_EXPR)
		infer_value(t, v->expr, (struct need){ .type = TYPE_LONG });
	for (unsigned i = 0; i < v->n_steps; i++)
		if (v->steps[i].kind == STEP_SCALE)
			infer_value(t, v->steps[i].index, (struct need){ .type = TYPE_LONG });
	return settle(t, e, v->pretty ? TYPE_STRING : TYPE_LONG, need);
}

static enum ast_type infer_stat(struct infer *t, struct ast_expr *e, struct need need)
{
	struct ast_expr *stat = e->kind == AST_STAT ? e->stat.stat : e->hist.stat;
	struct ast_expr *other = e->kind == AST_STAT ? e->stat.param : e->hist.bucket;

	if (stat)
		infer_aggregate(t, stat, (struct need){ .type = TYPE_STATS });
	if (other)
		infer_child(t, &other);
	if (e->kind == AST_HIST && !e->hist.bucket)
		return settle(t, e, TYPE_STATS, nothing);
	return settle(t, e, TYPE_LONG, need);
}

static enum ast_type embedded_type(const struct ast_expr *e)
{
	const struct embed *embed = e->embedded.embed;

	if (e->embedded.part == AST_EMBED_RUN)
		return TYPE_LONG;
	if (embed->kind == EMBED_BODY)
		return embed->function->return_type;
	return embed->is_string ? TYPE_STRING : TYPE_LONG;
}

static enum ast_type infer_expr(struct infer *t, struct ast_expr *e, struct need need)
{
	enum ast_type type;

	switch (e->kind) {
	case AST_NUMBER:
		return settle(t, e, TYPE_LONG, need);
	case AST_STRING:
		return settle(t, e, TYPE_STRING, need);
	case AST_NAME:
		return infer_name(t, e, need);
	case AST_INDEX:
		infer_keys(t, e->index.global, &e->index.keys);
		return settle_slot(t, e, need);
	case AST_CALL:
		return infer_call(t, e, need);
	case AST_PRINT:
		return infer_print(t, e, need);
	case AST_UNARY:
		infer_value(t, e->unary.a, by_operator(TYPE_LONG, e));
		return settle(t, e, TYPE_LONG, need);
	case AST_BINARY:
		return infer_binary(t, e, need);
	case AST_TERNARY:
		infer_value(t, e->ternary.cond,
			    (struct need){ .type = TYPE_LONG, .why = NEED_CONDITION });
		type = infer_pair(t, e->ternary.a, e->ternary.b, need, e);
		return settle(t, e, type, nothing);
	case AST_ASSIGN:
		return infer_assign(t, e, need);
	case AST_INCDEC:
		infer_value(t, e->incdec.target, by_operator(TYPE_LONG, e));
		return settle(t, e, TYPE_LONG, need);
	case AST_IN:
		infer_keys(t, e->in.global, &e->in.keys);
		return settle(t, e, TYPE_LONG, need);
	case AST_REGEX:
		infer_value(t, e->regex.text, by_operator(TYPE_STRING, e));
		return settle(t, e, TYPE_LONG, need);
	case AST_RESOLVED:
		return infer_resolved(t, e, need);
	case AST_STAT:
	case AST_HIST:
		return infer_stat(t, e, need);
	case AST_EMBEDDED:
		return settle(t, e, embedded_type(e), need);
	case AST_PERF:
	case AST_PROBEWRITE:
	case AST_TARGET: // these are gone after context
	case AST_CAST:
	case AST_ATVAR:
	case AST_DEFINED:
	case AST_ENTRY:
	case AST_ERROR:
		break;
	}
	return TYPE_UNKNOWN;
}

// ---- statements -----------------------------------------------------------------------------------------------------

static void infer_stmt(void *ctx, struct ast_stmt **place);

static void infer_loop_name(struct infer *t, struct ast_expr *name, enum ast_type *type,
			    struct span *span)
{
	enum ast_type found = infer_expr(t, name, (struct need){ .type = *type });

	if (*type == TYPE_UNKNOWN && found != TYPE_UNKNOWN) {
		*type = found;
		*span = name->span;
		t->changed = true;
	}
}

static void infer_foreach_stats(struct infer *t, struct ast_stmt *s)
{
	struct global *g = s->foreach.global;
	struct diag *d;

	if (s->foreach.sort_by_stat && g->type == TYPE_UNKNOWN)
		g->type = TYPE_STATS;
	if (s->foreach.sort_by_stat && g->type != TYPE_STATS) {
		d = diag(t->opts->dc, s->foreach.array_span, DIAG_STATS_USE,
			 "'%s' is an array of %ss, but it is sorted by @%s", g->name, ast_type_name(g->type),
			 ast_stat_op_name(s->foreach.sort_stat));
		diag_note(t->opts->dc, d, g->type_span, "'%s' is first used as a %s here", g->name,
			  ast_type_name(g->type));
	}
	if (g->type != TYPE_STATS || !s->foreach.value)
		return;
	d = diag(t->opts->dc, s->foreach.value->span, DIAG_STATS_USE, "an element of '%s' is not one value", g->name);
	diag_hint(t->opts->dc, d, "take @count, @sum, @min, @max or @avg of it in the loop");
}

static void infer_foreach(struct infer *t, struct ast_stmt *s)
{
	struct global *g = s->foreach.global;

	for (unsigned i = 0; g && i < s->foreach.keys.n && i < g->n_keys; i++)
		infer_loop_name(t, s->foreach.keys.v[i], &g->key_types[i], &g->key_spans[i]);
	if (g)
		infer_foreach_stats(t, s);
	if (g && s->foreach.value && g->type != TYPE_STATS)
		infer_loop_name(t, s->foreach.value, &g->type, &g->type_span);
	if (g)
		infer_keys(t, g, &s->foreach.slice);
	if (s->foreach.hist) {
		infer_expr(t, s->foreach.hist, nothing);
		infer_expr(t, s->foreach.keys.v[0], (struct need){ .type = TYPE_LONG });
	}
	if (s->foreach.limit)
		infer_value(t, s->foreach.limit, (struct need){ .type = TYPE_LONG });
	infer_stmt(t, &s->foreach.body);
}

static void infer_return(struct infer *t, struct ast_stmt *s)
{
	struct function *f = t->function;
	enum ast_type type;

	if (!f || !s->expr) {
		if (f && f->return_type != TYPE_VOID)
			diag(t->opts->dc, s->span, DIAG_VOID_MIXED,
			     "'%s' returns a value elsewhere", f->name);
		return;
	}
	type = infer_value(t, s->expr, (struct need){ .type = f->return_type, .why = NEED_RESULT });
	if (f->return_type == TYPE_UNKNOWN && (type == TYPE_LONG || type == TYPE_STRING)) {
		f->return_type = type;
		f->type_span = s->expr->span;
		t->changed = true;
	}
}

static void infer_delete(struct infer *t, struct ast_expr *e)
{
	if (e->kind == AST_INDEX)
		infer_keys(t, e->index.global, &e->index.keys);
	if (e->kind == AST_INDEX || (e->kind == AST_NAME && e->name.local))
		settle_slot(t, e, nothing);
	else if (e->kind == AST_NAME && e->name.global)
		e->type = e->name.global->type;
}

static void infer_condition(struct infer *t, struct ast_expr *e)
{
	infer_value(t, e, (struct need){ .type = TYPE_LONG, .why = NEED_CONDITION });
}

static void infer_stmt(void *ctx, struct ast_stmt **place)
{
	struct infer *t = ctx;
	struct ast_stmt *s = *place;

	switch (s->kind) {
	case AST_S_BLOCK:
		for (unsigned i = 0; i < s->block.n; i++)
			infer_stmt(t, &s->block.v[i]);
		break;
	case AST_S_EXPR:
		infer_expr(t, s->expr, nothing);
		break;
	case AST_S_IF:
		infer_condition(t, s->cond.cond);
		infer_stmt(t, &s->cond.then);
		if (s->cond.otherwise)
			infer_stmt(t, &s->cond.otherwise);
		break;
	case AST_S_WHILE:
	case AST_S_FOR:
		if (s->loop.init)
			infer_expr(t, s->loop.init, nothing);
		if (s->loop.cond)
			infer_condition(t, s->loop.cond);
		if (s->loop.step)
			infer_expr(t, s->loop.step, nothing);
		infer_stmt(t, &s->loop.body);
		break;
	case AST_S_FOREACH:
		infer_foreach(t, s);
		break;
	case AST_S_RETURN:
		infer_return(t, s);
		break;
	case AST_S_DELETE:
		infer_delete(t, s->expr);
		break;
	case AST_S_TRY:
		if (s->try_.local && s->try_.local->type == TYPE_UNKNOWN) {
			s->try_.local->type = TYPE_STRING;
			s->try_.local->type_span = s->span;
			t->changed = true;
		}
		infer_stmt(t, &s->try_.body);
		infer_stmt(t, &s->try_.handler);
		break;
	case AST_S_EMPTY:
	case AST_S_NEXT:
	case AST_S_BREAK:
	case AST_S_CONTINUE:
		break;
	}
}

// ---- the fixpoint ---------------------------------------------------------------------------------------------------

static void each_body(struct infer *t, void (*fn)(void *ctx, struct ast_stmt **place))
{
	for (size_t i = 0; i < t->program->functions.n; i++) {
		t->function = t->program->functions.v[i];
		if (t->function->is_used)
			fn(t, &t->function->body);
	}
	t->function = NULL;
	for (size_t i = 0; i < t->program->handlers.n; i++)
		fn(t, &t->program->handlers.v[i]->body);
}

static void start_functions(struct infer *t)
{
	for (size_t i = 0; i < t->program->functions.n; i++) {
		struct function *f = t->program->functions.v[i];
		bool found = false;
		struct ast_stmt *body = f->body;

		returns_value(&found, &body);
		if (!found && f->return_type == TYPE_UNKNOWN)
			f->return_type = TYPE_VOID;
	}
}

static void start_globals(struct infer *t)
{
	for (size_t i = 0; i < t->program->globals.n; i++) {
		struct global *g = t->program->globals.v[i];

		if (!g->init)
			continue;
		g->type = g->init->kind == AST_STRING ? TYPE_STRING : TYPE_LONG;
		g->init->type = g->type;
		g->type_span = g->init->span;
	}
}

static void undecided(struct infer *t, struct span span, const char *name)
{
	struct diag *d = diag(t->opts->dc, span, DIAG_TYPE_UNDECIDED,
			      "it cannot be told whether '%s' is a number or a string", name);

	diag_hint(t->opts->dc, d, "give it a first value: %s = 0 or %s = \"\"", name, name);
}

static void finish_local(struct infer *t, struct local *local, bool report)
{
	if (local->type != TYPE_UNKNOWN)
		return;
	// Never assigned, or never read: any type will do.
	if (local->is_read && local->is_written && report)
		undecided(t, local->span, local->name);
	local->type = TYPE_LONG;
}

static void finish(struct infer *t)
{
	bool report = !t->opts->dc->n_errors; // after an error, what is open is open because of it

	for (size_t i = 0; i < t->program->globals.n; i++) {
		struct global *g = t->program->globals.v[i];

		if (g->type == TYPE_UNKNOWN) {
			if (g->is_read && g->is_written && report)
				undecided(t, g->span, g->name);
			g->type = TYPE_LONG;
			t->changed = true;
		}
		for (unsigned k = 0; k < g->n_keys; k++)
			if (g->key_types[k] == TYPE_UNKNOWN)
				g->key_types[k] = TYPE_LONG;
	}
	for (size_t i = 0; i < t->program->functions.n; i++) {
		struct function *f = t->program->functions.v[i];

		if (f->return_type == TYPE_UNKNOWN)
			f->return_type = TYPE_LONG;
		sp_vec_each(local, &f->locals)
			finish_local(t, *local, report && f->is_used);
	}
	for (size_t i = 0; i < t->program->handlers.n; i++)
		sp_vec_each(local, &t->program->handlers.v[i]->locals)
			finish_local(t, *local, report);
}

void sema_infer(const struct sema_opts *opts, struct program *program)
{
	struct infer t = { .opts = opts, .program = program };
	unsigned n_errors = opts->dc->n_errors;

	t.shape_spans = sp_calloc(program->globals.n + 1, sizeof(*t.shape_spans));
	for (size_t i = 0; i < program->globals.n; i++)
		program->globals.v[i]->index = (unsigned)i;
	start_globals(&t);
	start_functions(&t);
	each_body(&t, shape_stmt);
	do {
		t.changed = false;
		each_body(&t, infer_stmt);
	} while (t.changed && opts->dc->n_errors == n_errors);
	finish(&t);
	// What was left open has a type now; the nodes get it.
	if (opts->dc->n_errors == n_errors)
		each_body(&t, infer_stmt);
	program->stage = PROGRAM_TYPED;
	free(t.shape_spans);
}
