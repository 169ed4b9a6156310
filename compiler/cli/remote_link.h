// SPDX-License-Identifier: GPL-2.0-or-later
/** The connection to one host: a process of the remote shell, and what is said over its standard streams (remote_script.h). */
#ifndef SP_CLI_REMOTE_LINK_H
#define SP_CLI_REMOTE_LINK_H

#include "compiler/cli/remote_hosts.h"
#include "compiler/cli/remote_out.h"

#include <poll.h>
#include <signal.h>

enum remote_link_state {
	REMOTE_WAITS, // not started
	REMOTE_CONNECTS, // nothing has been heard of it
	REMOTE_PREPARES,
	REMOTE_IS_DESCRIBED, // its description is complete
	REMOTE_WANTS_SCRIPT,
	REMOTE_RUNS,
	REMOTE_ENDED, // in order, or by a failure that has been told
	REMOTE_GONE, // its process has ended, too
};

/** What all connections have in common. */
struct remote_shell {
	SP_VEC(char *) words; // the program, and its first arguments
	bool is_ssh;
	bool is_alone; // there is one host: ssh may ask for a password
	const char *arguments; // of spile-run there, as words for the shell
	const char *runner; // spile-run here; NULL: not found
	sigset_t signals; // the mask that the process is to have
	struct remote_sink *messages;
};

struct remote_link {
	const struct remote_host *host;
	unsigned number; // of the host, from 0 on
	const struct remote_shell *shell;
	enum remote_link_state state;
	pid_t pid; // 0: none
	int in, out, err; // of the process; -1: closed
	struct sp_buf to_send;
	size_t sent;
	char mark[24];
	bool describes; // lines that come are its description
	size_t n_words; // how many of the words that a host says have come, or cannot come any more
	size_t talked; // bytes of lines that are not ours
	struct sp_buf greeting; // the last line of what its login shell says
	struct sp_buf got; // what it has said and was not taken yet
	struct sp_buf description;
	struct remote_stream output, errors;
	int status; // the exit status of this host
	bool hurries; // nobody will say a second time that it is to end
	uint64_t deadline; // ns; 0: none. The process is ended then
};

/** Starts the process. A failure is told, and is the link's status. */
void remote_link_start(struct remote_link *link);
void remote_link_deinit(struct remote_link *link);

/** What is to be watched for: at most 3 entries, with 0 in `events` where nothing is at the moment. */
void remote_link_watch(const struct remote_link *link, struct pollfd ret[3]);
/** Takes and sends what can be, by the answers in `polled`. */
void remote_link_work(struct remote_link *link, const struct pollfd polled[3]);
/** To be called after that, and when the deadline is over: has its process ended? */
void remote_link_tend(struct remote_link *link);

void remote_link_give_script(struct remote_link *link, const struct sp_buf *bundle);
/** Ends it with that status, and, unless `fmt` is NULL, an error message. */
void remote_link_fail(struct remote_link *link, int status, const char *fmt, ...) SP_PRINTF(3, 4);
/** The user wants the end, for the `times`th time: 1: in order, 2: at once, 3: without waiting for it. `hurries`: nor is a host that is
 *  silent waited for. */
void remote_link_stop(struct remote_link *link, unsigned times, bool hurries);

#endif
