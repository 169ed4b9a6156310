// SPDX-License-Identifier: GPL-2.0-or-later
// Location programs and access paths: what is lowered is evaluated over a known memory and compared with what DWARF means.
#include "compiler/lower/lower_loc.h"
#include "compiler/sema/access.h"

#include "expect.h"
#include "ir_eval.h"

struct fixture {
	struct source_map sources;
	struct diag_ctx dc;
	struct target target;
	struct lower_opts opts;
	struct lower l;
	struct program program;
	struct point_env env;
	struct sema_opts sema;
	struct dbg_module module;
	struct dbg_func func;
	struct site site;
	struct ir_eval eval;
};

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ .target = { .arch = "x86_64" } };
	source_map_init(&f->sources);
	diag_ctx_init(&f->dc, &f->sources);
	f->opts = (struct lower_opts){ .sources = &f->sources, .dc = &f->dc, .target = &f->target };
	f->l.opts = &f->opts;
	f->l.program = &f->program;
	f->env = (struct point_env){ .target = &f->target, .dc = &f->dc, .arena = &f->program.arena };
	f->sema = (struct sema_opts){ .dc = &f->dc, .env = &f->env };
	f->l.unit = ir_unit_create();
	f->l.unit->max_string = 512;
	f->l.abi = abi_find("x86_64");
	f->module = (struct dbg_module){ .name = "kernel", .is_kernel = true, .abi = f->l.abi };
	f->func = (struct dbg_func){ .module = &f->module, .entry_pc = 0x1000 };
	f->site = (struct site){ .prog_kind = SP_PROG_REGS,
				 .kind = SP_SITE_KPROBE,
				 .module = &f->module,
				 .func = &f->func,
				 .pc = 0x1000 };
	f->l.site = &f->site;
}

static void fixture_deinit(struct fixture *f)
{
	sp_vec_deinit(&f->l.locals);
	sp_vec_deinit(&f->l.modules);
	ir_unit_destroy(f->l.unit);
	sp_hash_deinit(&f->l.places);
	sp_arena_deinit(&f->program.arena);
	diag_ctx_deinit(&f->dc);
	source_map_deinit(&f->sources);
}

static const struct c_type c_char = {
	.kind = C_INT, .name = "char", .size = 1, .is_signed = true, .is_char = true
};
static const struct c_type c_uchar = { .kind = C_INT, .name = "u8", .size = 1 };
static const struct c_type c_int = { .kind = C_INT, .name = "int", .size = 4, .is_signed = true };
static const struct c_type c_uint = { .kind = C_INT, .name = "unsigned int", .size = 4 };
static const struct c_type c_long = { .kind = C_INT, .name = "long", .size = 8, .is_signed = true };
static const struct c_type c_int128 = {
	.kind = C_INT, .name = "__int128", .size = 16, .is_signed = true
};
static const struct c_type c_struct = { .kind = C_STRUCT, .name = "s", .size = 24 };
static const struct c_type c_pointer = { .kind = C_POINTER, .size = 8, .target = &c_struct };
static const struct c_type c_text = { .kind = C_ARRAY, .size = 16, .count = 16, .target = &c_char };

static struct ir_expr *lower(struct fixture *f, const struct site_value *v)
{
	struct ast_expr e = { .kind = AST_RESOLVED, .resolved = (struct site_value *)v };

	return lower_site_value(&f->l, &e);
}

static int64_t value(struct fixture *f, const struct site_value *v)
{
	struct ir_expr *e = lower(f, v);

	f->eval.n_loads = 0;
	f->eval.failed = false;
	return eval_long(&f->eval, e);
}

static int64_t reg(int dwarf)
{
	return eval_read(abi_reg_dwarf(abi_find("x86_64"), dwarf)->offset, 8, false, EVAL_CONTEXT);
}

static int64_t memory(int64_t address, unsigned size, bool is_signed)
{
	return eval_read((uint64_t)address, size, is_signed, EVAL_KERNEL);
}

#define OPS(...) (struct loc_op[]){ __VA_ARGS__ }
#define N_OPS(...) (sizeof((struct loc_op[]){ __VA_ARGS__ }) / sizeof(struct loc_op))
#define PIECE(kind, ...) { .where = kind, .ops = OPS(__VA_ARGS__), .n_ops = N_OPS(__VA_ARGS__) }
#define LOC(...)                                                                                   \
	(&(struct loc){ (struct loc_piece[]){ __VA_ARGS__ },                                       \
			sizeof((struct loc_piece[]){ __VA_ARGS__ }) / sizeof(struct loc_piece) })
