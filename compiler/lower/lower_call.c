// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/lower/lower_call.h"

#include "compiler/lower/lower_expr.h"
#include "compiler/lower/lower_portable.h"
#include "compiler/lower/lower_print.h"
#include "compiler/lower/lower_prog.h"
#include "compiler/lower/lower_regs.h"
#include "compiler/lower/lower_symbols.h"
#include "compiler/sema/size.h"
#include "runtime/abi/event.h"

#include <stdio.h>

// ---- builtins -----------------------------------------------------------------------------------

static struct ir_expr *builtin(struct lower *l, enum builtin_id id)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_BUILTIN, IR_LONG, IR_NO_PLACE);

	e->builtin = id;
	return e;
}

// cycles = offset + (ns * mult >> shift), as abi/bundle.h says
static struct ir_expr *cycles(struct lower *l)
{
	struct ir_expr *ns = builtin(l, BUILTIN_KTIME_GET_NS);
	struct ir_expr *scaled = ir_binary(l->unit, IR_MUL, ns,
					   lower_fixup(l, SP_FIX_TSC_MULT, SP_NONE), IR_NO_PLACE);

	scaled = ir_binary(l->unit, IR_USHR, scaled, lower_fixup(l, SP_FIX_TSC_SHIFT, SP_NONE),
			   IR_NO_PLACE);
	return ir_binary(l->unit, IR_ADD, scaled, lower_fixup(l, SP_FIX_TSC_OFFSET, SP_NONE),
			 IR_NO_PLACE);
}

// Does code here have to find out at which site of its program it runs? When not, the site's own text or number is in it.
static bool asks_for_site(struct lower *l)
{
	if (l->site && !(l->can_merge && lower_tells_site(l, l->site))) {
		l->has_own_text = true;
		return false;
	}
	l->functions_ask |= !l->site;
	return true;
}

// pp(), pn(), ppfunc() and probemod()
static struct ir_expr *site_text(struct lower *l, const struct ast_expr *call)
{
	enum builtin_id id = (enum builtin_id)call->call.builtin;
	enum sp_site_text what = id == BUILTIN_PP     ? SP_SITE_TEXT_POINT :
				 id == BUILTIN_PN     ? SP_SITE_TEXT_NAME :
				 id == BUILTIN_PROBEMOD ? SP_SITE_TEXT_MODULE : SP_SITE_TEXT_FUNCTION;
	struct ir_expr *e;

	if (!asks_for_site(l)) {
		const char *text = lower_site_text(l->site, what);

		return ir_literal(l->unit, text, strlen(text));
	}
	e = ir_expr_new(l->unit, IR_SITE, IR_STR, IR_NO_PLACE);
	e->what = what;
	e->cap = lower_cap(l, what == SP_SITE_TEXT_FUNCTION ? 128 : 256);
	return e;
}

// kernel_string(address), kernel_string_n(address, bytes) and their kin; a last argument is the result when the read faults.
static struct ir_expr *load_string(struct lower *l, const struct ast_expr *e, enum ir_space space)
{
	bool has_limit = e->call.builtin == BUILTIN_KERNEL_STRING_N || e->call.builtin == BUILTIN_USER_STRING_N;
	struct ir_expr *s = ir_expr_new(l->unit, IR_LOADSTR, IR_STR,
					lower_place(l, e->op_span, "identifier", e->call.name));
	struct lower_list list;

	s->space = space;
	s->cap = l->unit->max_string;
	s->a = lower_expr(l, e->call.args.v[0]);
	s->c = has_limit ? lower_expr(l, e->call.args.v[1]) : NULL;
	if (e->call.args.n > 1u + has_limit)
		s->b = lower_expr(l, e->call.args.v[1 + has_limit]);
	if (!(s->b && lower_has_effects(s->b)) && !(s->c && lower_has_effects(s->c)))
		return s;
	// The replacement for a faulting string is an argument like any other: evaluated once, always, after the others.
	lower_list_begin(l, &list);
	s->a = lower_keep(l, s->a);
	s->c = s->c ? lower_keep(l, s->c) : NULL;
	s->b = s->b ? lower_keep(l, s->b) : NULL;
	return ir_seq(l->unit, lower_list_end(l, &list), s);
}

