// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/gen/core/gen_cost.h"

#include "compiler/gen/kernel/gen_stack.h"
#include "compiler/plan/plan_map.h"
#include "runtime/base/cleanup.h"

#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>

#define OLD_LIMIT 4096 // BPF_MAXINSNS
#define SHOWN_LINES 5

enum kind { HANDLER, FUNCTION, OUTLINED, CALLBACK, N_KINDS, OTHER = N_KINDS };

// By the names that they are given where they are made.
static enum kind kind_of(const char *name, const char *prog)
{
	size_t len = strlen(prog);

	if (strncmp(name, prog, len) != 0)
		return OTHER;
	name += len;
	return !*name				    ? HANDLER
	       : sp_starts_with(name, "__function") ? FUNCTION
	       : sp_starts_with(name, "__outlined")	    ? OUTLINED
	       : sp_starts_with(name, "__")	    ? CALLBACK
						    : OTHER;
}

// ---- of LLVM's module ---------------------------------------------------------------------------

struct line {
	const char *file; // not terminated
	unsigned file_len, line, n;
};

struct lines {
	SP_VEC(struct line) v;
};

static void count_line(struct lines *lines, LLVMValueRef instruction)
{
	struct line line = { .line = LLVMGetDebugLocLine(instruction), .n = 1 };

	line.file = line.line ? LLVMGetDebugLocFilename(instruction, &line.file_len) : NULL;
	if (!line.file)
		return;
	sp_vec_each(known, &lines->v) {
		if (known->line == line.line && known->file_len == line.file_len &&
		    !memcmp(known->file, line.file, line.file_len)) {
			known->n++;
			return;
		}
	}
	sp_vec_push(&lines->v, line);
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->line > y->line) - (x->line < y->line);
}

unsigned gen_cost_count(LLVMValueRef fn, struct sp_buf *lines_ret)
{
	struct lines lines = { 0 };
	unsigned n = 0;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
			n++;
			if (lines_ret)
				count_line(&lines, i);
		}
	if (lines.v.n)
		qsort(lines.v.v, lines.v.n, sizeof(*lines.v.v), compare_lines);
	for (size_t i = 0; lines_ret && i < SP_MIN(lines.v.n, (size_t)SHOWN_LINES); i++)
		sp_buf_printf(lines_ret, "%s%.*s:%u (%u)", i ? ", " : "", (int)lines.v.v[i].file_len, lines.v.v[i].file,
			      lines.v.v[i].line, lines.v.v[i].n);
	sp_vec_deinit(&lines.v);
	return n;
}

// ---- of machine code ----------------------------------------------------------------------------

struct code {
	unsigned functions, instructions, stack; // `stack`: of the one that takes most
};

static void add_code(struct code *code, const void *insns, size_t size)
{
	size_t n = size / sizeof(struct bpf_insn);

	code->functions++;
	code->instructions += (unsigned)n;
	code->stack = SP_MAX(code->stack, gen_stack_of(insns, n));
}

static void measure(const struct object_elf *elf, const char *prog, struct code codes[N_KINDS])
{
	memset(codes, 0, N_KINDS * sizeof(*codes));
	for (size_t i = 0; i < elf->n_symbols; i++) {
		const Elf64_Sym *symbol = &elf->symbols[i];
		const char *name = object_elf_symbol_name(elf, symbol);
		const struct object_section *section;
		enum kind kind = kind_of(name, prog);

		if (kind == OTHER || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx >= elf->sections.n)
			continue;
		section = &elf->sections.v[symbol->st_shndx];
		if (symbol->st_value > section->size || symbol->st_size > section->size - symbol->st_value)
			continue;
		add_code(&codes[kind], (const char *)section->data + symbol->st_value, symbol->st_size);
	}
}

static unsigned all_instructions(const struct code codes[N_KINDS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < N_KINDS; i++)
		n += codes[i].instructions;
	return n;
}

struct sp_err *gen_cost_check(const struct plan *plan, LLVMModuleRef mod, const struct sp_buf *kernel)
{
	const struct ir_unit *unit = plan->unit;
	sp_cleanup(object_elf_deinit) struct object_elf elf = { 0 };

	if (target_has(&unit->target, SP_FEATURE_BOUNDED_LOOPS) || !target_has(&unit->target, SP_FEATURE_BPF))
		return NULL;
	SP_TRY(object_elf_read(kernel, &elf));
	for (size_t i = 0; i < unit->progs.n; i++) {
		const struct ir_prog *prog = &unit->progs.v[i];
		sp_cleanup(sp_buf_deinit) struct sp_buf lines = { 0 };
		LLVMValueRef fn = LLVMGetNamedFunction(mod, prog->name);
		struct code codes[N_KINDS];

		if (!plan->progs[i].in_kernel || !fn) // of another module
			continue;
		measure(&elf, prog->name, codes);
		if (all_instructions(codes) <= OLD_LIMIT)
			continue;
		gen_cost_count(fn, &lines);
		return sp_err_new(SP_ERR_SCRIPT,
				  "the handler of %s has %u instructions; the target's kernel, which is older than 5.2, "
				  "takes %d. Most come from %s",
				  prog->n_sites ? unit->sites.v[prog->first_site].point : prog->name,
				  all_instructions(codes), OLD_LIMIT, sp_buf_str(&lines));
	}
	return NULL;
}

