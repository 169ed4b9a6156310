// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_symbols.h"

#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_regs.h"
#include "compiler/sema/size.h"
#include "runtime/abi/event.h"

static const struct {
	enum builtin_id id;
	enum ir_space space;
	enum sp_symbol_text text;
} functions[] = {
	{ BUILTIN_BACKTRACE, IR_SPACE_KERNEL, SP_SYMBOL_HEX },
	{ BUILTIN_BACKTRACE_FULL, IR_SPACE_KERNEL, SP_SYMBOL_FULL },
	{ BUILTIN_BACKTRACE_FULLER, IR_SPACE_KERNEL, SP_SYMBOL_FULLER },
	{ BUILTIN_MODNAME, IR_SPACE_KERNEL, SP_SYMBOL_MODULE },
	{ BUILTIN_SPRINT_BACKTRACE, IR_SPACE_KERNEL, SP_SYMBOL_SIMPLE },
	{ BUILTIN_SPRINT_UBACKTRACE, IR_SPACE_USER, SP_SYMBOL_SIMPLE },
	{ BUILTIN_SYMCALLER, IR_SPACE_KERNEL, SP_SYMBOL_CALLER },
	{ BUILTIN_SYMDATA, IR_SPACE_KERNEL, SP_SYMBOL_DATA },
	{ BUILTIN_SYMFILE, IR_SPACE_KERNEL, SP_SYMBOL_FILE },
	{ BUILTIN_SYMFILELINE, IR_SPACE_KERNEL, SP_SYMBOL_FILE_LINE },
	{ BUILTIN_SYMLINE, IR_SPACE_KERNEL, SP_SYMBOL_LINE },
	{ BUILTIN_SYMNAME, IR_SPACE_KERNEL, SP_SYMBOL_NAME },
	{ BUILTIN_UBACKTRACE, IR_SPACE_USER, SP_SYMBOL_HEX },
	{ BUILTIN_UBACKTRACE_BRIEF, IR_SPACE_USER, SP_SYMBOL_BRIEF },
	{ BUILTIN_UBACKTRACE_FULL, IR_SPACE_USER, SP_SYMBOL_FULL },
	{ BUILTIN_UBACKTRACE_FULLER, IR_SPACE_USER, SP_SYMBOL_FULLER },
	{ BUILTIN_UMODNAME, IR_SPACE_USER, SP_SYMBOL_MODULE },
	{ BUILTIN_USYMCALLER_OF, IR_SPACE_USER, SP_SYMBOL_CALLER },
	{ BUILTIN_USYMDATA, IR_SPACE_USER, SP_SYMBOL_DATA },
	{ BUILTIN_USYMDATA_OF, IR_SPACE_USER, SP_SYMBOL_DATA },
	{ BUILTIN_USYMFILE, IR_SPACE_USER, SP_SYMBOL_FILE },
	{ BUILTIN_USYMFILELINE, IR_SPACE_USER, SP_SYMBOL_FILE_LINE },
	{ BUILTIN_USYMLINE, IR_SPACE_USER, SP_SYMBOL_LINE },
	{ BUILTIN_USYMNAME, IR_SPACE_USER, SP_SYMBOL_NAME },
};

static bool is_at_exit(const struct lower *l)
{
	return l->site && l->site->exit != EXIT_NONE;
}

// The stack pointer at the first and last instructions of a function: it has no frame there, so the return address is there. NULL:
// the probe is elsewhere.
static struct ir_expr *entry_stack(struct lower *l)
{
	const struct site *site = l->site;
	struct ir_expr *sp;

	if (!site || !l->abi || site->prog_kind != SP_PROG_REGS || site->space != SPACE_USER || !l->abi->return_address_size)
		return NULL;
	if (!is_at_exit(l) && (site->is_return || !site->func || site->pc != site->func->entry_pc))
		return NULL;
	sp = ir_expr_new(l->unit, IR_CTX, IR_LONG, IR_NO_PLACE);
	sp->offset = l->abi->sp_offset;
	sp->size = site_abi(site, l->abi)->word_size; // of the return address that is there, too
	return sp;
}

// The link register, for a stack of the probed code at a function's entry: nothing has put it on the stack yet. 0: the probe is
// elsewhere, or the stack another one.
static uint16_t link_register(const struct lower *l, bool is_user)
{
	const struct site *site = l->site;

	if (!site || !l->abi || l->abi->link_dwarf < 0 || site->prog_kind != SP_PROG_REGS || (site->space == SPACE_USER) != is_user ||
	    site->is_return || !site->func || site->func->is_inline || site->pc != site->func->entry_pc)
		return 0;
	return abi_reg_dwarf(l->abi, l->abi->link_dwarf)->offset;
}