// @kderef(size, address), @uderef(size, address): sema has checked the size
static struct ir_expr *load_number(struct lower *l, const struct ast_expr *e, enum ir_space space)
{
	struct ir_expr *load = ir_expr_new(l->unit, IR_LOAD, IR_LONG,
					   lower_place(l, e->op_span, "operator", e->call.name));

	load->space = space;
	load->size = (uint8_t)e->call.args.v[0]->number;
	load->a = lower_expr(l, e->call.args.v[1]);
	return load;
}

static struct ir_expr *memory(struct lower *l, const struct ast_expr *e)
{
	enum builtin_id id = (enum builtin_id)e->call.builtin;
	bool is_kernel = id == BUILTIN_KDEREF || id == BUILTIN_KERNEL_STRING || id == BUILTIN_KERNEL_STRING_N;
	enum ir_space space = is_kernel ? IR_SPACE_KERNEL : IR_SPACE_USER;

	return builtin_info(id)->result == BUILTIN_RESULT_STRING ? load_string(l, e, space) : load_number(l, e, space);
}

// Generated code follows a pointer of the current task_struct: the arguments are the offset of that pointer and of the number
// behind it. A number within the task_struct has one argument, its offset. Without them the program cannot run in the kernel.
static void add_path(struct lower *l, struct ir_expr *e, const struct task_path *path)
{
	const struct dbg_module *module = l->program->kernel.module;

	e->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 2);
	e->args[0] = lower_member_offset(l, module, "struct task_struct", path->pointer, path->is_within || !path->type ? 0 : 8,
					 path->pointer_offset);
	e->n_args = 1;
	if (!path->type)
		return;
	e->args[1] = lower_member_offset(l, module, path->type, path->member, 0, path->offset);
	if (path->is_within)
		e->args[0] = ir_binary(l->unit, IR_ADD, e->args[0], e->args[1], IR_NO_PLACE);
	else
		e->n_args = 2;
}

void lower_add_task_path(struct lower *l, struct ir_expr *e)
{
	enum task_number which = task_helped_of(e->builtin);

	if (which < TASK_PATH_COUNT && l->program->kernel.numbers[which].is_known)
		add_path(l, e, &l->program->kernel.numbers[which]);
}

struct ir_expr *lower_task_value(struct lower *l, enum builtin_id id, uint32_t cap)
{
	struct ir_expr *e = builtin(l, id);

	e->type = cap ? IR_STR : IR_LONG;
	e->cap = cap;
	lower_add_task_path(l, e);
	return e;
}

void lower_who(struct lower *l, struct ir_expr *ret[LOWER_WHO])
{
	asks_for_site(l);
	ret[0] = ir_const(l->unit, 0); // the code generator puts the site there
	ret[1] = lower_task_value(l, BUILTIN_KTIME_GET_NS, 0);
	ret[2] = lower_task_value(l, BUILTIN_CPU, 0);
	ret[3] = lower_task_value(l, BUILTIN_PID, 0);
	ret[4] = lower_task_value(l, BUILTIN_TID, 0);
	ret[5] = lower_task_value(l, BUILTIN_EXECNAME, sizeof(((struct sp_event_who *)0)->comm));
}

static struct ir_expr *task_number_at(struct lower *l, enum builtin_id id, uint32_t place)
{
	const struct task_path *path = &l->program->kernel.numbers[task_number_of(id)];
	bool in_kernel = !l->handler || l->handler->prog_kind != SP_PROG_USER;
	struct ir_expr *e = builtin(l, id);

	e->place = place;
	if (in_kernel && path->is_known)
		add_path(l, e, path);
	return e;
}

static struct ir_expr *compat_bit(struct lower *l, uint32_t place)
{
	struct ir_expr *word = task_number_at(l, BUILTIN_COMPAT_TASK, place);

	return lower_with(l, IR_AND, lower_with(l, IR_USHR, word, l->abi ? (int64_t)l->abi->compat_bit : 0), 1);
}

// ppid(), euid() and the like.
static struct ir_expr *task_number(struct lower *l, const struct ast_expr *call)
{
	enum builtin_id id = (enum builtin_id)call->call.builtin;
	uint32_t place = lower_place(l, call->op_span, "identifier", call->call.name);

