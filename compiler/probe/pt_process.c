// SPDX-License-Identifier: GPL-2.0-or-later
// process("path").function("f") and its kin: functions of programs and libraries.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"
#include "compiler/probe/pt_place.h"
#include "compiler/probe/pt_process.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"

#include <ctype.h>
#include <unistd.h>

#define MAX_PROGRAMS 24 // whose libraries are probed: each has a bit (SP_FAMILY_PROGRAM), and so has each library

static bool process_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "process");
}

// The process whose program a component means: that of process(PID), or of -x. 0: it means no running process.
static int pid_of(const struct point_env *env, const struct ast_point_part *part)
{
	if (part->arg)
		return part->arg->kind == AST_NUMBER ? (int)part->arg->number : 0;
	return env->command ? 0 : env->pid;
}

// "$NAME" or "${NAME}": its value is added. Returns what stands behind it; NULL: it is another expansion.
static const char *add_variable(struct sp_buf *out, const char *at)
{
	bool in_braces = at[1] == '{';
	const char *name = at + 1 + in_braces, *value;
	size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	if (!len || isdigit((unsigned char)*name) || (in_braces && name[len] != '}'))
		return NULL;
	sp_cleanup_free char *text = sp_strndup(name, len);
	value = sp_env(text);
	sp_buf_puts(out, value ? value : "");
	return name + len + in_braces;
}

static bool is_escape(const char *at, char quote)
{
	return *at == '\\' && at[1] && (!quote || (quote == '"' && strchr("$`\"\\", at[1])));
}

// The first word of the command of -c, as the shell reads it.
static const char *path_of_command(struct point_env *env)
{
	const char *at = env->command + strspn(env->command, " \t"), *behind;
	struct sp_buf word = { 0 };
	char quote = '\0';

	if (sp_starts_with(at, "~/") && sp_env("HOME")) {
		sp_buf_puts(&word, sp_env("HOME"));
		at++;
	}
	while (*at && (quote || !strchr(" \t\n;|&<>()", *at))) {
		if (*at == '$' && quote != '\'' && (behind = add_variable(&word, at))) {
			at = behind;
		} else if (quote ? *at == quote : *at == '"' || *at == '\'') {
			quote = quote ? '\0' : *at;
			at++;
		} else {
			at += is_escape(at, quote);
			sp_buf_putc(&word, *at++);
		}
	}
	return point_take(env, &word);
}

// A build-id may be that of the command of -c, which is in no folder of PATH.
static struct sp_err *named_program(struct point_env *env, const char *name, struct dbg_module **ret)
{
	struct dbg_module *command;
	struct sp_err *err = dbg_program(env->dbg, name, ret), *other;

	if (!err || !env->command || strchr(name, '/'))
		return err;
	other = dbg_program(env->dbg, path_of_command(env), &command);
	if (other || !dbg_has_build_id(command, name)) {
		sp_err_free(other);
		return err;
	}
	sp_err_free(err);
	*ret = command;
	return NULL;
}

// The process of -x does not run the file that a path names: nothing will happen at the probe.
static void warn_of_other(struct point_env *env, const struct ast_point_part *part, const struct dbg_module *module)
{
	struct diag *d = diag(env->dc, part->span, DIAG_PROCESS_DIFFERS, "process %d has another file for %s", env->pid,
			      module->path);

	diag_note(env->dc, d, (struct span){ 0 }, "its file was replaced since, or is in another mount namespace");
	diag_hint(env->dc, d, "`process` or process(%d) means the file that the process has", env->pid);
}

// What is not found here may be in the mount namespace of -x, or deleted.
static void hint_of_other(struct point_env *env, const struct ast_point_part *part, struct diag *d)
{
	const char *path = part->arg && part->arg->kind == AST_STRING ? part->arg->string.text : "";

	if (env->pid && dbg_process_has(env->pid, path))
		diag_hint(env->dc, d, "process %d has such a file: process(\"/proc/%d/root%s\")", env->pid, env->pid, path);
	else if (env->pid && *path && dbg_process_differs(env->pid, path))
		diag_hint(env->dc, d, "process %d has that file, which is deleted: `process` or process(%d) means what it runs", env->pid, env->pid);
}

