// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/probes.h"

#include "compiler/cache/perf_probes.h"
#include "compiler/cli/cli.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define MAX_FILE (16u << 20)

// Makes the folders of a path.
static struct sp_err *make_folders(const char *path)
{
	sp_cleanup_free char *part = sp_strdup(path);

	for (char *slash = strchr(part + 1, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (mkdir(part, 0755) && errno != EEXIST)
			return sp_err_errno(errno, "cannot make %s", part);
		if (!slash)
			return NULL;
		*slash = '/';
	}
}

// .build-id/XX/REST leads to the object's folder.
static struct sp_err *make_link(const char *home, const char *id, const char *object)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf folder = { 0 }, link = { 0 }, target = { 0 };

	sp_buf_printf(&folder, "%s/.debug/.build-id/%.2s", home, id);
	sp_buf_printf(&link, "%s/%s", sp_buf_str(&folder), id + 2);
	sp_buf_printf(&target, "../../%s/%s", object + (*object == '/'), id);
	SP_TRY(make_folders(sp_buf_str(&folder)));
	if (symlink(sp_buf_str(&target), sp_buf_str(&link)) && errno != EEXIST)
		return sp_err_errno(errno, "cannot make %s", sp_buf_str(&link));
	return NULL;
}

// Adds "#DEFINITION\nEVENT\n" to the probes of an object.
static struct sp_err *add_probe(const char *home, const char *id, const char *object, const char *probe, size_t len)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, text = { 0 };
	struct sp_err *err;

	sp_buf_printf(&path, "%s/.debug/%s/%s", home, object + (*object == '/'), id);
	SP_TRY(make_folders(sp_buf_str(&path)));
	SP_TRY(make_link(home, id, object));
	sp_buf_puts(&path, "/probes");
	err = sp_file_read(sp_buf_str(&path), MAX_FILE, &text);
	if (err && access(sp_buf_str(&path), F_OK) == 0)
		return err;
	sp_err_free(err);
	perf_probes_put(&text, probe, len);
	return sp_file_replace(AT_FDCWD, sp_buf_str(&path), text.data, text.len, 0644);
}

// The lines "@BUILD-ID OBJECT", "#DEFINITION", "EVENT" of spile_print_events().
static struct sp_err *add_probes(const char *home, char *text)
{
	while (*text == '@') {
		char *id = text + 1, *object = strchr(id, ' ') + 1, *probe = strchr(object, '\n') + 1, *next = strchr(probe, '\n') + 1;

		next = strchr(next, '\n') + 1;
		object[-1] = probe[-1] = '\0';
		printf("%s %s: %.*s\n", id, object, (int)strcspn(probe, "\n") - 1, probe + 1);
		SP_TRY(add_probe(home, id, object, probe, (size_t)(next - probe)));
		text = next;
	}
	return NULL;
}

// All lines of a source file, as a probe point.
static char *lines_of(const char *file, const char *object)
{
	struct sp_buf out = { 0 };

	if (sp_streq(object, "kernel"))
		sp_buf_puts(&out, "kernel");
	else
		sp_buf_printf(&out, "process(\"%s\")", object);
	sp_buf_printf(&out, ".statement(\"*@%s:*\")", file);
	return sp_buf_take(&out);
}

// What the command line asks for; then ret->definition is to be freed. The words before the last one are options.
static bool read_words(int argc, char **argv, struct spile_cache_add *ret, struct cli_options *options, int *status_ret)
{
	SP_VEC(char *) words = { 0 };
	const char *lines = NULL;
	bool ok = false;

	*ret = (struct spile_cache_add){ 0 };
	sp_vec_push(&words, (char *)"spile");
	for (int i = 1; i < argc; i++) {
		if (sp_streq(argv[i], "--all-functions"))
			ret->all_functions = "";
		else if (sp_streq(argv[i], "--lines") && i < argc - 2)
			lines = argv[++i];
		else if (i < argc - 1)
			sp_vec_push(&words, argv[i]);
		else
			ok = argv[i][0] != '-';
	}
	sp_vec_push(&words, (char *)"--kprobe-events"); // so that there is something to do
	sp_vec_push(&words, argv[argc - 1]);
	sp_vec_push(&words, NULL);
	if (ok && ret->all_functions)
		ret->all_functions = argv[argc - 1];
	else
		ret->definition = lines ? lines_of(lines, argv[argc - 1]) : sp_strdup(argv[argc - 1]);
	ok = ok && !(lines && ret->all_functions);
	*status_ret = ok ? options_parse((int)words.n - 1, words.v, options) : 2;
	sp_vec_deinit(&words);
	if (*status_ret)
		free((char *)ret->definition);
	return !*status_ret;
}

