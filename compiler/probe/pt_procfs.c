// SPDX-License-Identifier: GPL-2.0-or-later
// procfs("NAME").read, .write: a file that the runtime makes. Who reads it gets what the handler assigns to $value, who writes it
// calls the handler with the text as $value. stdin.char, stdin.line: the standard input is such a file, which is written all the time.
// sema/bind_value.c says what $value is.
#include "compiler/probe/point_util.h"
#include "runtime/base/file.h"

#define DEFAULT_NAME "command"
#define DEFAULT_UMASK 077

static bool procfs_matches(const struct ast_point *point)
{
	return sp_streq(point->parts[0].name, "procfs") || sp_streq(point->parts[0].name, "stdin");
}

static struct site *add_site(struct point_env *env, const struct ast_point *point, struct sites *sites)
{
	struct site *site = point_add_site(env, &pt_procfs, point, sites);
	struct sp_buf text = { 0 };

	ast_print_point(&text, &(struct ast_point){ .parts = point->parts, .n_parts = point->n_parts });
	site->point = point_take(env, &text);
	site->kind = SP_SITE_PROCFS;
	site->prog_kind = SP_PROG_USER;
	return site;
}

static bool input_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites)
{
	bool is_line = point_part(point, "line") != NULL;
	struct site *site = add_site(env, point, sites);

	site->symbol = is_line ? SP_INPUT_LINE : SP_INPUT_CHAR;
	site->args.procfs.is_write = 1;
	site->why = is_line ? "standard input: each line" : "standard input: each character";
	return true;
}

// The number of a part, which must be within 0..most; without that part it stays as it is. False after a diagnostic.
static bool number_of(struct point_env *env, const struct ast_point *point, const char *part_name, int64_t most, int64_t *number)
{
	const struct ast_point_part *part = point_part(point, part_name);

	if (!part)
		return true;
	if (part->arg->number < 0 || part->arg->number > most) {
		diag(env->dc, part->span, DIAG_POINT_VALUE, "%s(%lld): at least 0, at most %lld", part_name, (long long)part->arg->number,
		     (long long)most);
		return false;
	}
	*number = part->arg->number;
	return true;
}

static bool procfs_resolve(struct point_env *env, const struct ast_point *point, struct sites *sites, const char **why_ret)
{
	const struct ast_expr *arg = point->parts[0].arg;
	const char *name = arg ? arg->string.text : DEFAULT_NAME, *fault = sp_file_path_fault(name);
	int64_t umask = DEFAULT_UMASK, most = 0;
	struct site *site;

	(void)why_ret;
	// SystemTap's name of it, which files cannot have there either.
	if (sp_streq(point->parts[0].name, "stdin") || (sp_streq(name, "__stdin") && point_part(point, "write")))
		return input_resolve(env, point, sites);
	if (fault) {
		diag(env->dc, point->parts[0].span, DIAG_POINT_VALUE, "the name of the file is below the script's own folder: %s", fault);
		return false;
	}
	if (!number_of(env, point, "umask", 0777, &umask) || !number_of(env, point, "maxsize", SP_PROCFS_MOST, &most))
		return false;
	site = add_site(env, point, sites);
	site->symbol = name;
	site->args.procfs.is_write = point_part(point, "write") != NULL;
	site->args.procfs.umask = (uint32_t)umask;
	site->args.procfs.most = (uint64_t)most;
	site->why = site->args.procfs.is_write ? "file: when it is written" : "file: when it is read";
	return true;
}

static void procfs_list_vars(struct point_env *env, struct site *site, struct sp_buf *out)
{
	(void)env, (void)site;
	sp_buf_puts(out, " $value:string");
}

const struct point_family pt_procfs = {
	.name = "procfs",
	.patterns = "stdin.char\nstdin.line\nprocfs.read\nprocfs.write\nprocfs(string).read\nprocfs(string).write\n"
		    "procfs.read.maxsize(number)\nprocfs(string).read.maxsize(number)\n"
		    "procfs.umask(number).read\nprocfs.umask(number).write\n"
		    "procfs(string).umask(number).read\nprocfs(string).umask(number).write\n"
		    "procfs.umask(number).read.maxsize(number)\nprocfs(string).umask(number).read.maxsize(number)",
	.matches = procfs_matches,
	.resolve = procfs_resolve,
	.list_vars = procfs_list_vars,
};
