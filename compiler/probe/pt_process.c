// SPDX-License-Identifier: GPL-2.0-or-later
// process("path").function("f") and its kin: functions of programs and libraries.
#include "compiler/probe/point_util.h"
#include "compiler/probe/pt_func.h"
#include "compiler/probe/pt_place.h"

#include <limits.h>
#include <unistd.h>

static bool process_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "process");
}

// The file that a running process executes. NULL after a diagnostic.
static const char *path_of_pid(struct point_env *env, const struct ast_point_part *part, int64_t pid)
{
	char path[PATH_MAX];
	const char *link = sp_arena_printf(env->arena, "/proc/%lld/exe", (long long)pid);
	ssize_t len = readlink(link, path, sizeof(path));

	if (len < 0) {
		diag(env->dc, part->span, DIAG_MODULE_UNREADABLE,
		     "there is no process %lld whose program can be read", (long long)pid);
		return NULL;
	}
	return sp_arena_strndup(env->arena, path, (size_t)len);
}

// The first word of the command of -c.
static const char *path_of_command(struct point_env *env)
{
	const char *start = env->command + strspn(env->command, " \t");
	char quote = *start == '"' || *start == '\'' ? *start : '\0';
	size_t len = quote ? strcspn(start + 1, quote == '"' ? "\"" : "'")
			   : strcspn(start, " \t\n;|&<>()");

	return sp_arena_strndup(env->arena, quote ? start + 1 : start, len);
}

static const char *program_path(struct point_env *env, const struct ast_point_part *part)
{
	if (part->arg && part->arg->kind == AST_NUMBER)
		return path_of_pid(env, part, part->arg->number);
	if (part->arg) {
		if (!sp_has_glob(part->arg->string.text))
			return part->arg->string.text;
		diag(env->dc, part->arg->span, DIAG_POINT_LATER,
		     "wildcards in a program's path are not supported yet");
		return NULL;
	}
	if (env->command)
		return path_of_command(env);
	if (env->pid)
		return path_of_pid(env, part, env->pid);
	diag_hint(env->dc,
		  diag(env->dc, part->span, DIAG_PROCESS_UNNAMED,
		       "it is not said which program is meant"),
		  "name it, as in process(\"/bin/ls\"), or run a command with -c or attach to one "
		  "with -x");
	return NULL;
}

static bool process_resolve(struct point_env *env, const struct ast_point *point,
			    struct sites *sites, const char **why_ret)
{
	const char *path = program_path(env, &point->parts[0]);
	size_t n_before = sites->list.n;
	struct dbg_module *module;
	struct sp_buf prefix = { 0 };
	struct sp_err *err;
	bool ok;

	if (!path)
		return false;
	err = dbg_program(env->dbg, path, &module);
	if (err) {
		point_report(env, point->parts[0].span, DIAG_MODULE_UNREADABLE, err);
		return false;
	}
	sp_buf_puts(&prefix, "process(\"");
	sp_buf_quoted(&prefix, module->path, strlen(module->path));
	sp_buf_puts(&prefix, "\")");
	ok = (place_matches(point) ? place_resolve : func_resolve)(env, &pt_process, point, module,
								   sp_buf_str(&prefix), sites, why_ret);
	sp_buf_deinit(&prefix);
	for (size_t i = n_before; i < sites->list.n; i++) {
		struct site *site = sites->list.v[i];

		// `arg` narrows the probe: a process, -1 for that of -c or -x, 0 for any.
		if (!point->parts[0].arg)
			site->arg = -1;
		else if (point->parts[0].arg->kind == AST_NUMBER)
			site->arg = point->parts[0].arg->number;
	}
	return ok;
}

static void process_choose_hook(struct point_env *env, struct site *site, const char *const *names,
				unsigned n_names)
{
	(void)names, (void)n_names;
	if (env->user_engine_only)
		site->why = "breakpoint: the user engine";
	else if (site->is_return)
		site->why = "uretprobe: a function of a program";
	else
		site->why = place_matches(site->origin) ? "uprobe: a place in a program" :
							  "uprobe: a function of a program";
}

const struct point_family pt_process = {
	.name = "process.function",
	.patterns = FUNC_PATTERNS("process") FUNC_PATTERNS("process(string)") FUNC_PATTERNS("process(number)"),
	.matches = process_matches,
	.resolve = process_resolve,
	.choose_hook = process_choose_hook,
	.find_var = func_find_var,
	.entry_site = func_entry_site,
	.list_vars = func_list_vars,
};
