// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/rcfile.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/util.h"

#include <sys/stat.h>
#include <wordexp.h>

// Its options choose code and files: what another user has written is not obeyed.
static bool is_own(const char *path, FILE *file)
{
	struct stat st;

	if (fstat(fileno(file), &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & (S_IWGRP | S_IWOTH)))
		return true;
	fprintf(stderr, "WARNING: %s is not read: it belongs to another user, or others can write it\n", path);
	return false;
}

static FILE *open_file(struct sp_buf *path)
{
	const char *dir = sp_env("SYSTEMTAP_DIR"), *home = sp_env("HOME");
	FILE *file;

	if (!dir && !home)
		return NULL;
	sp_buf_printf(path, "%s%s/rc", dir ? dir : home, dir ? "" : "/.systemtap");
	file = fopen(sp_buf_str(path), "re");
	if (!file || is_own(sp_buf_str(path), file))
		return file;
	fclose(file);
	return NULL;
}

static bool add_line(struct rcfile *rc, const char *line)
{
	wordexp_t words;

	if (wordexp(line, &words, WRDE_NOCMD | WRDE_UNDEF))
		return false;
	for (size_t i = 0; i < words.we_wordc; i++)
		sp_vec_push(&rc->words, sp_strdup(words.we_wordv[i]));
	wordfree(&words);
	return true;
}

static int read_lines(struct rcfile *rc, const char *path, FILE *file)
{
	sp_cleanup_free char *line = NULL;
	size_t room = 0;
	ssize_t len;

	for (unsigned number = 1; (len = getline(&line, &room, file)) > 0; number++) {
		const char *start = line + strspn(line, " \t");

		line[strcspn(line, "\n")] = '\0';
		if (*start == '#' || add_line(rc, start))
			continue;
		fprintf(stderr, "spile: %s:%u: cannot be split into options: %s\n", path, number, start);
		return 2;
	}
	return 0;
}

int rcfile_read(int argc, char **argv, struct rcfile *ret)
{
	struct sp_buf path = { 0 };
	sp_cleanup_fclose FILE *file = open_file(&path);
	int status;

	*ret = (struct rcfile){ 0 };
	status = file ? read_lines(ret, sp_buf_str(&path), file) : 0;
	sp_buf_deinit(&path);
	if (status) {
		rcfile_deinit(ret);
		return status;
	}
	if (argc)
		sp_vec_push(&ret->argv, argv[0]);
	sp_vec_each(word, &ret->words)
		sp_vec_push(&ret->argv, *word);
	for (int i = 1; i < argc; i++)
		sp_vec_push(&ret->argv, argv[i]);
	sp_vec_push(&ret->argv, NULL);
	return 0;
}

void rcfile_deinit(struct rcfile *rc)
{
	sp_vec_each(word, &rc->words)
		free(*word);
	sp_vec_deinit(&rc->words);
	sp_vec_deinit(&rc->argv);
}
