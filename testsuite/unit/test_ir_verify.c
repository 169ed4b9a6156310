// SPDX-License-Identifier: GPL-2.0-or-later
// The verifier finds each break of what lower promises: one well-formed unit, spoilt in one place at a time.
#include "compiler/ir/ir.h"

#include "expect.h"

struct parts {
	struct ir_unit *unit;
	struct ir_stmt *set, *emit, *map_set, *loop, *ret;
	struct ir_expr *sum, *call, *get, *text;
};

static struct parts make(void)
{
	struct parts p = { .unit = ir_unit_create() };
	struct ir_unit *u = p.unit;
	struct ir_arg args[] = { { IR_LONG, 0, 8, false }, { IR_STR, 0, 16, false } };
	struct ir_key *key = sp_arena_new(&u->arena, struct ir_key);
	struct ir_func *func;
	struct ir_prog *prog;

	*key = (struct ir_key){ .type = IR_LONG, .size = 8 };
	sp_vec_push(&u->maps, (struct ir_map){ .name = "a",
					       .label = "a",
					       .max_entries = 8,
					       .value_type = IR_STR,
					       .value_size = 16,
					       .keys = key,
					       .n_keys = 1,
					       .key_size = 8,
					       .place = IR_NO_PLACE });
	sp_vec_push(&u->globals, (struct ir_global){ .name = "g", .type = IR_LONG });
	sp_vec_push(&u->sites, (struct ir_site){ .point = "begin", .object = UINT32_MAX, .program = UINT32_MAX });
	func = ir_func_new(u, "f", IR_LONG, 0);
	func->n_params = 1;
	sp_vec_push(&func->locals, (struct ir_local){ .name = "x", .type = IR_STR, .cap = 16 });
	p.ret = func->body = ir_stmt_new(u, IR_S_RETURN, IR_NO_PLACE);
	p.ret->a = ir_const(u, 1);

	prog = ir_prog_new(u, "begin_0", SP_PROG_USER);
	prog->n_sites = 1;
	sp_vec_push(&prog->locals, (struct ir_local){ .name = "n", .type = IR_LONG });
	p.sum = ir_binary(u, IR_ADD, ir_local(u, 0, IR_LONG, 0), ir_const(u, 2), IR_NO_PLACE);
	p.set = prog->body = ir_set(u, 0, p.sum, IR_NO_PLACE);
	p.text = ir_literal(u, "text", 4);
	p.call = ir_expr_new(u, IR_CALL, IR_LONG, IR_NO_PLACE);
	p.call->n_args = 1;
	p.call->args = sp_arena_memdup(&u->arena, &p.text, sizeof(p.text));
	p.get = ir_expr_new(u, IR_MAP_GET, IR_STR, IR_NO_PLACE);
	p.get->cap = 16;
	p.get->n_args = 1;
	p.get->args = sp_arena_array(&u->arena, struct ir_expr *, 1);
	p.get->args[0] = p.call;
	p.emit = p.set->next = ir_stmt_new(u, IR_S_EMIT, ir_place(u, "x.stp", 1, 1, ""));
	p.emit->format = ir_format(u, "%d%s", SP_FORMAT_PRINT, args, 2);
	p.emit->n_args = 2;
	p.emit->args = sp_arena_array(&u->arena, struct ir_expr *, 2);
	p.emit->args[0] = ir_const(u, 3);
	p.emit->args[1] = p.get;
	p.map_set = p.emit->next = ir_stmt_new(u, IR_S_MAP_SET, IR_NO_PLACE);
	p.map_set->n_args = 1;
	p.map_set->args = sp_arena_array(&u->arena, struct ir_expr *, 1);
	p.map_set->args[0] = ir_const(u, 4);
	p.map_set->a = ir_literal(u, "v", 1);
	p.loop = p.map_set->next = ir_stmt_new(u, IR_S_LOOP, IR_NO_PLACE);
	p.loop->a = ir_const(u, 1);
	p.loop->then = ir_stmt_new(u, IR_S_BREAK, IR_NO_PLACE);
	return p;
}

// Spoils a fresh unit and expects `part` in what is said about it.
#define BROKEN(part, spoil)                                                                        \
	do {                                                                                       \
		struct parts p = make();                                                           \
		spoil;                                                                             \
		EXPECT_HAS(ir_verify(p.unit), part);                                               \
		ir_unit_destroy(p.unit);                                                           \
	} while (0)

// Makes of an addition an operation with `n` operands.
static void become(struct ir_expr *e, enum ir_expr_op op, int n)
{
	e->op = op;
	e->a = n > 0 ? e->a : NULL;
	e->b = n > 1 ? e->b : NULL;
}

