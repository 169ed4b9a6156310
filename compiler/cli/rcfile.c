// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cli/rcfile.h"

#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/env.h"
#include "runtime/base/util.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wordexp.h>

// Its options choose code and files: what another user has written is not obeyed. NULL: it may be read.
static const char *why_not_read(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return "it is not a regular file";
	if ((st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & (S_IWGRP | S_IWOTH))
		return "it belongs to another user, or others can write it";
	return NULL;
}

static FILE *open_file(struct sp_buf *path)
{
	const char *dir = sp_env("SYSTEMTAP_DIR"), *home = sp_env("HOME"), *why;
	int fd;

	if (!dir && !home)
		return NULL;
	sp_buf_printf(path, "%s%s/rc", dir ? dir : home, dir ? "" : "/.systemtap");
	fd = open(sp_buf_str(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); // another user's pipe would be waited for
	if (fd < 0)
		return NULL;
	why = why_not_read(fd);
	if (!why)
		return fdopen(fd, "r");
	fprintf(stderr, "WARNING: %s is not read: %s\n", sp_buf_str(path), why);
	close(fd);
	return NULL;
}

static bool add_line(struct rcfile *rc, const char *line)
{
	wordexp_t words;

	if (wordexp(line, &words, WRDE_NOCMD | WRDE_UNDEF))
		return false;
	for (size_t i = 0; i < words.we_wordc && words.we_wordv[i][0] != '#'; i++)
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
		bool is_text = !memchr(line, '\0', (size_t)len);

		line[strcspn(line, "\n")] = '\0';
		if (is_text && (*start == '#' || add_line(rc, start)))
			continue;
		fprintf(stderr, "spile: %s:%u: cannot be split into options: %s\n", path, number, start);
		return 2;
	}
	if (feof(file))
		return 0;
	fprintf(stderr, "spile: cannot read %s: %s\n", path, strerror(errno));
	return 2;
}

int rcfile_read(int argc, char **argv, struct rcfile *ret)
{
	struct sp_buf path = { 0 };
	sp_cleanup_fclose FILE *file = open_file(&path);
	int status;

	*ret = (struct rcfile){ 0 };
	status = file ? read_lines(ret, sp_buf_str(&path), file) : 0;
	ret->path = sp_strdup(sp_buf_str(&path));
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

void rcfile_tell(const struct rcfile *rc)
{
	if (!rc->words.n)
		return;
	fprintf(stderr, "(%s gives these options, too:", rc->path);
	sp_vec_each(word, &rc->words)
		fprintf(stderr, " %s", *word);
	fputs(")\n", stderr);
}

void rcfile_deinit(struct rcfile *rc)
{
	free(rc->path);
	sp_vec_each(word, &rc->words)
		free(*word);
	sp_vec_deinit(&rc->words);
	sp_vec_deinit(&rc->argv);
}
