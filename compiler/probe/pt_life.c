// SPDX-License-Identifier: GPL-2.0-or-later
// process.begin, .end, .thread.begin, .thread.end, .syscall, .syscall.return: what happens to processes. In the kernel these
// are tracepoints that all processes pass; the user engine makes the same records of what ptrace(2) tells. process.begin is for the
// processes that run already, too: the runtime runs its handler for each of them.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"
#include "compiler/probe/pt_process.h"

#include <stdio.h>

#define SYSCALL_ID 8 // where in the records (format files of raw_syscalls/sys_enter and sys_exit)
#define SYSCALL_ARGS 16
#define SYSCALL_RESULT 16

enum event { EVENT_BEGIN, EVENT_END, EVENT_THREAD_BEGIN, EVENT_THREAD_END, EVENT_SYSCALL, EVENT_SYSCALL_RETURN, EVENT_COUNT };

static const struct {
	const char *tracepoint;
	enum site_guard guard;
	const char *why;
} events[EVENT_COUNT] = {
	[EVENT_BEGIN] = { "raw_syscalls:sys_exit", GUARD_NEW_PROCESS, "tracepoint: a fork returns in the new process" },
	[EVENT_END] = { "sched:sched_process_exit", GUARD_PROCESS, "tracepoint: the end of a process" },
	[EVENT_THREAD_BEGIN] = { "raw_syscalls:sys_exit", GUARD_NEW_THREAD, "tracepoint: a clone returns in the new thread" },
	[EVENT_THREAD_END] = { "sched:sched_process_exit", GUARD_THREAD, "tracepoint: the end of a thread" },
	[EVENT_SYSCALL] = { "raw_syscalls:sys_enter", GUARD_NONE, "tracepoint: system calls" },
	[EVENT_SYSCALL_RETURN] = { "raw_syscalls:sys_exit", GUARD_NONE, "tracepoint: system calls" },
};

static enum event event_of(const struct ast_point *point)
{
	bool of_thread = point_part(point, "thread") != NULL;

	if (point_part(point, "begin"))
		return of_thread ? EVENT_THREAD_BEGIN : EVENT_BEGIN;
	if (point_part(point, "end"))
		return of_thread ? EVENT_THREAD_END : EVENT_END;
	if (point_part(point, "syscall"))
		return point_part(point, "return") ? EVENT_SYSCALL_RETURN : EVENT_SYSCALL;
	return EVENT_COUNT;
}

static bool life_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "process") && !point_part(point, "function") && !point_part(point, "statement") &&
	       event_of(point) != EVENT_COUNT;
}

static struct site *add_event(struct search *s, enum event event, struct dbg_module *program, const char *text)
{
	struct site *site = point_add_site(s->env, &pt_life, s->point, s->sites);

	site->kind = SP_SITE_TP;
	site->prog_kind = SP_PROG_TP;
	site->space = SPACE_USER;
	site->is_process = true;
	site->program = program;
	site->symbol = events[event].tracepoint;
	site->guard = events[event].guard;
	site->args.event.only_new = site->guard == GUARD_NEW_PROCESS || site->guard == GUARD_NEW_THREAD;
	site->is_return = event == EVENT_SYSCALL_RETURN;
	site->point = text;
	site->why = events[event].why;
	site->begins = event == EVENT_BEGIN;
	return site;
}

// The processes that are there when the script starts. With -c there is none.
static void add_running(struct search *s, struct dbg_module *program, const char *text)
{
	struct site *site;

	if (s->env->command)
		return;
	site = point_add_site(s->env, &pt_life, s->point, s->sites);
	site->kind = SP_SITE_RUNNING;
	site->prog_kind = SP_PROG_USER;
	site->space = SPACE_USER;
	site->program = program;
	site->begins = true;
	site->point = text;
	site->why = "/proc: processes that run already";
}

// A process that runs a certain program begins at the entry of that program, which needs no other test of what it runs.
static void add_entry(struct search *s, const char *text)
{
	struct dbg_func *func = sp_arena_new(s->env->arena, struct dbg_func);
	struct site *site;

	*func = (struct dbg_func){ .module = s->module, .name = "", .linkage_name = "", .entry_pc = s->module->entry };
	site = func_add_site(s, func, s->module->entry);
	if (!site)
		return;
	site->point = text;
	site->begins = true;
	site->why = "uprobe: the program's entry";
}

static bool resolve_program(struct search *s)
{
	enum event event = event_of(s->point);
	struct sp_buf buf = { 0 };
	const char *text;

	sp_buf_puts(&buf, s->prefix);
	point_print_rest(&buf, s->point, 1);
	text = point_take(s->env, &buf);
	if (event == EVENT_BEGIN)
		add_entry(s, text);
	add_event(s, event, s->module, text);
	if (event == EVENT_BEGIN)
		add_running(s, s->module, text);
	return true;
}