// ---- the listing --------------------------------------------------------------------------------

struct listing {
	const struct plan *plan;
	const struct ir_unit *unit;
	const struct plan_prog *prog;
	struct sp_buf *out;
	bool *maps, *funcs; // that were seen
	bool in_kernel;
};

static void list_code(struct sp_buf *out, const char *what, const struct code *code)
{
	sp_buf_printf(out, "  %s: %u instructions, %u bytes of stack", what, code->instructions, code->stack);
}

static void list_codes(struct listing *l, const struct object_elf *elf, const struct ir_prog *prog, bool in_kernel)
{
	static const char *const names[N_KINDS] = { [FUNCTION] = "functions", [OUTLINED] = "outlined", [CALLBACK] = "callbacks" };
	struct code codes[N_KINDS];

	measure(elf, prog->name, codes);
	list_code(l->out, in_kernel ? "kernel" : "user", &codes[HANDLER]);
	if (in_kernel)
		sp_buf_printf(l->out, " (%u with what it calls), %u of scratch", gen_stack_chain(elf, prog->name).bytes,
			      l->prog->scratch_size);
	sp_buf_putc(l->out, '\n');
	for (enum kind i = FUNCTION; i < N_KINDS; i++) {
		if (!codes[i].functions)
			continue;
		list_code(l->out, names[i], &codes[i]);
		sp_buf_putc(l->out, '\n');
	}
}

static void list_map(struct listing *l, uint32_t index)
{
	const struct ir_map *map = &l->unit->maps.v[index];
	uint32_t key_size = l->plan->maps[index].kernel_key_size, size;

	if (l->maps[index])
		return;
	l->maps[index] = true;
	if (l->plan->maps[index].is_direct) {
		sp_buf_printf(l->out, "  array %s: a place for each of the %u texts that are its keys: %zu bytes\n", map->label,
			      l->plan->maps[index].known->n, l->plan->maps[index].n_places * sizeof(struct sp_direct));
		return;
	}
	if (l->plan->maps[index].is_of_thread) {
		sp_buf_printf(l->out, "  array %s: %zu bytes with each thread that has an element\n", map->label, sizeof(struct sp_direct));
		return;
	}
	sp_buf_printf(l->out, "  array %s: %u elements, %u bytes of key", map->label, map->max_entries, key_size);
	size = key_size + map->value_size;
	if (l->plan->maps[index].is_split) {
		key_size = plan_short_key_size(map);
		sp_buf_printf(l->out, " or %u where its text is short", key_size);
		size += key_size + map->value_size;
	}
	sp_buf_printf(l->out, ", %u of value: %llu bytes\n", map->value_size, (unsigned long long)map->max_entries * size);
}

static void list_body(struct listing *l, const struct ir_stmt *body);

static void list_func(struct listing *l, uint32_t index)
{
	const struct ir_func *func = &l->unit->funcs.v[index];
	const struct plan_func *plan = &l->plan->funcs[index];
	const struct ir_place *at = func->place < l->unit->places.n ? &l->unit->places.v[func->place] : NULL;

	sp_buf_printf(l->out, "  function %s at %s:%u:%u: ", func->name, at ? at->file : "", at ? at->line : 0,
		      at ? at->column : 0);
	if (l->in_kernel && plan->is_recursive)
		sp_buf_puts(l->out, "a coroutine in bpf_loop");
	else if (l->in_kernel ? plan->is_called_in_kernel : plan->is_called_in_user)
		sp_buf_puts(l->out, "called");
	else
		sp_buf_puts(l->out, "inlined");
	if (l->in_kernel)
		sp_buf_printf(l->out, ", about %u instructions in %u place%s", plan->size, plan->n_places,
			      plan->n_places == 1 ? "" : "s");
	sp_buf_putc(l->out, '\n');
	list_body(l, func->body);
}

static void list_expr(void *ctx, const struct ir_expr *e)
{
	struct listing *l = ctx;

	if (e->op == IR_MAP_GET || e->op == IR_MAP_HAS || e->op == IR_MAP_ADD)
		list_map(l, e->map);
	if (e->op == IR_CALL && !l->funcs[e->func]) {
		l->funcs[e->func] = true;
		list_func(l, e->func);
	}
}