#define STEPS(...)                                                                                 \
	.steps = (struct site_step[]){ __VA_ARGS__ },                                              \
	.n_steps = sizeof((struct site_step[]){ __VA_ARGS__ }) / sizeof(struct site_step)

// Sema reports that it cannot be read.
static void refused(struct fixture *f, struct site_value *v, const char *tag)
{
	struct context cx = { .opts = &f->sema, .program = &f->program, .arena = &f->program.arena };
	struct scene scene = { .cx = &cx, .site = &f->site };
	size_t before = f->dc.n_errors;

	EXPECT_NUM(access_check(&scene, v, SPAN_NONE), false);
	EXPECT_NUM(f->dc.n_errors, before + 1);
	EXPECT_STR(diag_info(sp_vec_last(&f->dc.diags)->id)->tag, tag);
	diag_rewind(&f->dc, 0);
	f->dc.n_errors = (unsigned)before;
	v->is_listed = true; // one of $$vars: `?` is printed
	EXPECT_NUM(access_check(&scene, v, SPAN_NONE), true);
	EXPECT_NUM(v->is_absent, true);
	v->is_listed = false;
}

// ---- what is where ------------------------------------------------------------------------------

static void test_registers(struct fixture *f)
{
	struct site_value v = { .loc = LOC(PIECE(LOC_IS_VALUE, { LOC_REG, 5, NULL })), .type = &c_long };

	EXPECT_NUM(value(f, &v), reg(5));
	EXPECT_NUM(f->eval.n_loads, 0);
	v.type = &c_int;
	EXPECT_NUM(value(f, &v), (int32_t)reg(5));
	v.type = &c_uint;
	EXPECT_NUM(value(f, &v), (uint32_t)reg(5));
	v.type = &c_uchar;
	EXPECT_NUM(value(f, &v), (uint8_t)reg(5));
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_ENTRY_REG, 4, NULL }));
	v.type = &c_long;
	struct ast_expr entry_value = { .kind = AST_NUMBER, .type = TYPE_LONG, .number = 77 };
	v.kept = &(struct site_kept){ 4, &entry_value };
	v.n_kept = 1;
	EXPECT_NUM(value(f, &v), 77);
}

static void test_memory(struct fixture *f)
{
	struct site_value v = { .loc = LOC(PIECE(LOC_IN_MEMORY, { LOC_REG, 6, NULL }, { LOC_CONST, -20, NULL },
						 { LOC_ADD, 0, NULL })),
				.type = &c_int };
	int64_t at = reg(6) - 20;

	EXPECT_NUM(value(f, &v), memory(at, 4, true));
	v.space = SPACE_USER;
	EXPECT_NUM(value(f, &v), eval_read((uint64_t)at, 4, true, EVAL_USER));
	v.space = SPACE_KERNEL;
	v.type = &c_struct; // aggregates are their address
	EXPECT_NUM(value(f, &v), at);
	v.type = &c_long;
	v.address_of = true;
	EXPECT_NUM(value(f, &v), at);
}

static void test_paths(struct fixture *f)
{
	struct loc *pointer = LOC(PIECE(LOC_IS_VALUE, { LOC_REG, 5, NULL }));
	struct ast_expr two = { .kind = AST_NUMBER, .number = 2 };
	struct site_value v = {
		.loc = pointer,
		.type = &c_char,
		STEPS({ .kind = STEP_DEREF }, { .kind = STEP_ADD, .bytes = 24 },
		      { .kind = STEP_DEREF }, { .kind = STEP_ADD, .bytes = 8 },
		      { .kind = STEP_SCALE, .bytes = 3, .index = &two })
	};
	int64_t inner = memory(reg(5) + 24, 8, false);

	EXPECT_NUM(value(f, &v), memory(inner + 8 + 6, 1, true));
	EXPECT_NUM(f->eval.n_loads, 2);
	v.address_of = true;
	EXPECT_NUM(value(f, &v), inner + 14);
	EXPECT_NUM(f->eval.n_loads, 1);
}