// The probed address, for a stack at a kprobe: there the program counter is already past the breakpoint. NULL: the probe is
// no kprobe.
static struct ir_expr *probed_place(struct lower *l)
{
	const struct site *site = l->site;

	if (!site || site->prog_kind != SP_PROG_REGS || site->space != SPACE_KERNEL || site->is_return)
		return NULL;
	return lower_address(l);
}

// What the stack that is read begins with. At a kprobe the kernel begins it at the probed function.
static uint8_t tracer_of(const struct lower *l)
{
	if (!l->site)
		return SP_TRACER_NONE;
	switch (l->site->prog_kind) {
	case SP_PROG_RAW_TP:
	case SP_PROG_TYPED_TP:
	case SP_PROG_ITER:
	case SP_PROG_NETFILTER:
		return SP_TRACER_CALLS;
	case SP_PROG_FENTRY:
	case SP_PROG_FEXIT:
	case SP_PROG_LSM:
	case SP_PROG_REPLACE:
		return SP_TRACER_TRAMPOLINE;
	case SP_PROG_USER:
	case SP_PROG_REGS:
	case SP_PROG_TP:
	case SP_PROG_PERF:
	case SP_PROG_KIND_COUNT:
		break;
	}
	return SP_TRACER_NONE;
}

struct ir_expr *lower_frame(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *frame = ir_expr_new(l->unit, IR_BUILTIN, IR_LONG, IR_NO_PLACE);

	frame->builtin = (uint32_t)e->call.builtin;
	frame->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 2);
	frame->args[0] = lower_expr(l, e->call.args.v[0]);
	if (e->call.builtin == BUILTIN_USTACK && is_at_exit(l))
		frame->args[0] = lower_with(l, IR_ADD, frame->args[0], 1); // as at other returns the function is no part of the stack
	frame->args[1] = e->call.builtin == BUILTIN_USTACK ? entry_stack(l) : probed_place(l);
	frame->n_args = frame->args[1] ? 2 : 1;
	frame->tracer = e->call.builtin == BUILTIN_STACK ? tracer_of(l) : SP_TRACER_NONE;
	frame->link = link_register(l, e->call.builtin == BUILTIN_USTACK);
	l->unit->has_tracer_frames |= frame->tracer != SP_TRACER_NONE;
	l->unit->has_user_stacks |= ir_is_user_stack(frame);
	return frame;
}

// symname(address) and its kin describe an address; those without an argument, such as backtrace(), the stack.
_Static_assert(SP_SYMBOLS_PLACES == 128, "builtin_stack_size() has room for all");

struct ir_expr *lower_symbols(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *symbols;
	size_t i = 0;

	while (i < SP_ARRAY_SIZE(functions) && e->call.builtin != (int)functions[i].id)
		i++;
	if (i == SP_ARRAY_SIZE(functions))
		return NULL;
	symbols = ir_expr_new(l->unit, IR_SYMBOLS, IR_STR, lower_place(l, e->op_span, "identifier", e->call.name));
	symbols->what = functions[i].text;
	symbols->space = functions[i].space;
	symbols->cap = size_of_expr(l->program, e, l->unit->max_string);
	symbols->a = e->call.args.n ? lower_expr(l, e->call.args.v[0]) : NULL;
	symbols->tracer = !symbols->a && symbols->space == IR_SPACE_KERNEL ? tracer_of(l) : SP_TRACER_NONE;
	l->unit->has_tracer_frames |= symbols->tracer != SP_TRACER_NONE;
	l->unit->has_user_stacks |= ir_is_user_stack(symbols);
	symbols->link = symbols->a ? 0 : link_register(l, symbols->space == IR_SPACE_USER);
	symbols->at_exit = !symbols->a && symbols->space == IR_SPACE_USER && is_at_exit(l);
	if (e->call.args.n == 2)
		symbols->b = lower_expr(l, e->call.args.v[1]);
	else if (!symbols->a)
		symbols->b = symbols->space == IR_SPACE_USER ? entry_stack(l) : probed_place(l);
	return symbols;
}

uint32_t lower_symbols_size(const struct ir_expr *e)
{
	return (uint32_t)sizeof(struct sp_symbols) + (e->a ? 1 : SP_SYMBOLS_PLACES) * 8;
}