static void list_loop(struct listing *l, const struct ir_stmt *s)
{
	static const char *const forms[] = {
		[PLAN_LOOP_NONE] = "", [PLAN_LOOP_UNROLL] = "unrolled", [PLAN_LOOP_BOUNDED] = "bounded",
		[PLAN_LOOP_CALL] = "bpf_loop",
	};
	const struct ir_place *at = s->place < l->unit->places.n ? &l->unit->places.v[s->place] : NULL;
	const struct plan_code *code = &l->plan->codes[s->id];

	sp_buf_printf(l->out, "  %s at %s:%u:%u", ir_stmt_op_name(s->op), at ? at->file : "", at ? at->line : 0,
		      at ? at->column : 0);
	if (!l->in_kernel)
		sp_buf_puts(l->out, ": interpreted");
	else if (s->op == IR_S_LOOP)
		sp_buf_printf(l->out, ": %s", forms[code->form]);
	else
		sp_buf_puts(l->out, ": bpf_for_each_map_elem");
	if (l->in_kernel && code->rows)
		sp_buf_printf(l->out, ", %u picked out in order", code->rows);
	if (code->trips)
		sp_buf_printf(l->out, ", %u rounds", code->trips);
	sp_buf_putc(l->out, '\n');
}

static void list_stmt(void *ctx, const struct ir_stmt *s)
{
	struct listing *l = ctx;

	if (s->op == IR_S_MAP_SET || s->op == IR_S_MAP_DEL || s->op == IR_S_MAP_CLEAR || s->op == IR_S_FOREACH)
		list_map(l, s->map);
	if (s->op == IR_S_LOOP || s->op == IR_S_FOREACH)
		list_loop(l, s);
}

static void list_body(struct listing *l, const struct ir_stmt *body)
{
	struct ir_visitor visitor = { .ctx = l, .expr = list_expr, .stmt = list_stmt };

	ir_walk_stmts(body, &visitor);
}

// The program that began what this one goes on with.
static const struct ir_prog *rest_of(const struct ir_unit *unit, const struct ir_prog *prog)
{
	size_t i = 0;

	while (unit->progs.v[i].deferral.rest != (uint32_t)(prog - unit->progs.v))
		i++;
	return &unit->progs.v[i];
}

// The globals behind the lock that the handler takes.
static void list_lock(const struct listing *l)
{
	const char *before = "  lock of ";

	if (!l->prog->lock)
		return;
	for (size_t i = 0; i < l->unit->globals.n; i++) {
		if (l->plan->global_locks[i] != l->prog->lock)
			continue;
		sp_buf_printf(l->out, "%s%s", before, l->unit->globals.v[i].name);
		before = ", ";
	}
	for (size_t i = 0; i < l->unit->maps.n; i++) {
		if (l->plan->maps[i].lock != l->prog->lock)
			continue;
		sp_buf_printf(l->out, "%s%s", before, l->unit->maps.v[i].label);
		before = ", ";
	}
	sp_buf_putc(l->out, '\n');
}

static void list_prog(struct listing *l, const struct ir_prog *prog, const struct object_elf *kernel,
		      const struct object_elf *user)
{
	const struct ir_prog *of = prog->n_sites ? prog : rest_of(l->unit, prog);

	sp_buf_printf(l->out, "%sprobe %s", of == prog ? "" : "outside of the kernel, the rest of ", l->unit->sites.v[of->first_site].point);
	if (of->n_sites > 1)
		sp_buf_printf(l->out, " and %u more", of->n_sites - 1);
	if (of != prog) {
		sp_buf_puts(l->out, ": ");
		ir_cause_print(l->out, l->unit, &of->deferral.cause);
	}
	sp_buf_putc(l->out, '\n');
	if (l->prog->in_kernel)
		list_codes(l, kernel, prog, true);
	if (l->prog->in_user)
		list_codes(l, user, prog, false);
	list_lock(l);
	l->in_kernel = l->prog->in_kernel;
	list_body(l, prog->body);
}

struct sp_err *gen_cost(const struct plan *plan, const struct sp_buf *kernel, const struct sp_buf *user,
			struct sp_buf *ret)
{
	const struct ir_unit *unit = plan->unit;
	sp_cleanup(object_elf_deinit) struct object_elf kernel_elf = { 0 };
	sp_cleanup(object_elf_deinit) struct object_elf user_elf = { 0 };

	SP_TRY(object_elf_read(kernel, &kernel_elf));
	if (user->len)
		SP_TRY(object_elf_read(user, &user_elf));
	for (size_t i = 0; i < unit->progs.n; i++) {
		sp_cleanup_free bool *maps = sp_calloc(unit->maps.n + 1, sizeof(*maps));
		sp_cleanup_free bool *funcs = sp_calloc(unit->funcs.n + 1, sizeof(*funcs));
		struct listing l = {
			.plan = plan, .unit = unit, .prog = &plan->progs[i], .out = ret, .maps = maps, .funcs = funcs,
		};

		list_prog(&l, &unit->progs.v[i], &kernel_elf, &user_elf);
	}
	return NULL;
}