static void test_bit_fields(struct fixture *f)
{
	struct loc *object = LOC(PIECE(LOC_IN_MEMORY, { LOC_REG, 5, NULL }));
	int64_t unit = memory(reg(5), 4, false);

	for (unsigned size = 1; size < 32; size++) {
		for (unsigned off = 0; off + size <= 32; off++) {
			struct site_value v = {
				.loc = object, .type = &c_uint, .bit_off = off, .bit_size = size
			};
			int64_t bits = unit >> off & ((1ll << size) - 1);
			EXPECT_NUM(value(f, &v), bits);
			v.type = &c_int;
			EXPECT_NUM(value(f, &v), bits >> (size - 1) ? bits - (1ll << size) : bits);
		}
	}
	// Packed ones go over the end of their unit.
	struct site_value over = { .loc = object, .type = &c_uint, .bit_off = 30, .bit_size = 7 };
	EXPECT_NUM(value(f, &over), memory(reg(5), 8, false) >> 30 & 0x7f);
	// ... and in a register as well
	struct site_value in_reg = { .loc = LOC(PIECE(LOC_IS_VALUE, { LOC_REG, 5, NULL })),
				     .type = &c_int,
				     .bit_off = 3,
				     .bit_size = 5 };
	EXPECT_NUM(value(f, &in_reg), (int64_t)((uint64_t)reg(5) << 56) >> 59);
}

static void test_pieces(struct fixture *f)
{
	uint8_t bytes[] = { 0x11, 0x22, 0x83 };
	struct loc *loc = LOC(
		{ .where = LOC_IS_VALUE, .ops = OPS({ LOC_REG, 5, NULL }), .n_ops = 1, .bit_size = 32 },
		{ .where = LOC_IS_VALUE,
		  .ops = OPS({ LOC_REG, 4, NULL }),
		  .n_ops = 1,
		  .bit_size = 32,
		  .bit_off = 16 },
		{ .where = LOC_IN_MEMORY, .ops = OPS({ LOC_REG, 6, NULL }), .n_ops = 1, .bit_size = 64 },
		{ .where = LOC_IS_BYTES, .bytes = bytes, .n_bytes = 3, .bit_size = 24 },
		{ .where = LOC_ABSENT, .bit_size = 64 });
	struct site_value v = { .loc = loc, .base_type = &c_struct, .type = &c_long };
	struct site_step at[] = { { .kind = STEP_ADD } };

	for (int first = 0; first < 6; first++) { // with both signs in the middle
		loc->pieces[0].ops = OPS({ LOC_REG, first, NULL });
		EXPECT_NUM(value(f, &v), (int64_t)((uint32_t)reg(first) |
						   (uint64_t)(uint32_t)(reg(4) >> 16) << 32));
	}
	v.steps = at;
	v.n_steps = 1;
	v.type = &c_int;
	at[0].bytes = 4;
	EXPECT_NUM(value(f, &v), (int32_t)(reg(4) >> 16));
	at[0].bytes = 10;
	EXPECT_NUM(value(f, &v), memory(reg(6) + 2, 4, true));
	v.address_of = true;
	EXPECT_NUM(value(f, &v), reg(6) + 2);
	v.address_of = false;
	v.type = &c_char;
	at[0].bytes = 18;
	EXPECT_NUM(value(f, &v), (int8_t)0x83);
	EXPECT_NUM(f->dc.n_errors, 0);
}

// reg4 < limit ? *reg5 : reg5 << reg4
static void test_branches(struct fixture *f)
{
	struct loc_op ops[] = { { LOC_REG, 5, NULL },	{ LOC_REG, 4, NULL },  { LOC_CONST, 0, NULL },
				{ LOC_LT, 0, NULL },	{ LOC_BRANCH, 3, NULL }, { LOC_REG, 4, NULL },
				{ LOC_SHL, 0, NULL },	{ LOC_SKIP, 1, NULL },	{ LOC_DEREF, 8, NULL } };
	struct loc_piece piece = { .where = LOC_IS_VALUE, .ops = ops, .n_ops = SP_ARRAY_SIZE(ops) };
	struct loc loc = { &piece, 1 };
	struct site_value v = { .loc = &loc, .type = &c_long };
	int64_t limits[] = { INT64_MIN, INT64_MAX }, count = reg(4);

	ops[2].a = limits[0];
	EXPECT_NUM(value(f, &v), (uint64_t)count < 64 ? reg(5) << count : 0);
	EXPECT_NUM(f->eval.n_loads, 0);
	ops[2].a = limits[1];
	EXPECT_NUM(value(f, &v), memory(reg(5), 8, true));
	EXPECT_NUM(f->eval.n_loads, 1);
	for (count = 0; count < 130; count += 13) { // DWARF shifts everything out
		v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_REG, 5, NULL }, { LOC_REG, 4, NULL }, { LOC_REG, 4, NULL },
				  { LOC_SUB, 0, NULL }, { LOC_CONST, count, NULL }, { LOC_OR, 0, NULL },
				  { LOC_SHRA, 0, NULL }));
		EXPECT_NUM(value(f, &v), reg(5) >> SP_MIN(count, (int64_t)63));
	}
	EXPECT_NUM(f->dc.n_errors, 0);
}

