// SPDX-License-Identifier: GPL-2.0-or-later
// A row of the constant table is its mask, its number, and its name in whole words with zeros behind.
#include "compiler/gen/text/gen_names.h"

#include "compiler/gen/core/gen_repeat.h"
#include "compiler/gen/text/gen_format.h"
#include "compiler/gen/text/gen_text.h"
#include "compiler/gen/value/gen_expr.h"
#include "compiler/model/name_table.h"

#include <stdio.h>

#define ROW_HEAD 16
#define NAME_SIZE 64

struct names {
	uint32_t n_rows, row_size, dst_cap;
	bool in_room; // they have, with the word of the last one
};

// live: rows, dst, work, the number. CELL_C: the bits that have a name already.
static LLVMValueRef try_row(struct gen *g, const void *arg, LLVMValueRef index, const LLVMValueRef *live)
{
	const struct names *n = arg;
	struct gen_text t = { .dst = { live[1], n->dst_cap }, .work = live[2] };
	LLVMBasicBlockRef look = gen_block(g), has = gen_block(g), done = gen_block(g);
	LLVMValueRef row, mask, claimed, differs, is_first;

	index = gen_keep(g, index);
	gen_branch(g, LLVMBuildICmp(g->b, LLVMIntULT, index, gen_i64(g, n->n_rows), ""), look, done);
	gen_enter(g, look);
	row = gen_at_index(g, live[0], gen_keep(g, LLVMBuildMul(g->b, index, gen_i64(g, n->row_size), "")));
	mask = gen_load(g, row);
	claimed = gen_cell(g, live[2], GEN_CELL_C);
	differs = LLVMBuildXor(g->b, LLVMBuildAnd(g->b, live[3], mask, ""), gen_load(g, gen_at(g, row, 8)), "");
	differs = LLVMBuildOr(g->b, differs, LLVMBuildAnd(g->b, mask, claimed, ""), "");
	gen_branch(g, gen_is_zero(g, differs), has, done);
	gen_enter(g, has);
	gen_cell_set(g, live[2], GEN_CELL_C, LLVMBuildOr(g->b, claimed, mask, ""));
	is_first = gen_is_zero(g, gen_cell(g, live[2], GEN_CELL_END));
	t.room = n->in_room ? 8 : 0;
	gen_text_put(g, &t, gen_i64(g, '|'), gen_bool(g, LLVMBuildNot(g->b, is_first, "")));
	for (uint32_t at = ROW_HEAD; at < n->row_size; at += 8) {
		LLVMValueRef word = gen_load(g, gen_at(g, row, at));

		t.room = n->in_room ? 8 : 0;
		gen_text_put(g, &t, word, gen_text_count(g, word));
	}
	gen_goto(g, done);
	gen_enter(g, done);
	return LLVMBuildICmp(g->b, LLVMIntNE, gen_cell(g, live[2], GEN_CELL_C), gen_i64(g, -1), "");
}

static LLVMValueRef rows_of(struct gen *g, const struct name_table *table, uint32_t row_size)
{
	char *rows = sp_arena_alloc(g->arena, (size_t)table->n_rows * row_size);

	memset(rows, 0, (size_t)table->n_rows * row_size);
	for (uint32_t i = 0; i < table->n_rows; i++) {
		char *row = rows + (size_t)i * row_size;

		memcpy(row, &table->rows[i].mask, 8);
		memcpy(row + 8, &table->rows[i].value, 8);
		memcpy(row + ROW_HEAD, table->rows[i].name, table->rows[i].len);
	}
	return gen_constant(g, rows, table->n_rows * row_size);
}

// A number below 0 of an int is that of 32 bits.
static LLVMValueRef of_an_int(struct gen *g, LLVMValueRef value)
{
	LLVMValueRef sign = LLVMBuildAShr(g->b, value, gen_i64(g, 31), "");

	return LLVMBuildSelect(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, sign, gen_i64(g, -1), ""), LLVMBuildAnd(g->b, value, gen_i64(g, UINT32_MAX), ""),
			       value, "");
}