static bool life_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_expr *arg = point->parts[0].arg;
	enum event event = event_of(point);
	struct ast_point plain = { .parts = point->parts, .n_parts = point->n_parts };
	struct sp_buf buf = { 0 };
	struct search search;
	const char *text;

	if (arg && arg->kind == AST_STRING)
		return process_each(env, &pt_life, point, resolve_program, sites, why_ret);
	if (!process_check_number(env, point))
		return false;
	search_init(&search, env, &pt_life, point, sites, why_ret);
	ast_print_point(&buf, &plain);
	text = point_take(env, &buf);
	if (event == EVENT_BEGIN) {
		struct site *site = add_event(&search, event, NULL, text);

		site->symbol = "sched:sched_process_exec";
		site->guard = GUARD_NONE;
		site->args.event.only_new = 0;
		site->why = "tracepoint: a program is started";
	}
	add_event(&search, event, NULL, text);
	if (event == EVENT_BEGIN)
		add_running(&search, NULL, text);
	return true;
}

static void life_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	if (env->user_engine_only && site->kind != SP_SITE_RUNNING)
		site->why = "ptrace: the user engine";
}

static const struct c_type number = { .kind = C_INT, .name = "long", .size = 8, .is_signed = true, .is_complete = true };

// Where in the record; 0: it has no such name.
static uint32_t place_of(const struct site *site, const char *name)
{
	bool is_enter = sp_streq(site->symbol, events[EVENT_SYSCALL].tracepoint);

	if (site->kind != SP_SITE_TP || (!is_enter && !site->is_return))
		return 0;
	if (sp_streq(name, "$syscall"))
		return SYSCALL_ID;
	if (site->is_return)
		return sp_streq(name, "$return") ? SYSCALL_RESULT : 0;
	if (!sp_starts_with(name, "$arg") || name[4] < '1' || name[4] > '6' || name[5])
		return 0;
	return SYSCALL_ARGS + 8 * (uint32_t)(name[4] - '1');
}

static const char *const names[] = { "syscall", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "return" };

static void print_names(const struct site *site, struct sp_buf *out, const char *format)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++) {
		char name[16];

		snprintf(name, sizeof(name), "$%s", names[i]);
		if (place_of(site, name))
			sp_buf_printf(out, "%s%s", name, format);
	}
}

static bool life_find_var(struct point_env *env, struct site *site, const struct ast_expr *target, struct site_value *ret,
			  bool *needs_entry_ret)
{
	uint32_t place = place_of(site, target->target.name);
	struct sp_buf visible = { 0 };
	struct diag *d;

	(void)needs_entry_ret;
	if (place) {
		ret->base = SITE_BASE_CTX;
		ret->ctx_off = place;
		ret->ctx_size = 8;
		ret->base_type = &number;
		ret->space = SPACE_USER;
		return true;
	}
	print_names(site, &visible, " ");
	d = diag(env->dc, target->op_span, DIAG_VAR_UNKNOWN, "there is no %s at %s", target->target.name, site->point);
	if (visible.len)
		diag_note(env->dc, d, SPAN_NONE, "visible here: %.*s", (int)visible.len - 1, visible.data);
	else
		diag_note(env->dc, d, SPAN_NONE, "no variable is visible here");
	sp_buf_deinit(&visible);
	return false;
}

// As SystemTap has it, the arguments alone.
static void life_list_names(struct point_env *env, struct site *site, enum point_list which, struct point_names *ret)
{
	for (size_t i = 0; i < SP_ARRAY_SIZE(names); i++)
		if (which != POINT_LOCALS && sp_starts_with(names[i], "arg") &&
		    place_of(site, sp_arena_printf(env->arena, "$%s", names[i])))
			sp_vec_push(&ret->list, names[i]);
}

static void life_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	struct sp_buf visible = { 0 };

	(void)env;
	print_names(site, &visible, ":long ");
	if (visible.len)
		sp_buf_printf(out, " %.*s", (int)visible.len - 1, visible.data);
	sp_buf_deinit(&visible);
}

#define LIFE_PATTERNS(at)                                               \
	at ".begin\n" at ".end\n" at ".thread.begin\n" at ".thread.end\n" \
	at ".syscall\n" at ".syscall.return\n"

const struct point_family pt_life = {
	.name = "process.begin",
	.needs_kernel = true,
	.patterns = LIFE_PATTERNS("process") LIFE_PATTERNS("process(string)") LIFE_PATTERNS("process(number)"),
	.matches = life_matches,
	.resolve = life_resolve,
	.choose_hook = life_choose_hook,
	.find_var = life_find_var,
	.list_names = life_list_names,
	.list_vars = life_list_vars,
};