// Adds the definition to perf's cache, as far as perf can record it.
static int add_for_perf(int argc, char **argv)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *home = sp_env_home();
	struct cli cli = { .captured = &text };
	struct spile_cache_add what;
	struct sp_err *err = NULL;
	struct spile *spile;
	int status;

	if (!read_words(argc, argv, &what, &cli.options, &status))
		return status;
	cli_init(&cli);
	spile = spile_create(&cli.options.compile);
	status = spile_print_events(spile, what.definition, 1);
	spile_destroy(spile);
	free((char *)what.definition);
	if (!status)
		err = home ? add_probes(home, text.data) : sp_err_new(SP_ERR_NOT_FOUND, "HOME is no folder of this user");
	cli_deinit(&cli);
	return err ? cli_report(err) : status;
}

int probes_add(int argc, char **argv)
{
	struct cli cli = { 0 };
	struct spile_cache_add what;
	struct spile *spile;
	bool is_line = false; // of a whole file: these are no events that perf has names for
	int status;

	for (int i = 1; i < argc; i++)
		is_line |= sp_streq(argv[i], "--lines");
	if (!read_words(argc, argv, &what, &cli.options, &status))
		return status;
	cli_init(&cli);
	spile = spile_create(&cli.options.compile);
	status = spile_cache_add(spile, &what);
	spile_destroy(spile);
	if (!status && what.definition && !is_line)
		status = add_for_perf(argc, argv);
	free((char *)what.definition);
	cli_deinit(&cli);
	return status;
}

// ---- listing ------------------------------------------------------------------------------------------------------------

// `first` are the first two digits of the build-id, `rest` the others.
static void list_object(const char *folder, const char *first, const char *rest)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, text = { 0 };
	struct perf_probe probe;
	const char *object;
	char target[4096];
	ssize_t len;

	sp_buf_printf(&path, "%s/%s/%s", folder, first, rest);
	len = readlink(sp_buf_str(&path), target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	sp_buf_puts(&path, "/probes");
	sp_err_free(sp_file_read(sp_buf_str(&path), MAX_FILE, &text));
	if (len > 6 && strrchr(target, '/'))
		*strrchr(target, '/') = '\0'; // the build-id
	object = len > 6 ? target + 6 : ""; // behind "../../"
	for (const char *at = text.data; text.len && perf_probes_next(&at, text.data + text.len, &probe);)
		printf("%s%s perf's probes of %s%s: %s%.*s\n", first, rest, *object && *object != '[' ? "/" : "", object, probe.is_mark ? "%" : "",
		       (int)probe.len, probe.definition);
}

void probes_list(void)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf folder = { 0 };
	const char *home = sp_env_home();
	struct dirent **firsts = NULL;
	int n;

	if (!home)
		return;
	sp_buf_printf(&folder, "%s/.debug/.build-id", home);
	n = scandir(sp_buf_str(&folder), &firsts, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		sp_cleanup(sp_buf_deinit) struct sp_buf inner = { 0 };
		struct dirent **rests = NULL;
		int n_rests;

		sp_buf_printf(&inner, "%s/%s", sp_buf_str(&folder), firsts[i]->d_name);
		n_rests = firsts[i]->d_name[0] == '.' ? 0 : scandir(sp_buf_str(&inner), &rests, NULL, alphasort);
		for (int k = 0; k < n_rests; k++) {
			if (rests[k]->d_name[0] != '.')
				list_object(sp_buf_str(&folder), firsts[i]->d_name, rests[k]->d_name);
			free(rests[k]);
		}
		free(rests);
		free(firsts[i]);
	}
	free(firsts);
}