	return id == BUILTIN_COMPAT_TASK ? compat_bit(l, place) : task_number_at(l, id, place);
}

// All bits are 1 in the call of a 32-bit program, else 0: a value is chosen without a jump, of which LLVM would make copies of
// the code behind it.
static struct ir_expr *compat_mask(struct lower *l)
{
	return ir_unary(l->unit, IR_NEG, compat_bit(l, IR_NO_PLACE));
}

struct ir_expr *lower_compat_mask(struct lower *l)
{
	if (!l->program->kernel.numbers[TASK_COMPAT].is_known)
		return NULL;
	if (l->function)
		return lower_keep(l, compat_mask(l));
	if (l->compat_mask == IR_NO_LOCAL)
		l->compat_mask = lower_temp(l, IR_LONG, 0);
	return lower_read(l, l->compat_mask);
}

void lower_find_compat(struct lower *l, struct lower_list *list)
{
	struct ir_stmt *first;

	if (l->compat_mask == IR_NO_LOCAL)
		return;
	first = ir_set(l->unit, l->compat_mask, compat_mask(l), IR_NO_PLACE);
	first->next = list->head;
	list->head = first;
}

struct ir_expr *lower_thread_pointer(struct lower *l, const struct abi *abi)
{
	const struct kernel_layout *kernel = &l->program->kernel;
	struct ir_expr *e = ir_expr_new(l->unit, IR_LOAD, IR_LONG, IR_NO_PLACE);

	if (!abi || !abi->thread_pointer || (!l->opts->user_only && !kernel->has_thread_pointer))
		return NULL;
	lower_bind(l, kernel->module, "thread-local data", IR_NO_PLACE);
	e->space = IR_SPACE_TASK;
	e->size = 8;
	e->a = ir_const(l->unit, 0);
	e->offset = kernel->thread_pointer;
	e->vm_offset = abi->thread_pointer_offset;
	return e;
}

// A builtin whose arguments go to the code generator as they are; a missing one is 0 or "". tokenize(delimiters) lacks its
// first argument: it continues with the last text.
static struct ir_expr *plain(struct lower *l, const struct ast_expr *e)
{
	const struct builtin *info = builtin_info((enum builtin_id)e->call.builtin);
	struct ir_expr *call = builtin(l, e->call.builtin);
	unsigned n_given = e->call.args.n, first;

	if (n_given || info->can_fail)
		call->place = lower_place(l, e->op_span, "identifier", e->call.name);
	if (info->result == BUILTIN_RESULT_STRING) {
		call->type = IR_STR;
		call->cap = size_of_expr(l->program, e, l->unit->max_string);
	}
	lower_add_task_path(l, call);
	if (!builtin_max_args(info))
		return call;
	call->n_args = builtin_max_args(info);
	first = e->call.builtin == BUILTIN_TOKENIZE ? call->n_args - n_given : 0;
	call->args = sp_arena_array(&l->unit->arena, struct ir_expr *, call->n_args);
	for (unsigned i = 0; i < call->n_args; i++)
		call->args[i] = i >= first && i < first + n_given ? lower_expr(l, e->call.args.v[i - first]) :
								    lower_zero(l, builtin_arg(info, i) == 's' ? IR_STR : IR_LONG);
	lower_protect(l, call->args, call->n_args);
	return call;
}

static struct ir_expr *strlen_of(struct lower *l, const struct ast_expr *arg)
{
	struct ir_expr *text = lower_expr(l, arg);

	return text->op == IR_LITERAL ? ir_const(l->unit, text->len)
				      : ir_unary(l->unit, IR_STRLEN, text);
}

static struct ir_expr *computed(struct lower *l, const struct ast_expr *e)
{
	enum builtin_id id = (enum builtin_id)e->call.builtin;

	if (id == BUILTIN_HZ)
		return ir_const(l->unit, l->unit->target.hz);
	if (id == BUILTIN_STRING_ROOM)
		return ir_const(l->unit, l->unit->max_string - 1);
	if (id == BUILTIN_STRLEN)
		return strlen_of(l, e->call.args.v[0]);
	if (id == BUILTIN_GET_CYCLES)
		return cycles(l);
	return ir_binary(l->unit, IR_ADD, builtin(l, BUILTIN_KTIME_GET_NS), // gettimeofday_ns()
			 lower_fixup(l, SP_FIX_WALL_OFFSET, SP_NONE), IR_NO_PLACE);
}