// The bits without a name as a number: behind names, or alone and then with what the value is said to be.
static void put_rest(struct gen *g, struct gen_text *t, const struct name_table *table, LLVMValueRef value)
{
	LLVMBasicBlockRef some = gen_block(g), behind = gen_block(g), alone = gen_block(g), none = gen_block(g),
			  zero = gen_block(g), done = gen_block(g);
	LLVMValueRef rest = LLVMBuildNot(g->b, gen_cell(g, t->work, GEN_CELL_C), "");
	struct gen_format_arg arg = { 0 };

	rest = gen_keep(g, LLVMBuildAnd(g->b, value, rest, ""));
	arg.number = rest;
	gen_branch(g, gen_is_zero(g, rest), none, some);
	gen_enter(g, some);
	gen_branch(g, gen_is_zero(g, gen_cell(g, t->work, GEN_CELL_END)), alone, behind);
	gen_enter(g, behind);
	gen_format_append(g, t, "|0x%x", &arg);
	gen_goto(g, done);
	gen_enter(g, alone);
	t->room = t->dst.cap;
	arg.number = of_an_int(g, rest);
	gen_format_append(g, t, "0x%x", &arg);
	if (table->unknown) {
		gen_text_literal(g, t, " /* ", 4);
		gen_text_literal(g, t, table->unknown, table->unknown_len);
		gen_text_literal(g, t, " */", 3);
	}
	gen_goto(g, done);
	gen_enter(g, none);
	gen_branch(g, gen_is_zero(g, gen_cell(g, t->work, GEN_CELL_END)), zero, done);
	gen_enter(g, zero);
	t->room = t->dst.cap;
	gen_text_literal(g, t, "0", 1);
	gen_goto(g, done);
	gen_enter(g, done);
}

// Bytes that the names take, at most: of those that need all bits of the number, there is one.
static uint32_t most_of(const struct name_table *table)
{
	uint32_t alone = 0, others = 0;

	for (uint32_t i = 0; i < table->n_rows; i++) {
		uint32_t len = table->rows[i].len + 1;

		if (table->rows[i].mask == UINT64_MAX)
			alone = SP_MAX(alone, len);
		else
			others += len;
	}
	return alone + others;
}

static void names(struct gen *g, const struct ir_expr *e, struct gen_str dst, bool is_enum)
{
	LLVMValueRef value = gen_long(g, e->args[0]), work = gen_slot(g, gen_plan(g, e)->work);
	struct name_table table;
	struct names n = { .dst_cap = dst.cap };
	struct gen_repeat r = { .n_live = 4, .arg = &n, .body = try_row };
	struct gen_text t;
	char name[NAME_SIZE];
	uint32_t at;

	if (e->args[1]->op != IR_LITERAL || name_table_parse(g->arena, e->args[1]->text, is_enum, &table, &at)) {
		gen_bug(g, "names of a number without a table");
		return;
	}
	t = gen_text_begin(g, dst, work);
	t.room = dst.cap;
	gen_cell_set(g, work, GEN_CELL_C, gen_i64(g, 0));
	if (table.n_rows) {
		n.n_rows = table.n_rows;
		n.row_size = ROW_HEAD + SP_ALIGN_UP(table.longest, 8);
		gen_text_use(&t, most_of(&table));
		n.in_room = t.room >= 8;
		snprintf(name, sizeof(name), "text_names_%u_%u_%u%s", n.n_rows, n.row_size, n.dst_cap, n.in_room ? "_room" : "");
		r.name = name;
		r.trips = n.n_rows;
		r.live[0] = rows_of(g, &table, n.row_size);
		r.live[1] = dst.ptr;
		r.live[2] = work;
		r.live[3] = value;
		gen_repeat(g, &r);
	}
	put_rest(g, &t, &table, value);
	gen_text_end(g, &t);
}

void gen_names_flags(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	names(g, e, dst, false);
}

void gen_names_enum(struct gen *g, const struct ir_expr *e, struct gen_str dst)
{
	names(g, e, dst, true);
}