static bool refuse_elsewhere(struct point_env *env, const struct ast_point_part *part, int pid)
{
	struct diag *d = diag(env->dc, part->span, DIAG_PROCESS_UNNAMED,
			      "process %d is one of this machine, and the script is compiled for another", pid);

	diag_hint(env->dc, d, "name the program, by the path that it has there");
	return false;
}

bool process_check_number(struct point_env *env, const struct ast_point *point)
{
	const struct ast_expr *arg = point->parts[0].arg;

	if (!arg || arg->kind != AST_NUMBER || (arg->number > 0 && arg->number <= INT32_MAX))
		return true;
	diag(env->dc, arg->span, DIAG_POINT_VALUE, "the number of a process is from 1 to %d", INT32_MAX);
	return false;
}

bool process_program(struct point_env *env, const struct ast_point_part *part, struct dbg_module **ret)
{
	int pid = pid_of(env, part);
	struct sp_err *err;

	if (pid && part->arg && env->is_elsewhere)
		return refuse_elsewhere(env, part, pid);
	if (pid) {
		err = dbg_process(env->dbg, pid, ret);
	} else if (part->arg) {
		err = named_program(env, part->arg->string.text, ret);
	} else if (env->command) {
		err = dbg_program(env->dbg, path_of_command(env), ret);
	} else {
		struct diag *d = diag(env->dc, part->span, DIAG_PROCESS_UNNAMED, "it is not said which program is meant");

		diag_hint(env->dc, d, "name it, as in process(\"/bin/ls\"), or run a command with -c or attach to one with -x");
		return false;
	}
	if (err)
		hint_of_other(env, part, point_report(env, part->span, DIAG_MODULE_UNREADABLE, err));
	else if (!pid && env->pid && dbg_process_differs(env->pid, (*ret)->path))
		warn_of_other(env, part, *ret);
	return !err;
}

// The programs that the first component means. False after a diagnostic.
static bool find_programs(struct point_env *env, const struct ast_point *point, struct dbg_modules *ret, const char **why_ret)
{
	const struct ast_point_part *part = &point->parts[0];

	*ret = (struct dbg_modules){ 0 };
	if (part->arg && part->arg->kind == AST_STRING && sp_has_glob(part->arg->string.text)) {
		dbg_find_programs(env->dbg, part->arg->string.text, ret);
		if (!ret->n)
			*why_ret = strchr(part->arg->string.text, '/') ? "there is no such program" :
									   "there is no such program in the folders of PATH";
		return true;
	}
	*ret = (struct dbg_modules){ sp_arena_new(env->arena, struct dbg_module *), 1, 0 };
	return process_program(env, part, ret->v);
}

static const char *program_text(struct point_env *env, const struct dbg_module *program)
{
	struct sp_buf text = { 0 };

	sp_buf_puts(&text, "process(\"");
	sp_buf_quoted(&text, program->target_path, strlen(program->target_path));
	sp_buf_puts(&text, "\")");
	return point_take(env, &text);
}

static bool resolve_program(struct search *s, struct dbg_module *program, process_resolve_fn *fn)
{
	s->module = program;
	s->prefix = program_text(s->env, program);
	return fn(s);
}

// The point without `.library("...")`, which the path of the library stands for.
static const struct ast_point *without_library(struct point_env *env, const struct ast_point *point)
{
	struct ast_point *ret = sp_arena_memdup(env->arena, point, sizeof(*point));

	ret->parts = sp_arena_array(env->arena, struct ast_point_part, point->n_parts);
	ret->parts[0] = point->parts[0];
	ret->n_parts = point->n_parts - 1;
	memcpy(ret->parts + 1, point->parts + 2, (ret->n_parts - 1) * sizeof(*ret->parts));
	return ret;
}