struct ir_expr *lower_call_counter(struct lower *l, const struct ast_expr *e)
{
	const struct perf_counter *counter = program_counter(l->program, e->perf.name);
	struct ir_expr *call = builtin(l, BUILTIN_PERF);
	char event[48];

	snprintf(event, sizeof(event), "%u:%llu", counter ? counter->type : 0, counter ? (unsigned long long)counter->config : 0);
	call->place = lower_place(l, e->span, "operator", "@perf");
	call->args = sp_arena_array(&l->unit->arena, struct ir_expr *, 1);
	call->n_args = 1;
	call->args[0] = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);
	call->args[0]->fixup = ir_fixup(l->unit, SP_FIX_COUNTER, SP_NONE, event);
	return call;
}

static struct ir_expr *symbol(struct lower *l, const struct ast_expr *name)
{
	struct ir_expr *e = ir_expr_new(l->unit, IR_FIXUP, IR_LONG, IR_NO_PLACE);

	e->fixup = ir_fixup(l->unit, SP_FIX_SYMBOL, SP_NONE, name->string.text);
	return e;
}

static struct ir_expr *fixup(struct lower *l, const struct ast_expr *e)
{
	enum builtin_id id = (enum builtin_id)e->call.builtin;

	if (id == BUILTIN_KERNEL_SYMBOL)
		return symbol(l, e->call.args.v[0]);
	return lower_fixup(l, id == BUILTIN_TARGET    ? SP_FIX_TARGET_PID :
			     id == BUILTIN_STAP_PID  ? SP_FIX_STAP_PID :
			     id == BUILTIN_TERMINAL  ? SP_FIX_TERMINAL :
			     id == BUILTIN_TZ_GMTOFF ? SP_FIX_TZ_OFFSET : SP_FIX_TZ_NAME, SP_NONE);
}

// The value of a builtin's call; NULL: this builtin has no value.
static struct ir_expr *builtin_value(struct lower *l, const struct ast_expr *e)
{
	static struct ir_expr *(*const lower_by[BUILTIN_LOWER_COUNT])(struct lower *, const struct ast_expr *) = {
		[BUILTIN_LOWER_PLAIN] = plain,
		[BUILTIN_LOWER_VALUE] = computed,
		[BUILTIN_LOWER_FIXUP] = fixup,
		[BUILTIN_LOWER_POINT] = site_text,
		[BUILTIN_LOWER_REGISTERS] = lower_site_builtin,
		[BUILTIN_LOWER_STACK] = lower_frame,
		[BUILTIN_LOWER_SYMBOLS] = lower_symbols,
		[BUILTIN_LOWER_TASK] = task_number,
		[BUILTIN_LOWER_MEMORY] = memory,
	};
	enum builtin_lower by = builtin_info((enum builtin_id)e->call.builtin)->lower;

	return lower_by[by] ? lower_by[by](l, e) : NULL;
}

// What the runtime does with the text that such a builtin is called with.
static enum sp_format_kind line_format(enum builtin_id builtin)
{
	switch ((int)builtin) {
	case BUILTIN_LOG: return SP_FORMAT_LOG;
	case BUILTIN_WARN: return SP_FORMAT_WARN;
	case BUILTIN_SYSTEM: return SP_FORMAT_SYSTEM;
	case BUILTIN_RUN_ITER: return SP_FORMAT_ITER;
	case BUILTIN_VALUE_SET: return SP_FORMAT_VALUE_SET;
	case BUILTIN_VALUE_ADD: return SP_FORMAT_VALUE_ADD;
	case BUILTIN_KERNEL_LOG: return SP_FORMAT_KERNEL_LOG;
	case BUILTIN_FTRACE: return SP_FORMAT_TRACE_MARKER;
	}
	return SP_FORMAT_KIND_COUNT; // none
}