static void test_expressions(void)
{
	BROKEN("begin_0: local 7 of 1", p.sum->a->local = 7);
	BROKEN("local n as string", p.emit->args[1] = ir_local(p.unit, 0, IR_STR, 8));
	BROKEN("literal gives string, not long", p.sum->b = p.text);
	BROKEN("add lacks an operand", p.sum->b = NULL);
	BROKEN("add gives string", p.sum->type = IR_STR);
	BROKEN("place 9 of 1", p.sum->place = 9);
	BROKEN("a literal of the wrong length", p.text->len = 3);
	BROKEN("literal has capacity 9", p.text->cap = 9);
	BROKEN("map_get has capacity 0", p.get->cap = 0);
	BROKEN("map 3 of 1", p.get->map = 3);
	BROKEN("0 keys for a", p.get->n_args = 0);
	BROKEN("an element of a as long", (p.get->type = IR_LONG, p.emit->args[0] = p.get));
	BROKEN("function 5 of 1", p.call->func = 5);
	BROKEN("0 arguments for f", p.call->n_args = 0);
	BROKEN("const gives long, not string", p.call->args[0] = ir_const(p.unit, 1));
	BROKEN("an access of 3 bytes", (become(p.sum, IR_LOAD, 1), p.sum->size = 3));
	BROKEN("an extension of 64 bits", (become(p.sum, IR_ZEXT, 1), p.sum->bits = 64));
	BROKEN("add has what it does not use", p.sum->local = 1);
	BROKEN("literal has what it does not use", p.text->value = 1);
	BROKEN("map_get has what it does not use", p.get->size = 8);
	BROKEN("a load at an offset", (become(p.sum, IR_LOAD, 1), p.sum->size = 8, p.sum->offset = 8));
	BROKEN("fixup 0 of 0", become(p.sum, IR_FIXUP, 0));
	BROKEN("fixup has an operand too many", p.sum->op = IR_FIXUP);
	BROKEN("global 2 of 1", (become(p.sum, IR_GLOBAL, 0), p.sum->global = 2));
	BROKEN("builtin 1000 of", (become(p.sum, IR_BUILTIN, 0), p.sum->builtin = 1000));
	BROKEN("map_add to strings", (p.call->op = IR_MAP_ADD, p.call->a = ir_const(p.unit, 1),
				      p.call->args[0] = p.call->a));
}

static void test_numbers(void)
{
	BROKEN("is not add's own", (ir_number(p.unit), p.sum->id = p.unit->n_exprs));
	BROKEN("is not map_get's own", (ir_number(p.unit), p.sum->id = p.get->id));
	BROKEN("is not emit's own", (ir_number(p.unit), p.emit->id = p.set->id));
}

static void test_statements(void)
{
	BROKEN("local 4 of 1", p.set->local = 4);
	BROKEN("loop has what it does not use", p.loop->map = 1);
	BROKEN("set lacks an operand", p.set->a = NULL);
	BROKEN("loop has an operand too many", p.loop->b = p.loop->a);
	BROKEN("format 1 of 1", p.emit->format = 1);
	BROKEN("1 arguments for format 0", p.emit->n_args = 1);
	BROKEN("const gives long, not string", p.map_set->a = ir_const(p.unit, 1));
	BROKEN("break outside of a loop", (p.loop->op = IR_S_IF, p.loop->otherwise = NULL));
	BROKEN("f: an operand is missing", p.ret->a = NULL);
	BROKEN("a return with a value", (p.set->op = IR_S_RETURN));
	BROKEN("f: a string parameter is set",
	       (p.ret->op = IR_S_SET, p.ret->local = 0, p.ret->a = p.text));
	BROKEN("foreach over a: key 0 has another type",
	       (p.unit->maps.v[0].keys[0].type = IR_STR, p.loop->op = IR_S_FOREACH, p.loop->a = NULL,
		p.set->next = p.loop, p.loop->foreach.keys = sp_arena_new(&p.unit->arena, uint32_t)));
}

static void test_declarations(void)
{
	BROKEN("map a has a gap in its key", p.unit->maps.v[0].keys[0].offset = 8);
	BROKEN("keys of 8 bytes, not 16", p.unit->maps.v[0].key_size = 16);
	BROKEN("map name", p.unit->maps.v[0].name = "a_name_of_16_byte");
	BROKEN("two maps are named a", sp_vec_push(&p.unit->maps, p.unit->maps.v[0]));
	BROKEN("a text that does not fit",
	       (p.unit->globals.v[0].type = IR_STR, p.unit->globals.v[0].cap = 8,
		p.unit->globals.v[0].init_text = "eight888", p.unit->globals.v[0].init_len = 8));
	BROKEN("sites 0 to 2 of 1", p.unit->progs.v[0].n_sites = 2);
	BROKEN("a program's name has 0 bytes", p.unit->progs.v[0].name = "");
	BROKEN("object 0 of 0", p.unit->sites.v[0].object = 0);
	BROKEN("local n has no type", p.unit->progs.v[0].locals.v[0].type = IR_VOID);
}

int main(void)
{
	struct parts good = make();

	EXPECT_STR(ir_verify(good.unit) ? ir_verify(good.unit) : "", "");
	ir_unit_destroy(good.unit);
	test_expressions();
	test_numbers();
	test_statements();
	test_declarations();
	return expect_status();
}
