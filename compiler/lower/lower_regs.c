// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_regs.h"
#include "compiler/lower/lower_portable.h"

#include "compiler/lower/lower_expr.h"

static bool has_registers(const struct lower *l)
{
	return l->site && l->abi && (l->site->prog_kind == SP_PROG_REGS || l->site->prog_kind == SP_PROG_PERF);
}

// sema/access.c has refused every call that needs more than the site has.
static struct ir_expr *unchecked(struct lower *l, const struct ast_expr *e)
{
	lower_bug(l, e->span, "a register that no handler at the site can read");
	return ir_const(l->unit, 0);
}

static struct ir_expr *context_of(struct lower *l, uint32_t offset, uint8_t size)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_CTX, IR_LONG, IR_NO_PLACE);

	e->offset = offset;
	e->size = size;
	return e;
}

static struct ir_expr *context(struct lower *l, uint32_t offset)
{
	return context_of(l, offset, 8);
}

static const struct abi *own_abi(const struct lower *l)
{
	return site_abi(l->site, l->abi);
}

// ---- registers ----------------------------------------------------------------------------------

static struct ir_expr *part(struct lower *l, const struct abi_part *part, bool is_signed)
{
	struct ir_expr *e = context(l, abi_reg_name(l->abi, part->whole)->offset), *cut;

	if (part->bit)
		e = lower_with(l, IR_USHR, e, part->bit);
	if (part->bits == 64)
		return e;
	cut = ir_unary(l->unit, is_signed ? IR_SEXT : IR_ZEXT, e);
	cut->bits = part->bits;
	return cut;
}

static struct ir_expr *named(struct lower *l, const char *name, bool is_signed)
{
	const struct abi_reg *reg = abi_reg_name(l->abi, name);
	const struct abi_part *p = abi_part_name(l->abi, name);

	return reg ? context(l, reg->offset) : p ? part(l, p, is_signed) : NULL;
}

// register(name) with a name that is known when the script runs: a comparison with the name of each register.
static struct ir_expr *by_any_name(struct lower *l, const struct ast_expr *e, bool is_signed)
{
	struct ir_expr *name = lower_expr(l, e->call.args.v[0]), *value;
	uint32_t place = lower_place(l, e->op_span, "identifier", e->call.name);
	uint32_t result = lower_temp(l, IR_LONG, 0);
	static const char text[] = "unknown register";
	struct ir_stmt *s, **tail;
	struct lower_list list;

	lower_list_begin(l, &list);
	name = lower_keep(l, name);
	s = ir_stmt_new(l->unit, IR_S_FAIL, place);
	s->a = ir_literal(l->unit, text, strlen(text));
	for (unsigned i = l->abi->n_regs + l->abi->n_parts; i-- > 0;) {
		const char *known = i < l->abi->n_regs ? l->abi->regs[i].name : l->abi->parts[i - l->abi->n_regs].name;
		struct ir_stmt *test = ir_stmt_new(l->unit, IR_S_IF, place);

		value = named(l, known, is_signed);
		test->a = ir_binary(l->unit, IR_EQ, name, ir_literal(l->unit, known, strlen(known)), IR_NO_PLACE);
		test->then = ir_set(l->unit, result, value, place);
		tail = &test->otherwise;
		*tail = s;
		s = test;
	}
	lower_emit(l, s);
	return ir_seq(l->unit, lower_list_end(l, &list), lower_read(l, result));
}

static struct ir_expr *by_name(struct lower *l, const struct ast_expr *e, bool is_signed)
{
	const struct ast_expr *name = e->call.args.v[0];
	struct ir_expr *value;

	if (!has_registers(l))
		return unchecked(l, e);
	if (name->kind != AST_STRING)
		return by_any_name(l, e, is_signed);
	value = named(l, name->string.text, is_signed);
	return value ? value : unchecked(l, e);
}

const struct abi_reg *lower_register(const struct lower *l, const struct ast_expr *e)
{
	const struct ast_expr *number = e->call.args.v[0];
	enum site_space space = e->call.builtin == BUILTIN_UREGISTER ? SPACE_USER : SPACE_KERNEL;
	bool is_here = has_registers(l) && l->site->space == space && number->kind == AST_NUMBER;

	return is_here ? abi_reg_dwarf(own_abi(l), number->number) : NULL;
}

static struct ir_expr *by_number(struct lower *l, const struct ast_expr *e)
{
	const struct abi_reg *reg = lower_register(l, e);

	return reg ? context_of(l, reg->offset, own_abi(l)->word_size) : unchecked(l, e);
}

// ---- arguments ----------------------------------------------------------------------------------

// An argument that is not passed in a register: it is on the stack, above the return address.
static struct ir_expr *stack_argument(struct lower *l, const struct ast_expr *e, struct ir_expr *n)
{
	struct ir_expr *load = ir_expr_new(l->unit, IR_LOAD, IR_LONG,
					   lower_place(l, e->op_span, "argument", NULL));
	const struct abi *abi = own_abi(l);
	struct ir_expr *at = lower_with(l, IR_SHL, lower_with(l, IR_SUB, n, abi->n_args + 1), abi->word_size == 8 ? 3 : 2);