static bool resolve_libraries(struct search *s, struct dbg_module *program, process_resolve_fn *fn)
{
	const struct ast_point *point = s->point;
	const struct ast_point_part *part = point_part(point, "library");
	size_t n_before = s->sites->list.n;
	struct dbg_modules found;
	const char *names;
	bool ok = true;

	dbg_find_libraries(s->env->dbg, program, pid_of(s->env, &point->parts[0]), part->arg->string.text, &found, &names);
	if (!found.n)
		*s->why_ret = *names ? sp_arena_printf(s->env->arena, "the libraries of %s are%s", program->path, names) :
				       sp_arena_printf(s->env->arena, "%s has no libraries", program->path);
	s->point = without_library(s->env, point);
	for (unsigned i = 0; i < found.n && ok; i++) {
		struct sp_buf text = { 0 };

		s->module = found.v[i];
		sp_buf_printf(&text, "%s.library(\"", program_text(s->env, program));
		sp_buf_quoted(&text, s->module->target_path, strlen(s->module->target_path));
		sp_buf_puts(&text, "\")");
		s->prefix = point_take(s->env, &text);
		ok = fn(s);
	}
	s->point = point;
	// Without an argument and with a number it is for certain processes anyway.
	for (size_t i = n_before; i < s->sites->list.n && point->parts[0].arg && point->parts[0].arg->kind == AST_STRING; i++)
		s->sites->list.v[i]->program = program;
	return ok;
}

static bool resolve_programs(struct search *s, process_resolve_fn *fn)
{
	bool in_library = point_part(s->point, "library") != NULL;
	struct dbg_modules programs;

	if (!find_programs(s->env, s->point, &programs, s->why_ret))
		return false;
	if (in_library && programs.n > MAX_PROGRAMS) {
		diag(s->env->dc, s->point->parts[0].span, DIAG_POINT_VALUE, "%u programs match, and at most %u can be told apart",
		     programs.n, MAX_PROGRAMS);
		return false;
	}
	for (unsigned i = 0; i < programs.n; i++)
		if (!(in_library ? resolve_libraries : resolve_program)(s, programs.v[i], fn))
			return false;
	if (programs.n > 1 && search_is_empty(s))
		*s->why_ret = sp_arena_printf(s->env->arena, "looked in %u programs", programs.n);
	return true;
}