// Emits the call of a builtin without a value; false: it has a value.
static bool builtin_effect(struct lower *l, const struct ast_expr *e)
{
	uint32_t place = lower_place(l, e->op_span, "identifier", e->call.name);
	struct ir_stmt *s;

	if (e->call.builtin == BUILTIN_ERROR) {
		s = ir_stmt_new(l->unit, IR_S_FAIL, place);
		s->a = lower_expr(l, e->call.args.v[0]);
	} else if (e->call.builtin == BUILTIN_EXIT || e->call.builtin == BUILTIN_ABORT) {
		s = ir_stmt_new(l->unit, e->call.builtin == BUILTIN_EXIT ? IR_S_EXIT : IR_S_ABORT, place);
	} else if (line_format((enum builtin_id)e->call.builtin) != SP_FORMAT_KIND_COUNT) {
		s = lower_line(l, e->call.args.v[0], line_format((enum builtin_id)e->call.builtin), place);
	} else {
		return false;
	}
	lower_emit(l, s);
	return true;
}

// ---- functions ----------------------------------------------------------------------------------

static struct ir_expr *new_call(struct lower *l, const struct function *function, struct span span)
{
	struct ir_expr *call;
	uint32_t index = lower_func(l, function);

	if (index == UINT32_MAX) {
		lower_bug(l, span, "a call of a function that was left out");
		return NULL;
	}
	call = ir_expr_new(l->unit, IR_CALL, l->unit->funcs.v[index].type,
			   lower_place(l, span, "identifier", function->name));
	call->func = index;
	call->cap = call->type == IR_STR ? l->unit->funcs.v[index].cap : 0;
	call->n_args = function->n_params;
	call->args = sp_arena_array(&l->unit->arena, struct ir_expr *, call->n_args);
	return call;
}

// A string argument is passed by address. A global is copied first, since the callee may assign it.
static struct ir_expr *by_value(struct lower *l, struct ir_expr *arg)
{
	uint32_t temp;

	if (arg->type != IR_STR || arg->op != IR_GLOBAL)
		return arg;
	temp = lower_temp(l, IR_STR, arg->cap);
	return ir_seq(l->unit, ir_set(l->unit, temp, arg, IR_NO_PLACE), lower_read(l, temp));
}

static struct ir_expr *call_function(struct lower *l, const struct ast_expr *e)
{
	struct ir_expr *call = new_call(l, e->call.function, e->op_span);

	if (!call)
		return lower_zero(l, lower_type(e->type));
	if (e->call.args.n != call->n_args) {
		lower_bug(l, e->span, "a call with the wrong number of arguments");
		return lower_zero(l, lower_type(e->type));
	}
	for (unsigned i = 0; i < call->n_args; i++)
		call->args[i] = by_value(l, lower_expr(l, e->call.args.v[i]));
	lower_protect(l, call->args, call->n_args);
	return call;
}

struct ir_expr *lower_call(struct lower *l, const struct ast_expr *e)
{
	struct lower_list list;
	struct ir_expr *value;

	if (e->call.function) {
		value = call_function(l, e);
		if (value->type != IR_VOID)
			return value;
		lower_list_begin(l, &list);
		struct ir_stmt *s = ir_stmt_new(l->unit, IR_S_EVAL, value->place);
		s->a = value;
		lower_emit(l, s);
		return ir_seq(l->unit, lower_list_end(l, &list), ir_const(l->unit, 0));
	}
	if (e->call.builtin < 0 || e->call.builtin >= BUILTIN_COUNT) {
		lower_bug(l, e->span, "a call of nothing");
		return lower_zero(l, lower_type(e->type));
	}
	value = builtin_value(l, e);
	if (value)
		return value;
	lower_list_begin(l, &list);
	builtin_effect(l, e);
	return ir_seq(l->unit, lower_list_end(l, &list), ir_const(l->unit, 0));
}

void lower_call_effect(struct lower *l, const struct ast_expr *e)
{
	struct ir_stmt *s;

	if (!e->call.function && builtin_effect(l, e))
		return;
	s = ir_stmt_new(l->unit, IR_S_EVAL, lower_place(l, e->span, "", NULL));
	s->a = e->call.function ? call_function(l, e) : lower_call(l, e);
	lower_emit(l, s);
}
