// SPDX-License-Identifier: GPL-2.0-or-later
// What is in the object: plain libbpf opens it, handlers are as short as promised, lines are the script's.
#define _GNU_SOURCE
#include "gen_make.h"
#include "gen_run.h"

#include <bpf/btf.h>

static struct bpf_object *open_object(struct gen_made *made)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = "unit");
	struct bpf_object *object;

	if (!made_end(made)) {
		EXPECT_STR(made->error, "no error");
		return NULL;
	}
	object = bpf_object__open_mem(made->spo.data, made->spo.len, &opts);
	EXPECT(object);
	return object;
}

struct counts {
	unsigned insns, calls; // a 64-bit immediate load is one instruction
};

static struct counts count(const struct bpf_object *object)
{
	const struct bpf_program *prog = bpf_object__next_program(object, NULL);
	const struct bpf_insn *insns = bpf_program__insns(prog);
	struct counts c = { 0 };

	for (size_t i = 0; i < bpf_program__insn_cnt(prog); i++) {
		c.insns++;
		c.calls += insns[i].code == (BPF_JMP | BPF_CALL);
		i += insns[i].code == (BPF_LD | BPF_IMM | BPF_DW);
	}
	return c;
}

static void test_increment(void)
{
	struct gen_made made = made_begin();
	uint32_t n = add_global(made.unit, "n", IR_LONG, 0);
	struct ir_expr *e = ir_expr_new(made.unit, IR_GLOBAL_ADD, IR_LONG, IR_NO_PLACE);
	struct bpf_object *object;
	struct counts c;

	e->global = n;
	e->a = num(made.unit, 1);
	add_raw_tp(made.unit, "sys_enter")->body = eval_of(made.unit, e);
	object = open_object(&made);
	if (object) {
		c = count(object);
		EXPECT(c.insns <= 20);
		EXPECT_NUM(c.calls, 0);
		EXPECT(!bpf_object__find_map_by_name(object, SP_MAP_EVENTS));
		EXPECT(!bpf_object__find_map_by_name(object, SP_MAP_SCRATCH));
	}
	bpf_object__close(object);
	made_deinit(&made);
}

static void test_count_by_pid(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	uint32_t n = add_map(u, "n", "l", 0, 2048);
	struct bpf_object *object;
	struct bpf_map *map;

	add_raw_tp(u, "sys_enter")->body = eval_of(
		u, map_op(u, IR_MAP_ADD, n, num(u, 1), IR_WANT_NONE, 1, builtin_of(u, BUILTIN_PID)));
	object = open_object(&made);
	if (object) {
		EXPECT(count(object).insns <= 39);
		map = bpf_object__find_map_by_name(object, "n");
		EXPECT(map && bpf_map__type(map) == BPF_MAP_TYPE_HASH &&
		       bpf_map__max_entries(map) == 2048 && bpf_map__key_size(map) == 8 &&
		       bpf_map__value_size(map) == 8);
	}
	bpf_object__close(object);
	made_deinit(&made);
}

// Two programs, one of which calls a function of another file, and what goes with them.
static void test_contents(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct ir_func *f = ir_func_new(u, "f", IR_LONG, 0);
	struct ir_prog *a, *b;
	struct ir_stmt *stmt;
	struct bpf_object *object;
	struct btf *btf;
	uint32_t slot = ir_fixup(u, SP_FIX_TARGET_PID, UINT32_MAX, "");
	struct bundle *bundle = NULL;

	f->place = ir_place(u, "library.stp", 40, 2, "");
	stmt = ir_stmt_new(u, IR_S_RETURN, ir_place(u, "library.stp", 41, 2, ""));
	stmt->a = builtin_of(u, BUILTIN_PID);
	f->body = stmt;
	a = add_raw_tp(u, "sys_enter");
	b = add_raw_tp(u, "sys_exit");
	a->body = print_of(u, "%d\n", 1, call_of(u, 0, 0));
	b->body = print_of(u, "%d\n", 1, with(ir_expr_new(u, IR_FIXUP, IR_LONG, IR_NO_PLACE), slot));
	object = open_object(&made);
	if (object) {
		btf = bpf_object__btf(object);
		EXPECT(bpf_object__find_program_by_name(object, "tp_sys_enter"));
		EXPECT(bpf_object__find_program_by_name(object, "tp_sys_exit"));
		EXPECT(bpf_object__find_map_by_name(object, SP_MAP_EVENTS));
		EXPECT(btf && btf__find_by_name_kind(btf, "tp_sys_exit", BTF_KIND_FUNC) > 0);
		EXPECT(btf && btf__find_by_name_kind(btf, SP_SLOTS_SYMBOL, BTF_KIND_VAR) > 0);
		EXPECT(btf && btf__find_str(btf, "library.stp") > 0);
		EXPECT(memmem(made.spo.data, made.spo.len, ".debug_", 7) == NULL);
		EXPECT(bundle_open(made.spo.data, made.spo.len, &bundle) == NULL);
		EXPECT_NUM(bundle ? bundle->n_progs : 0, 2);
	}
	bundle_close(bundle);
	bpf_object__close(object);
	made_deinit(&made);
}