static void test_pointees(struct fixture *f)
{
	struct loc *object = LOC(PIECE(LOC_IN_MEMORY, { LOC_REG, 6, NULL }));
	struct loc *registers = LOC({ .where = LOC_IS_VALUE, .ops = OPS({ LOC_REG, 5, NULL }), .n_ops = 1, .bit_size = 64 },
				    { .where = LOC_POINTS_TO, .pointee = object, .pointee_off = 16, .bit_size = 64 });
	struct site_value v = { .loc = LOC({ .where = LOC_POINTS_TO, .pointee = registers }),
				.type = &c_long,
				STEPS({ .kind = STEP_DEREF }, { .kind = STEP_ADD, .bytes = 8 }, { .kind = STEP_DEREF },
				      { .kind = STEP_ADD, .bytes = 4 }) };

	v.n_steps = 1;
	EXPECT_NUM(value(f, &v), reg(5));
	v.n_steps = 4;
	v.type = &c_int;
	EXPECT_NUM(value(f, &v), memory(reg(6) + 20, 4, true));
	v.loc = LOC({ .where = LOC_POINTS_TO, .pointee = registers, .pointee_off = 8 });
	v.steps[1].bytes = 0;
	EXPECT_NUM(value(f, &v), memory(reg(6) + 20, 4, true));
	EXPECT_NUM(f->dc.n_errors, 0);
}

static void test_addresses(struct fixture *f)
{
	struct dbg_module program = { .name = "/bin/x", .abi = f->l.abi },
			  ext4 = { .name = "ext4", .is_kernel = true };
	struct site_value v = { .loc = LOC(PIECE(LOC_IN_MEMORY, { LOC_ADDR, 0x4010, NULL })),
				.type = &c_int,
				.module = &f->module };

	f->eval.fixups[0] = 0x10000000;
	EXPECT_NUM(value(f, &v), memory(0x10004010, 4, true));
	EXPECT_NUM(f->l.unit->fixups.v[0].kind, SP_FIX_KERNEL_SLIDE);
	v.module = &ext4;
	v.loc = LOC(PIECE(LOC_IN_MEMORY, { LOC_ADDR, 0x4010, ".data" }));
	f->eval.fixups[1] = 0x20000000;
	EXPECT_NUM(value(f, &v), memory(0x20004010, 4, true));
	EXPECT_NUM(f->l.unit->fixups.v[1].kind, SP_FIX_MODULE_SECTION);
	EXPECT_STR(f->l.unit->objects.v[f->l.unit->fixups.v[1].object].name, "ext4");
	EXPECT_STR(f->l.unit->fixups.v[1].text, ".data");
	v.loc = LOC(PIECE(LOC_IN_MEMORY, { LOC_ADDR, 0x4010, NULL }));
	v.module = &program; // not position-independent
	EXPECT_NUM(value(f, &v), memory(0x4010, 4, true));
	program.is_pie = true;
	f->site.module = &program;
	f->site.kind = SP_SITE_UPROBE;
	EXPECT_NUM(value(f, &v),
		   memory(eval_read(128, 8, false, EVAL_CONTEXT) - 0x1000 + 0x4010, 4, true));
	EXPECT_NUM(f->dc.n_errors, 0);
	f->site.kind = SP_SITE_URETPROBE; // the program counter is the caller's there
	refused(f, &v, "E520");
}

