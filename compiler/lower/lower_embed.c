// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_embed.h"

#include "compiler/sema/embed.h"

#define NEXT (-1) // status of a piece that ended in STAP_NEXT

// ---- pieces -------------------------------------------------------------------------------------

static enum ir_type result_type(const struct embed *embed)
{
	if (embed->kind == EMBED_TOP)
		return IR_VOID;
	if (embed->kind == EMBED_VALUE)
		return embed->is_string ? IR_STR : IR_LONG;
	return embed->function->return_type == TYPE_UNKNOWN ? IR_VOID
							    : lower_type(embed->function->return_type);
}

// Can the piece fail? Besides its own STAP_ERROR, a macro of top-level C code may contain one.
static bool can_fail(const struct lower *l, const struct embed *embed)
{
	bool hidden = false;

	sp_vec_each(other, &l->program->embeds)
		hidden |= (*other)->kind == EMBED_TOP && ((*other)->errors.n || (*other)->has_context || (*other)->prints);
	return hidden || embed->errors.n || embed->has_context || embed->prints;
}

// The same of STAP_PRINTF.
static bool can_print(const struct lower *l, const struct embed *embed)
{
	bool hidden = false;

	sp_vec_each(other, &l->program->embeds)
		hidden |= (*other)->kind == EMBED_TOP && (*other)->prints;
	return hidden || embed->prints;
}

static void add_args(struct lower *l, const struct embed *embed, struct ir_embed *piece)
{
	unsigned n_params = embed->function ? embed->function->n_params : 0;
	struct ir_embed_arg *arg;

	arg = piece->args =
		sp_arena_array(&l->unit->arena, struct ir_embed_arg, n_params + 3 + embed->globals.n);
	for (unsigned i = 0; i < n_params; i++) {
		const struct local *param = embed->function->locals.v[i];

		*arg++ = (struct ir_embed_arg){ .role = IR_EMBED_PARAM,
						.name = sp_arena_strdup(&l->unit->arena, param->name),
						.type = lower_type(param->type) };
	}
	if (piece->type != IR_VOID)
		*arg++ = (struct ir_embed_arg){ .role = IR_EMBED_RESULT, .type = piece->type };
	if (can_fail(l, embed))
		*arg++ = (struct ir_embed_arg){ .role = IR_EMBED_MESSAGE, .type = IR_STR };
	if (can_print(l, embed))
		*arg++ = (struct ir_embed_arg){ .role = IR_EMBED_OUTPUT, .type = IR_STR };
	sp_vec_each(use, &embed->globals) {
		*arg++ = (struct ir_embed_arg){ .role = IR_EMBED_GLOBAL,
						.name = sp_arena_strdup(&l->unit->arena, use->name),
						.type = lower_type(use->global->type),
						.reads = use->reads,
						.writes = use->writes };
	}
	piece->n_args = (unsigned)(arg - piece->args);
}

void lower_embeds(struct lower *l)
{
	l->embed_index = sp_arena_array(&l->unit->arena, uint32_t, l->program->embeds.n + 1);
	sp_vec_each(e, &l->program->embeds) {
		const struct embed *embed = *e;
		struct ir_embed piece = {
			.kind = embed->kind == EMBED_TOP  ? IR_EMBED_TOP
				: embed->kind == EMBED_BODY ? IR_EMBED_BODY
							    : IR_EMBED_VALUE,
			.type = IR_VOID,
			.is_unmangled = embed->is_unmangled,
		};

		if (embed->function && !embed->function->is_used)
			continue;
		piece.type = result_type(embed);
		piece.code = sp_arena_strdup(&l->unit->arena, embed->code);
		piece.place = lower_place(l, embed->span, "", NULL);
		if (embed->kind != EMBED_TOP)
			add_args(l, embed, &piece);
		l->embed_index[embed->index] = (uint32_t)l->unit->embeds.n;
		piece.is_unbounded = l->opts->unbounded && l->opts->unbounded[l->unit->embeds.n];
		sp_vec_push(&l->unit->embeds, piece);
	}
}

// ---- uses ---------------------------------------------------------------------------------------

static uint32_t empty_temp(struct lower *l, enum ir_type type, uint32_t cap)
{
	uint32_t temp = lower_temp(l, type, cap);

	lower_emit(l, ir_set(l->unit, temp, lower_zero(l, type), IR_NO_PLACE));
	return temp;
}

static struct ir_expr *global(struct lower *l, const struct global *g)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_GLOBAL, lower_type(g->type), IR_NO_PLACE);

	e->global = lower_global(l, g);
	e->cap = e->type == IR_STR ? l->unit->globals.v[e->global].cap : 0;
	return e;
}

// The temporaries of one use of a piece.
struct use {
	uint32_t result, message, output, status;
};