	load->a = ir_binary(l->unit, IR_ADD, context(l, abi->sp_offset),
			    lower_with(l, IR_ADD, at, abi->return_address_size), IR_NO_PLACE);
	load->size = abi->word_size;
	load->space = l->site->space == SPACE_USER ? IR_SPACE_USER : IR_SPACE_KERNEL;
	return load;
}

static void fail_before_first(struct lower *l, const struct ast_expr *e, struct ir_expr *n)
{
	static const char text[] = "there is no such argument: they are counted from 1";
	uint32_t place = lower_place(l, e->op_span, "argument", NULL);
	struct ir_stmt *test = ir_stmt_new(l->unit, IR_S_IF, place);

	if (n->op == IR_CONST && n->value > 0)
		return;
	test->a = lower_with(l, IR_LT, n, 1);
	test->then = ir_stmt_new(l->unit, IR_S_FAIL, place);
	test->then->a = ir_literal(l->unit, text, strlen(text));
	lower_emit(l, test);
}

static struct ir_expr *argument(struct lower *l, const struct ast_expr *e)
{
	const struct abi *abi = own_abi(l);
	struct ir_expr *n, *value;
	const int *regs;
	struct lower_list list;

	if (!has_registers(l))
		return unchecked(l, e);
	regs = l->site->space == SPACE_USER ? abi->user_args : abi->kernel_args;
	lower_list_begin(l, &list);
	n = lower_keep(l, lower_expr(l, e->call.args.v[0]));
	fail_before_first(l, e, n);
	value = stack_argument(l, e, n);
	for (unsigned i = abi->n_args; i-- > 0;)
		value = lower_choose(l, lower_with(l, IR_EQ, n, i + 1),
				  context(l, abi_reg_dwarf(abi, regs[i])->offset), value);
	return ir_seq(l->unit, lower_list_end(l, &list), value);
}

// The result of the function, when it is a number: in the register that the calling convention says.
static struct ir_expr *returned(struct lower *l, const struct ast_expr *e)
{
	if (!has_registers(l))
		return unchecked(l, e);
	return context_of(l, abi_reg_dwarf(own_abi(l), own_abi(l)->return_dwarf)->offset, own_abi(l)->word_size);
}

// ---- where --------------------------------------------------------------------------------------

static struct ir_expr *builtin(struct lower *l, enum builtin_id id)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_BUILTIN, IR_LONG, IR_NO_PLACE);

	e->builtin = id;
	return e;
}

// The function's address at link time plus the distance that it was moved: for fentry and fexit in kernels without
// bpf_get_func_ip.
static struct ir_expr *linked_address(struct lower *l)
{
	const struct site *site = l->site;

	lower_bind(l, site->module, "addr()", IR_NO_PLACE);
	if (sp_streq(site->module->name, "kernel"))
		return lower_with(l, IR_ADD, lower_kernel_slide(l, site->module), (int64_t)site->pc);
	return lower_with(l, IR_ADD, lower_section(l, site->module, site->section), (int64_t)(site->pc - site->section_start));
}

// At a kprobe the program counter is behind the breakpoint. bpf_get_func_ip knows the entries of functions, where more may
// come before the probe (ENDBR, a call of ftrace); elsewhere it gives 0.
static struct ir_expr *kernel_address(struct lower *l)
{
	bool is_kprobe = l->site->prog_kind == SP_PROG_REGS;
	struct ir_expr *pc = NULL, *e;

	if (is_kprobe)
		pc = lower_with(l, IR_SUB, context(l, l->abi->pc_offset), l->abi->breakpoint_size);
	if (!target_has(&l->unit->target, SP_FEATURE_COOKIE)) // bpf_get_func_ip came with the same kernel version
		return pc ? pc : linked_address(l);
	e = builtin(l, BUILTIN_ADDR);
	if (!is_kprobe)
		return e;
	e->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 1);
	e->args[0] = pc;
	e->n_args = 1;
	return e;
}

// Where a function returns to that is about to: the address is what the stack pointer leads to.
static struct ir_expr *coming_address(struct lower *l)
{
	struct ir_expr *load = ir_expr_new(l->unit, IR_LOAD, IR_LONG, lower_place(l, l->site->origin->span, "address", NULL));

	load->a = context(l, own_abi(l)->sp_offset);
	load->size = own_abi(l)->word_size;
	load->space = IR_SPACE_USER;
	return load;
}

struct ir_expr *lower_address(struct lower *l)
{
	const struct site *site = l->site;

	if (site && site->exit != EXIT_NONE)
		return coming_address(l);
	if (has_registers(l) && (site->space == SPACE_USER || site->is_return || site->prog_kind == SP_PROG_PERF))
		return context(l, l->abi->pc_offset);
	if (has_registers(l) || (site && site->kind == SP_SITE_FENTRY))
		return kernel_address(l);
	return ir_const(l->unit, 0);
}

static struct ir_expr *user_address(struct lower *l)
{
	struct ir_expr *e;