static void test_context(struct fixture *f)
{
	struct site_value v = {
		.base = SITE_BASE_CTX, .ctx_off = 16, .ctx_size = 4, .base_type = &c_int, .type = &c_int
	};

	f->site.prog_kind = SP_PROG_TP;
	EXPECT_NUM(value(f, &v), eval_read(16, 4, true, EVAL_CONTEXT));
	f->site.prog_kind = SP_PROG_FENTRY; // whole words
	EXPECT_NUM(value(f, &v), (int32_t)eval_read(16, 8, true, EVAL_CONTEXT));
	v.ctx_off = 24;
	v.ctx_size = 8;
	v.type = v.base_type = &c_pointer;
	EXPECT_NUM(value(f, &v), eval_read(24, 8, false, EVAL_CONTEXT));
}

static void test_record(struct fixture *f)
{
	struct site_value v = {
		.base = SITE_BASE_RECORD, .ctx_off = 12, .base_type = &c_text, .type = &c_text
	};
	struct site_step second = { .kind = STEP_ADD, .bytes = 1 };

	f->site.prog_kind = SP_PROG_TP;
	EXPECT_NUM(value(f, &v), EVAL_CONTEXT_ADDRESS + 12);
	v.type = &c_uchar;
	v.steps = &second;
	v.n_steps = 1;
	EXPECT_NUM(value(f, &v), eval_read(13, 1, false, EVAL_CONTEXT));
	EXPECT_NUM(f->eval.n_loads, 0);
	v = (struct site_value){
		.base = SITE_BASE_RECORD, .ctx_off = 8, .is_data_loc = true, .type = &c_text
	};
	EXPECT_NUM(value(f, &v),
		   EVAL_CONTEXT_ADDRESS + (eval_read(8, 4, false, EVAL_CONTEXT) & 0xffff));
}

static void test_casts(struct fixture *f)
{
	struct ast_expr pointer = { .kind = AST_NUMBER, .number = 0x5000 };
	struct site_value v = { .base = SITE_BASE_EXPR,
				.expr = &pointer,
				.base_type = &c_pointer,
				.type = &c_long,
				STEPS({ .kind = STEP_DEREF },
				      { .kind = STEP_ADD, .bytes = 8 }) };

	EXPECT_NUM(value(f, &v), memory(0x5008, 8, true));
	v.base_type = &c_struct; // the expression is the structure's address
	v.steps++;
	v.n_steps--;
	EXPECT_NUM(value(f, &v), memory(0x5008, 8, true));
	v = (struct site_value){ .base = SITE_BASE_CONST, .number = -7, .type = &c_long };
	EXPECT_NUM(value(f, &v), -7);
}

// ---- what cannot be read ------------------------------------------------------------------------

static void test_refused(struct fixture *f)
{
	struct ast_expr name = { .kind = AST_NAME }, *index = &name;
	struct site_value v = { .type = &c_long };

	v.loc = LOC(PIECE(LOC_IN_MEMORY, { LOC_CONST, 8, NULL }, { LOC_TLS, 0, NULL }));
	refused(f, &v, "E520");
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_REG, 17, NULL })); // xmm0
	refused(f, &v, "E520");
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_ADD, 0, NULL }));
	refused(f, &v, "E520");
	v.loc = LOC({ .where = LOC_IS_VALUE });
	refused(f, &v, "E520");
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_CONST, 1, NULL }, { LOC_PICK, 1000, NULL }));
	refused(f, &v, "E520");
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_CONST, 1, NULL }, { LOC_SKIP, -3, NULL }));
	refused(f, &v, "E520");
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_CONST, 1, NULL }, { LOC_REG, 5, NULL }, { LOC_BRANCH, 1, NULL }));
	refused(f, &v, "E520");
	v.loc = LOC({ .where = LOC_POINTS_TO, .pointee = v.loc }); // without ->
	refused(f, &v, "E502");
	v.loc = LOC({ .where = LOC_ABSENT });
	refused(f, &v, "E502");
	v.loc = NULL;
	refused(f, &v, "E502");
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_REG, 5, NULL }));
	v.address_of = true;
	refused(f, &v, "E512");
	v.address_of = false;
	v.type = &c_int128;
	refused(f, &v, "E504");
	v.type = &c_long;
	f->site.pc = 0x1004; // behind the entry
	v.loc = LOC(PIECE(LOC_IS_VALUE, { LOC_ENTRY_REG, 5, NULL }));
	refused(f, &v, "E520");
	// An index that is not known selects no register of what is no array.
	v = (struct site_value){ .loc = LOC({ .where = LOC_IS_VALUE,
					      .ops = OPS({ LOC_REG, 5, NULL }),
					      .n_ops = 1,
					      .bit_size = 64 },
					    { .where = LOC_IS_VALUE,
					      .ops = OPS({ LOC_REG, 4, NULL }),
					      .n_ops = 1,
					      .bit_size = 64 }),
				 .type = &c_long,
				 STEPS({ .kind = STEP_SCALE, .bytes = 8, .index = index }) };
	refused(f, &v, "E520");
}

