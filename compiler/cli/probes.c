// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/probes.h"

#include "compiler/cli/run.h"
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

// Takes the definition and the lines behind it out of the text: they are replaced.
static void remove_definition(struct sp_buf *text, const char *definition, size_t len)
{
	char *at = text->data, *end;

	while (at && *at && (strncmp(at, definition, len) != 0 || (at[len] != '\n' && at[len])))
		at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
	if (!at || !*at)
		return;
	for (end = strchr(at, '\n'); end && end[1] && end[1] != '#'; end = strchr(end + 1, '\n'))
		;
	end = end ? end + 1 : at + strlen(at);
	memmove(at, end, strlen(end) + 1);
	text->len -= (size_t)(end - at);
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
	if (text.len)
		remove_definition(&text, probe, strcspn(probe, "\n"));
	sp_buf_add(&text, probe, len);
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

int probes_add(int argc, char **argv)
{
	SP_VEC(char *) words = { 0 };
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	const char *home = sp_env_home();
	struct cli cli = { .captured = &text };
	struct spile *spile;
	int status;

	sp_vec_push(&words, (char *)"spile");
	for (int i = 1; i < argc - 1; i++)
		sp_vec_push(&words, argv[i]);
	sp_vec_push(&words, (char *)"--kprobe-events");
	sp_vec_push(&words, argv[argc - 1]);
	sp_vec_push(&words, NULL);
	status = options_parse((int)words.n - 1, words.v, &cli.options);
	if (!status) {
		cli_init(&cli);
		spile = spile_create(&cli.options.compile);
		status = spile_print_events(spile, argv[argc - 1], 1);
		spile_destroy(spile);
		if (!status)
			status = cli_report(home ? add_probes(home, text.data) :
						   sp_err_new(SP_ERR_NOT_FOUND, "HOME is no folder of this user"));
		cli_deinit(&cli);
	}
	sp_vec_deinit(&words);
	return status;
}

// ---- listing ------------------------------------------------------------------------------------------------------------

// `first` are the first two digits of the build-id, `rest` the others.
static void list_object(const char *folder, const char *first, const char *rest)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf path = { 0 }, text = { 0 };
	char target[4096];
	ssize_t len;

	sp_buf_printf(&path, "%s/%s/%s", folder, first, rest);
	len = readlink(sp_buf_str(&path), target, sizeof(target) - 1);
	target[len > 0 ? len : 0] = '\0';
	sp_buf_puts(&path, "/probes");
	sp_err_free(sp_file_read(sp_buf_str(&path), MAX_FILE, &text));
	if (len > 6 && strrchr(target, '/'))
		*strrchr(target, '/') = '\0'; // the build-id
	for (char *line = text.data; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (*line == '#')
			printf("%s%s perf's probes of %s%s: %.*s\n", first, rest, len > 6 && target[6] == '[' ? "" : "/",
			       len > 6 ? target + 6 : "", (int)strcspn(line + 1, "\n"), line + 1);
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
