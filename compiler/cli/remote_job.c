// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memfd_create, pipe2

#include "compiler/cli/remote_job.h"

#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int compile(struct remote_job *job, struct cli *cli, const struct cli_script *script)
{
	struct spile_opts *opts = &cli->options.compile;
	struct cli_object object;
	int status;

	opts->target = job->label;
	opts->target_text = job->description;
	opts->runs = 0;
	opts->pid = 0; // -x is a process of the other machine
	status = cli_compile(cli, script, &object);
	if (!status)
		status = cli_report(sp_file_write(job->bundle_fd, "the compiled script", object.bytes, object.size));
	cli_object_release(cli, &object);
	return status;
}

int remote_job_start(struct remote_job *job, struct cli *cli, const struct cli_script *script, const sigset_t *signals)
{
	int ends[2];

	job->bundle_fd = memfd_create("spile", MFD_CLOEXEC);
	if (job->bundle_fd < 0 || pipe2(ends, O_CLOEXEC))
		return cli_report(sp_err_errno(errno, "cannot compile"));
	fflush(NULL); // or both would put out what is in the buffers
	job->pid = fork();
	if (job->pid == 0) {
		int status;

		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_SETMASK, signals, NULL);
		status = compile(job, cli, script);
		fflush(NULL);
		_exit(status);
	}
	close(ends[1]);
	job->done_fd = ends[0];
	job->state = REMOTE_JOB_RUNS;
	return job->pid > 0 ? 0 : cli_report(sp_err_errno(errno, "cannot compile"));
}

static void take_bundle(struct remote_job *job)
{
	struct stat st;
	void *bytes;

	if (fstat(job->bundle_fd, &st) || !st.st_size) {
		job->status = 5;
		return;
	}
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, job->bundle_fd, 0);
	if (bytes == MAP_FAILED) {
		job->status = cli_report(sp_err_errno(errno, "cannot read the compiled script"));
		return;
	}
	sp_buf_add(&job->bundle, bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
}

void remote_job_finish(struct remote_job *job)
{
	int status;

	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	job->pid = 0;
	job->state = REMOTE_JOB_DONE;
	job->status = WIFEXITED(status) ? WEXITSTATUS(status) : 5;
	if (!job->status)
		take_bundle(job);
	close(job->done_fd);
	close(job->bundle_fd);
}

void remote_job_deinit(struct remote_job *job)
{
	if (job->state == REMOTE_JOB_RUNS && job->pid > 0) {
		kill(job->pid, SIGTERM);
		remote_job_finish(job);
	}
	free(job->description);
	sp_buf_deinit(&job->bundle);
}