// ---- any program --------------------------------------------------------------------------------

struct machine {
	int64_t v[64];
	unsigned n;
	bool failed;
};

static int64_t apply(struct machine *m, enum loc_op_kind kind, int64_t x, int64_t y)
{
	uint64_t a = (uint64_t)x, b = (uint64_t)y;

	switch ((int)kind) {
	case LOC_ADD: return (int64_t)(a + b);
	case LOC_SUB: return (int64_t)(a - b);
	case LOC_MUL: return (int64_t)(a * b);
	case LOC_AND: return (int64_t)(a & b);
	case LOC_OR: return (int64_t)(a | b);
	case LOC_XOR: return (int64_t)(a ^ b);
	case LOC_EQ: return x == y;
	case LOC_NE: return x != y;
	case LOC_LT: return x < y;
	case LOC_LE: return x <= y;
	case LOC_GT: return x > y;
	case LOC_GE: return x >= y;
	case LOC_DIV:
		m->failed |= !y;
		return !y ? 0 : y == -1 ? (int64_t)(0 - a) : x / y;
	case LOC_SMOD:
		m->failed |= !y;
		return !y || y == -1 ? 0 : x % y;
	case LOC_UDIV:
		m->failed |= !y;
		return y ? (int64_t)(a / b) : 0;
	case LOC_UMOD:
		m->failed |= !y;
		return y ? (int64_t)(a % b) : 0;
	}
	return 0;
}

// DWARF 5 section 2.5.1, by the book.
static void machine_step(struct machine *m, const struct loc_op *op)
{
	int64_t *top = m->n ? &m->v[m->n - 1] : m->v, x = *top;

	switch ((int)op->kind) {
	case LOC_CONST: m->v[m->n++] = op->a; break;
	case LOC_REG: m->v[m->n++] = reg((int)op->a); break;
	case LOC_DEREF: *top = eval_read((uint64_t)x, (unsigned)op->a, false, EVAL_KERNEL); break;
	case LOC_NEG: *top = (int64_t)(0 - (uint64_t)x); break;
	case LOC_NOT: *top = ~x; break;
	case LOC_ABS: *top = x < 0 ? (int64_t)(0 - (uint64_t)x) : x; break;
	case LOC_DUP: m->v[m->n++] = x; break;
	case LOC_DROP: m->n--; break;
	case LOC_SWAP: *top = top[-1]; top[-1] = x; break;
	case LOC_ROT: *top = top[-1]; top[-1] = top[-2]; top[-2] = x; break;
	case LOC_PICK: m->v[m->n++] = top[-op->a]; break;
	case LOC_SEXT: *top = (int64_t)((uint64_t)x << (64 - 8 * op->a)) >> (64 - 8 * op->a); break;
	case LOC_ZEXT:
		*top = op->a == 8 ? x : (int64_t)((uint64_t)x & ((1ull << 8 * op->a) - 1));
		break;
	case LOC_SHL:
		top[-1] = (uint64_t)x > 63 ? 0 : (int64_t)((uint64_t)top[-1] << x);
		m->n--;
		break;
	case LOC_SHR:
		top[-1] = (uint64_t)x > 63 ? 0 : (int64_t)((uint64_t)top[-1] >> x);
		m->n--;
		break;
	case LOC_SHRA: top[-1] = top[-1] >> ((uint64_t)x > 63 ? 63 : x); m->n--; break;
	default:
		top[-1] = apply(m, op->kind, top[-1], x);
		m->n--;
	}
}

static unsigned random_below(uint64_t *state, unsigned n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33) % n;
}