// process(PID).statement(ADDRESS).absolute: what the process has at that address now.
static bool resolve_mapped(struct search *s, int pid, uint64_t addr)
{
	uint64_t offset;
	struct sp_err *err = dbg_process_at(s->env->dbg, pid, addr, &s->module, &offset);

	if (err && err->code == SP_ERR_NOT_FOUND) {
		*s->why_ret = sp_arena_strdup(s->env->arena, err->message);
		sp_err_free(err);
		return true;
	}
	if (err) {
		point_report(s->env, s->point->parts[0].span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	if (!dbg_offset_address(s->module, offset, &s->address)) {
		*s->why_ret = sp_arena_printf(s->env->arena, "%s has no code there", s->module->path);
		return true;
	}
	s->prefix = program_text(s->env, s->module);
	return place_resolve(s);
}

static bool is_mapped_address(const struct ast_point *point)
{
	const struct ast_point_part *part = point_part(point, "statement");

	return part && point->parts[0].arg && point->parts[0].arg->kind == AST_NUMBER && point_part(point, "absolute") &&
	       !point_part(point, "library");
}

bool process_each(struct point_env *env, const struct point_family *family, const struct ast_point *point,
		  process_resolve_fn *fn, struct sites *sites, const char **why_ret)
{
	struct search search;
	bool ok;

	if (!process_check_number(env, point))
		return false;
	search_init(&search, env, family, point, sites, why_ret);
	if (is_mapped_address(point))
		ok = resolve_mapped(&search, (int)point->parts[0].arg->number, (uint64_t)point_part(point, "statement")->arg->number);
	else
		ok = resolve_programs(&search, fn);
	return search_end(&search, ok);
}

static bool resolve_functions(struct search *search)
{
	return place_matches(search->point) ? place_resolve(search) : func_resolve(search);
}

static bool process_resolve(struct point_env *env, const struct ast_point *point,
			    struct sites *sites, const char **why_ret)
{
	return process_each(env, &pt_process, point, resolve_functions, sites, why_ret);
}

// As far as debug information tells of calls: compilers describe them from -O1 on.
static bool calls_itself(struct dbg_func *func)
{
	const struct dbg_func_query query = { .name = func->name, .calls = true };
	struct dbg_callees callees = { 0 };
	bool does = false;

	sp_err_free(dbg_find_callees(func, &query, &callees));
	for (unsigned i = 0; i < callees.n && !does; i++)
		does = callees.v[i].n_returns && callees.v[i].func->entry_pc == func->entry_pc;
	return does;
}

// Where it is known which one of its functions an IFUNC is: the process that is looked at. The program of -c runs on our processor,
// which chooses in libraries that it has in common with us, such as libc, what it has chosen for us. 0: not known yet.
static int chooser_of(const struct point_env *env, const struct site *site)
{
	int pid = pid_of(env, &site->origin->parts[0]);

	if (point_is_pattern(site->origin))
		return 0;
	if (pid || env->is_elsewhere)
		return pid;
	return env->command ? (int)getpid() : env->pid;
}

// Of a function that was found by the name of an IFUNC.
static const char *explain_ifunc(struct point_env *env, const struct site *site)
{
	const struct dbg_func *func = site->func;
	int pid = chooser_of(env, site);
	uint64_t chosen;
	const char *where;

	if (func->is_resolver)
		return sp_arena_printf(env->arena, "uprobe: the function that chooses what `%s` is (IFUNC)", func->ifunc);
	if (!pid || !dbg_ifunc_chosen(func->module, func->ifunc, pid, &chosen))
		return sp_arena_printf(env->arena, "uprobe: one of the functions that `%s` can be (IFUNC), of which one is in use",
				       func->ifunc);
	where = pid == getpid() ? "on this processor" : sp_arena_printf(env->arena, "in process %d", pid);
	return sp_arena_printf(env->arena,
			       chosen == func->entry_pc ? "uprobe: what `%s` (IFUNC) is %s" :
							  "uprobe: one of the functions that `%s` can be (IFUNC), but is not %s",
			       func->ifunc, where);
}

static void process_choose_hook(struct point_env *env, struct site *site, const struct point_use *use)
{
	(void)use;
	if (site->exit != EXIT_NONE)
		site->why = sp_arena_printf(env->arena, "%s: one of the instructions that it returns at, as %s",
					    env->user_engine_only ? "breakpoint" : "uprobe", site->exit_why);
	else if (env->user_engine_only)
		site->why = "breakpoint: the user engine";
	else if (site->is_return)
		site->why = site->func && calls_itself(site->func) ?
				    "uretprobe: a function of a program that calls itself: the kernel sees returns of 64 nested calls" :
				    "uretprobe: a function of a program";
	else if (site->func && site->func->ifunc)
		site->why = explain_ifunc(env, site);
	else
		site->why = place_matches(site->origin) ? "uprobe: a place in a program" :
							  "uprobe: a function of a program";
}

const struct point_family pt_process = {
	.name = "process.function",
	.needs_kernel = true,
	.patterns = PROCESS_PATTERNS(FUNC_PATTERNS) "process(number).statement(number).absolute.return\n",
	.matches = process_matches,
	.resolve = process_resolve,
	.choose_hook = process_choose_hook,
	.find_var = func_find_var,
	.entry_site = func_entry_site,
	.list_names = func_list_names,
	.list_vars = func_list_vars,
};
