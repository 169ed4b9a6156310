// SPDX-License-Identifier: GPL-2.0-or-later
/** The command of -c: a child that waits, before its exec, until every probe is attached. */
#ifndef SP_RUNTIME_CHILD_H
#define SP_RUNTIME_CHILD_H

#include "runtime/base/err.h"

#include <signal.h>
#include <sys/types.h>

struct child {
	pid_t pid; // 0: there is none
	int pidfd; // readable when it has ended
	int go_fd; // a byte lets it go on to its exec
	int report_fd; // brings the errno of an exec that failed
	bool released, ended;
	int status; // of wait(2), once ended
};

/** Forks; the child stops before its exec. `signals`: the mask it is to run with. A command without shell syntax is
 *  run directly, a simple one with quotes and such by `sh -c 'exec COMMAND'`, so that the pid is the command's. */
struct sp_err *child_spawn(const char *command, const sigset_t *signals, struct child *ret);
/** Lets it go and waits until its exec has happened. SP_ERR_NOT_FOUND and others name the command. */
struct sp_err *child_release(struct child *child, const char *command);
/** The same, and calls `at_start` when the command has its program, before it runs the first instruction of it. */
struct sp_err *child_release_to_start(struct child *child, const char *command, struct sp_err *(*at_start)(void *ctx), void *ctx);
/** Takes the status of a child that has ended. Does not wait. */
void child_reap(struct child *child);
/** Tells the status of the child when another waiter (the user engine) has seen its end. */
void child_set_ended(struct child *child, int status);
/** Ends one that still runs: SIGTERM, after `patience_ms` SIGKILL. */
void child_stop(struct child *child, int patience_ms);
/** Stops what runs and closes. */
void child_deinit(struct child *child);

/** Has the shell run a command that nobody waits for. `signals`: the mask it is to run with; NULL: this thread's. */
struct sp_err *child_run(const char *command, const sigset_t *signals);

/** How child_spawn runs a command: its words when it needs no shell, else sh, -c and its text. Free with
 *  child_argv_free. */
char **child_argv(const char *command);
void child_argv_free(char **argv);

#endif