static struct loc_op random_op(uint64_t *state, unsigned depth)
{
	static const enum loc_op_kind unary[] = { LOC_DEREF, LOC_NEG,  LOC_NOT,	 LOC_ABS,
						  LOC_DUP,   LOC_SEXT, LOC_ZEXT, LOC_PICK };
	static const enum loc_op_kind two[] = { LOC_ADD,  LOC_SUB, LOC_MUL,  LOC_DIV,  LOC_SMOD,
						LOC_UDIV, LOC_UMOD, LOC_AND, LOC_OR,   LOC_XOR,
						LOC_EQ,	  LOC_NE,   LOC_LT,  LOC_LE,   LOC_GT,
						LOC_GE,	  LOC_SWAP, LOC_DROP };
	static const int64_t numbers[] = { 0, 1, -1, 7, 63, 64, 4096, INT64_MIN, INT64_MAX, -20 };
	unsigned what = random_below(state, 8);
	struct loc_op op = { .kind = LOC_CONST, .a = numbers[random_below(state, SP_ARRAY_SIZE(numbers))] };

	if (what == 0 || depth == 0)
		return random_below(state, 2) ? op
					      : (struct loc_op){ .kind = LOC_REG, .a = random_below(state, 16) };
	if (what < 4 || depth == 1) {
		op.kind = unary[random_below(state, SP_ARRAY_SIZE(unary))];
		op.a = op.kind == LOC_PICK ? random_below(state, depth)
					   : 1u << random_below(state, 4);
	} else if (what == 4 && depth > 2) {
		op.kind = LOC_ROT;
	} else {
		op.kind = two[random_below(state, SP_ARRAY_SIZE(two))];
	}
	return op;
}

static void test_any_program(struct fixture *f)
{
	uint64_t state = 1;

	for (unsigned round = 0; round < 20000; round++) {
		struct loc_op ops[32];
		struct loc_piece piece = { .where = LOC_IS_VALUE, .ops = ops };
		struct loc loc = { &piece, 1 };
		struct site_value v = { .loc = &loc, .type = &c_long };
		struct machine m = { .n = 0 };
		int64_t got;
		unsigned n = 1 + random_below(&state, 24);
		for (unsigned i = 0; i < n; i++) {
			struct loc_op op = random_op(&state, m.n);
			if (m.n > 8 && op.kind == LOC_DUP)
				op.kind = LOC_DROP;
			// Shift counts are constants: a pair of operations.
			if (op.kind == LOC_SWAP && random_below(&state, 2)) {
				ops[piece.n_ops] = (struct loc_op){
					.kind = LOC_CONST, .a = random_below(&state, 70) };
				machine_step(&m, &ops[piece.n_ops++]);
				op.kind = LOC_SHL + random_below(&state, 3);
			}
			ops[piece.n_ops++] = op;
			machine_step(&m, &op);
			if (piece.n_ops > 30)
				break;
		}
		if (!m.n)
			continue;
		f->l.locals.n = 0;
		got = value(f, &v);
		if (m.failed)
			continue;
		EXPECT_NUM(f->eval.failed, false);
		EXPECT_NUM(got, m.v[m.n - 1]);
		EXPECT_NUM(f->dc.n_errors, 0);
		if (expect_failures)
			break;
	}
}

// dup + dup + ...: each round doubles, the tree must not.
static void test_sharing(struct fixture *f)
{
	struct loc_op ops[1 + 2 * 60];
	struct loc_piece piece = { .where = LOC_IS_VALUE, .ops = ops, .n_ops = SP_ARRAY_SIZE(ops) };
	struct loc loc = { &piece, 1 };
	struct site_value v = { .loc = &loc, .type = &c_long };

	ops[0] = (struct loc_op){ LOC_REG, 5, NULL };
	for (unsigned i = 1; i < SP_ARRAY_SIZE(ops); i += 2) {
		ops[i] = (struct loc_op){ LOC_DUP, 0, NULL };
		ops[i + 1] = (struct loc_op){ LOC_ADD, 0, NULL };
	}
	EXPECT_NUM(value(f, &v), (int64_t)((uint64_t)reg(5) << 60));
}

int main(void)
{
	static void (*const tests[])(struct fixture *) = {
		test_registers, test_memory,	test_paths,	  test_bit_fields,
		test_pieces,	test_addresses, test_context,	  test_record,
		test_casts,	test_refused,	test_any_program, test_sharing,
		test_branches,	test_pointees,
	};

	for (size_t i = 0; i < SP_ARRAY_SIZE(tests); i++) {
		struct fixture f;
		fixture_init(&f);
		tests[i](&f);
		fixture_deinit(&f);
	}
	return expect_status();
}