	if (l->site && l->site->exit != EXIT_NONE)
		return coming_address(l);
	if (has_registers(l) && l->site->space == SPACE_USER && l->site->prog_kind == SP_PROG_REGS)
		return context(l, l->abi->pc_offset);
	if (!l->site || l->site->prog_kind == SP_PROG_USER || !l->abi)
		return ir_const(l->unit, 0);
	e = builtin(l, BUILTIN_UADDR);
	e->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 1);
	e->args[0] = ir_const(l->unit, l->abi->pc_offset);
	e->n_args = 1;
	return e;
}

// The kernel knows it since bpf_get_func_ip, of a program's function since Linux 6.6; at the exit of a trampoline the stack has it.
static struct ir_expr *returning_from(struct lower *l)
{
	const struct site *site = l->site;
	bool is_told;

	if (site && site->exit != EXIT_NONE)
		return lower_with(l, IR_SUB, context(l, l->abi->pc_offset), (int64_t)(site->pc - site->func->entry_pc));
	is_told = site && site->is_return && site->func && site->prog_kind == SP_PROG_REGS && target_has(&l->unit->target, SP_FEATURE_COOKIE);

	return is_told ? builtin(l, BUILTIN_ADDR) : ir_const(l->unit, 0);
}

static struct ir_expr *user_mode(struct lower *l)
{
	const struct abi_reg *reg = l->abi ? abi_reg_name(l->abi, "cs") : NULL;
	bool is_x86 = reg != NULL;

	if (!has_registers(l) || l->site->prog_kind == SP_PROG_REGS)
		return ir_const(l->unit, l->site && l->site->prog_kind == SP_PROG_REGS &&
						 l->site->space == SPACE_USER);
	// The privilege level: 3 on x86, exception level 0 on arm64.
	if (!is_x86)
		reg = abi_reg_name(l->abi, "pstate");
	return lower_with(l, is_x86 ? IR_NE : IR_EQ, lower_with(l, IR_AND, context(l, reg->offset), is_x86 ? 3 : 15), 0);
}

// As SystemTap calls them, where it has such a hook. A task's life is told by tracepoints here, by utrace there.
static const char *hook_name(const struct site *site)
{
	switch (site->kind) {
	case SP_SITE_BEGIN: case SP_SITE_END: case SP_SITE_ERROR: return "begin_end";
	case SP_SITE_TIMER: return "hrtimer";
	case SP_SITE_CONDITION: return "condition";
	case SP_SITE_KPROBE: return "kprobe";
	case SP_SITE_KRETPROBE: return "kretprobe";
	case SP_SITE_BPF: case SP_SITE_FENTRY: return "fentry";
	case SP_SITE_BPF_RETURN: case SP_SITE_FEXIT: return "fexit";
	case SP_SITE_UPROBE: return "uprobe";
	case SP_SITE_URETPROBE: return "uretprobe";
	case SP_SITE_TP: return site->is_process ? "utrace" : "kernel_tracepoint";
	case SP_SITE_RAW_TP: return "kernel_tracepoint";
	case SP_SITE_SYSCALL: return "utrace_syscall";
	case SP_SITE_RUNNING: return "utrace";
	case SP_SITE_PERF: case SP_SITE_SAMPLE: return "perf_event";
	case SP_SITE_WATCH: return "hw_breakpoint";
	case SP_SITE_ITER: return "iterator";
	case SP_SITE_LSM: return "lsm";
	case SP_SITE_NETFILTER: return "netfilter";
	case SP_SITE_PROCFS: return "procfs";
	case SP_SITE_KIND_COUNT: break;
	}
	return "";
}

static struct ir_expr *probe_type(struct lower *l)
{
	const char *name = l->site ? hook_name(l->site) : "";

	return ir_literal(l->unit, name, strlen(name));
}

struct ir_expr *lower_site_builtin(struct lower *l, const struct ast_expr *e)
{
	enum builtin_id id = (enum builtin_id)e->call.builtin;

	if (id == BUILTIN_REGISTER || id == BUILTIN_U_REGISTER)
		return by_name(l, e, id == BUILTIN_REGISTER);
	if (id == BUILTIN_KREGISTER || id == BUILTIN_UREGISTER)
		return by_number(l, e);
	if (id == BUILTIN_RETURNVAL)
		return returned(l, e);
	if (id == BUILTIN_ARG)
		return argument(l, e);
	if (id == BUILTIN_ADDR)
		return lower_address(l);
	if (id == BUILTIN_UADDR)
		return user_address(l);
	if (id == BUILTIN_RETURNING_FROM)
		return returning_from(l);
	if (id == BUILTIN_USER_MODE)
		return user_mode(l);
	if (id == BUILTIN_REGISTERS_VALID)
		return ir_const(l->unit, has_registers(l));
	if (id == BUILTIN_PROBING_32BIT)
		return ir_const(l->unit, l->site && l->site->space == SPACE_USER && own_abi(l) && own_abi(l)->word_size == 4);
	if (id == BUILTIN_PROBE_TYPE)
		return probe_type(l);
	return ir_const(l->unit, l->site && l->site->is_return); // IS_RETURN
}