static unsigned count_text(const char *where, const char *what)
{
	unsigned n = 0;

	while ((where = strstr(where, what))) {
		where++;
		n++;
	}
	return n;
}

static unsigned count_variables(const struct btf *btf, const char *name)
{
	unsigned n = 0;

	for (uint32_t i = 1; i < btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);

		n += btf_is_var(t) && sp_streq(btf__name_by_offset(btf, t->name_off), name);
	}
	return n;
}

// Large handlers are made in modules of their own; the array that all of them use is one, and each is a program.
static void test_modules(void)
{
	enum { HANDLERS = 8, PRINTS = 60 };
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	uint32_t n = add_map(u, "n", "l", 0, 2048);
	struct bpf_object *object;
	const struct btf *btf;
	char name[32];

	for (int i = 0; i < HANDLERS; i++) {
		struct ir_prog *prog;
		struct ir_stmt **at;

		snprintf(name, sizeof(name), "event_%d", i);
		prog = add_raw_tp(u, name);
		prog->body = eval_of(u, map_op(u, IR_MAP_ADD, n, num(u, 1), IR_WANT_NONE, 1, builtin_of(u, BUILTIN_PID)));
		at = &prog->body->next;
		for (int k = 0; k < PRINTS; k++, at = &(*at)->next)
			*at = print_of(u, "%d\n", 1, num(u, i * PRINTS + k));
	}
	object = open_object(&made);
	EXPECT(count_text(sp_buf_str(&made.llvm_ir), "; ModuleID") > 2);
	btf = object ? bpf_object__btf(object) : NULL;
	EXPECT(btf && count_variables(btf, "n") == 1);
	EXPECT(btf && count_variables(btf, SP_MAP_EVENTS) == 1);
	for (int i = 0; object && i < HANDLERS; i++) {
		snprintf(name, sizeof(name), "tp_event_%d", i);
		EXPECT(bpf_object__find_program_by_name(object, name));
		EXPECT(btf && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0);
	}
	bpf_object__close(object);
	made_deinit(&made);
}

// Nothing can end the script: no handler looks whether it has.
static void test_exit_check(void)
{
	struct gen_made quiet = made_begin(), ending = made_begin();

	add_raw_tp(quiet.unit, "sys_enter")->body = print_of(quiet.unit, "\n", 0);
	add_raw_tp(ending.unit, "sys_enter")->body = print_of(ending.unit, "\n", 0);
	add_begin(ending.unit)->body = exit_of(ending.unit);
	EXPECT(made_end(&quiet) && made_end(&ending));
	EXPECT(!strstr(sp_buf_str(&quiet.llvm_ir), "load volatile"));
	EXPECT_HAS(sp_buf_str(&ending.llvm_ir), "load volatile");
	made_deinit(&quiet);
	made_deinit(&ending);
}

// Our mistakes are errors, not crashes.
static void test_mistakes(void)
{
	struct gen_made made = made_begin();
	struct ir_unit *u = made.unit;
	struct gen_opts opts = { 0 };
	struct sp_buf spo = { 0 };
	struct sp_err *err;

	add_raw_tp(u, "sys_enter")->body = stmt_of(u, IR_S_BREAK, 0, NULL);
	ir_number(u);
	made.plan = plan_make(u, &(struct plan_opts){ 0 }, NULL, NULL);
	err = gen_bundle(made.plan, &opts, &spo);
	EXPECT(err && err->code == SP_ERR_BUG);
	if (err)
		EXPECT_HAS(err->message, "break or continue outside of a loop");
	EXPECT_NUM(spo.len, 0);
	sp_err_free(err);
	sp_buf_deinit(&spo);
	made_deinit(&made);
}

int main(void)
{
	libbpf_set_print(run_quiet);
	test_increment();
	test_count_by_pid();
	test_contents();
	test_modules();
	test_exit_check();
	test_mistakes();
	return expect_status();
}