static struct ir_expr **make_args(struct lower *l, const struct embed *embed, struct use *use)
{
	const struct ir_embed *piece = &l->unit->embeds.v[l->embed_index[embed->index]];
	struct ir_expr **args = sp_arena_array(&l->unit->arena, struct ir_expr *, piece->n_args + 1);
	uint32_t max = l->unit->max_string;
	unsigned n_globals = 0;

	for (unsigned i = 0; i < piece->n_args; i++) {
		switch (piece->args[i].role) {
		case IR_EMBED_PARAM:
			args[i] = lower_read(l, lower_local(l, embed->function->locals.v[i]));
			break;
		case IR_EMBED_RESULT:
			use->result = empty_temp(l, piece->type, max);
			args[i] = lower_read(l, use->result);
			break;
		case IR_EMBED_MESSAGE:
			use->message = empty_temp(l, IR_STR, max);
			args[i] = lower_read(l, use->message);
			break;
		case IR_EMBED_OUTPUT:
			use->output = empty_temp(l, IR_STR, 2 * max);
			args[i] = lower_read(l, use->output);
			break;
		case IR_EMBED_GLOBAL:
			args[i] = global(l, embed->globals.v[n_globals++].global);
			break;
		}
	}
	return args;
}

static void emit_if(struct lower *l, struct ir_expr *cond, struct ir_stmt *then)
{
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_IF, IR_NO_PLACE);

	s->a = cond;
	s->then = then;
	lower_emit(l, s);
}

static struct ir_expr *compare(struct lower *l, enum ir_expr_op op, uint32_t local, struct ir_expr *with)
{
	return ir_binary(l->unit, op, lower_read(l, local), with, IR_NO_PLACE);
}

static void emit_output(struct lower *l, const struct use *use, uint32_t place)
{
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_EMIT, place);
	struct ir_arg arg = { .type = IR_STR, .size = l->locals.v[use->output].cap };

	s->format = ir_format(l->unit, "%s", SP_FORMAT_PRINT, &arg, 1);
	s->n_args = 1;
	s->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 1);
	s->args[0] = lower_read(l, use->output);
	emit_if(l, compare(l, IR_NE, use->output, lower_zero(l, IR_STR)), s);
}

static struct ir_stmt *fail(struct lower *l, const struct use *use, uint32_t place)
{
	struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_FAIL, place);

	s->a = lower_read(l, use->message);
	return s;
}

// Emits the tests of the status: it is the line of the STAP_ERROR that ended the piece.
static void emit_failures(struct lower *l, const struct embed *embed, const struct use *use)
{
	uint32_t last = UINT32_MAX;
	struct span span = embed->function ? embed->function->decl->span : embed->span;

	sp_vec_each(error, &embed->errors) {
		uint32_t place = lower_place(l, *error, "identifier", "STAP_ERROR");
		uint32_t line = l->unit->places.v[place].line;

		if (line != last)
			emit_if(l, compare(l, IR_EQ, use->status, ir_const(l->unit, line)), fail(l, use, place));
		last = line;
	}
	emit_if(l, compare(l, IR_GT, use->status, ir_const(l->unit, 0)),
		fail(l, use, lower_place(l, span, embed->function ? "identifier" : "",
					 embed->function ? embed->function->name : NULL)));
}

struct ir_expr *lower_embed(struct lower *l, const struct ast_expr *e)
{
	const struct embed *embed = e->embedded.embed;
	uint32_t index = l->embed_index[embed->index];
	enum ir_type type = l->unit->embeds.v[index].type;
	struct ir_expr *run, *value;
	struct lower_list list;
	struct use use = { 0 };

	if (e->embedded.part == AST_EMBED_RESULT)
		return lower_read(l, l->embed_result);
	lower_list_begin(l, &list);
	run = ir_expr_new(l->unit, IR_EMBED, IR_LONG, lower_place(l, embed->span, "", NULL));
	run->embed = index;
	run->args = make_args(l, embed, &use);
	run->n_args = l->unit->embeds.v[index].n_args;
	use.status = lower_temp(l, IR_LONG, 0);
	lower_emit(l, ir_set(l->unit, use.status, run, run->place));
	if (can_print(l, embed))
		emit_output(l, &use, run->place);
	if (can_fail(l, embed))
		emit_failures(l, embed, &use);
	l->embed_result = use.result;
	if (e->embedded.part == AST_EMBED_RUN)
		value = compare(l, IR_EQ, use.status, ir_const(l->unit, NEXT));
	else
		value = type == IR_VOID ? ir_const(l->unit, 0) : lower_read(l, use.result);
	return ir_seq(l->unit, lower_list_end(l, &list), value);
}
