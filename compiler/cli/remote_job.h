// SPDX-License-Identifier: GPL-2.0-or-later
/** Compiling for another machine, in a child: the connections are served meanwhile, and Ctrl-C ends it. */
#ifndef SP_CLI_REMOTE_JOB_H
#define SP_CLI_REMOTE_JOB_H

#include "compiler/cli/compile.h"

#include <signal.h>

enum remote_job_state { REMOTE_JOB_WAITS, REMOTE_JOB_RUNS, REMOTE_JOB_DONE };

struct remote_job {
	char *description; // of the machine
	const char *label; // of the first host that has it
	enum remote_job_state state;
	pid_t pid;
	int done_fd; // is readable when the child has ended
	int bundle_fd;
	int status; // when it is done: the exit status of the compiler
	struct sp_buf bundle;
};

/** `signals`: the mask that the child is to have. Returns 0, or the exit status after a message. */
int remote_job_start(struct remote_job *job, struct cli *cli, const struct cli_script *script, const sigset_t *signals);
/** The child has ended: takes what it has made. */
void remote_job_finish(struct remote_job *job);
/** Ends a child that runs. */
void remote_job_deinit(struct remote_job *job);

#endif
