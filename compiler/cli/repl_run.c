// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create
#include "compiler/cli/repl_run.h"

#include "compiler/cli/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void no_diag(void *ctx SP_UNUSED, const char *text SP_UNUSED)
{
}

bool repl_is_right(struct cli *cli, const char *text, bool aloud)
{
	struct spile_opts opts = cli->options.compile;
	struct spile *spile;
	int status;

	opts.stop_after = "check";
	opts.dumps = NULL;
	opts.is_part = 1;
	if (!aloud)
		opts.diag = no_diag;
	spile = spile_create(&opts);
	status = spile_script_text(spile, "<input>", text, strlen(text));
	status = status ? status : spile_compile(spile);
	spile_destroy(spile);
	return !status;
}

static void read_all(int fd, struct sp_buf *out)
{
	char block[4096];
	ssize_t n;

	for (off_t at = 0; (n = pread(fd, block, sizeof(block), at)) > 0; at += n)
		sp_buf_add(out, block, (size_t)n);
}

void repl_run(struct cli *cli, const char *text, bool is_part, struct sp_buf *variables)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status, fd = memfd_create("variables", MFD_CLOEXEC);
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		cli->variables_fd = SP_MAX(fd, 0);
		cli->options.compile.is_part = is_part ? 2 : 0;
		cli->options.compile.hide_unread |= is_part;
		signal(SIGINT, SIG_DFL);
		cli->options.script_text = text;
		cli->options.script_path = NULL;
		status = cli_run(cli);
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0) {
		fprintf(stderr, "ERROR: cannot start a process: %s\n", strerror(errno));
		close(fd);
		return;
	}
	sigaction(SIGINT, &ignore, &before);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
	if (WIFSIGNALED(status))
		fprintf(stderr, "ERROR: the run was ended by signal %d\n", WTERMSIG(status));
	read_all(fd, variables);
	close(fd);
}
