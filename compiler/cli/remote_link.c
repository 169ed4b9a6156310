// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // memmem, pipe2

#include "compiler/cli/remote_link.h"

#include "compiler/cli/cli.h"
#include "compiler/cli/remote_script.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/err.h"
#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TALK 65536 // bytes, of a line and of all lines that are not ours, before the script runs
#define MAX_RUNNER (64u << 20)
#define LAST_WORDS_NS 2000000000ull // for what the process still has to say when its host is done
#define ENDING_NS 5000000000ull // for a host to end what it does
#define SILENCE_NS 10000000000ull // for a host that is to end, and says nothing

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

// May ssh ask for a password, on the terminal?
static bool may_ask(const struct remote_link *link)
{
	sp_cleanup_close int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	return terminal >= 0 && link->host->address && link->shell->is_alone;
}

// ---- the end ---------------------------------------------------------------------------------------------------------

static void end(struct remote_link *link, int status, uint64_t patience)
{
	link->state = REMOTE_ENDED;
	link->status = status;
	link->deadline = sp_now_ns() + patience;
	close_end(&link->in); // the other side ends by this
}

static void SP_PRINTF(2, 3) tell(const struct remote_link *link, const char *fmt, ...)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf text = { 0 };
	struct sp_buf *out = &link->shell->messages->waiting;
	va_list args;

	va_start(args, fmt);
	sp_buf_vprintf(&text, fmt, args);
	va_end(args);
	sp_buf_printf(out, "ERROR: %s: ", link->host->label);
	cli_add_shown(out, sp_buf_str(&text));
	sp_buf_putc(out, '\n');
}

void remote_link_fail(struct remote_link *link, int status, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	if (fmt) {
		va_start(args, fmt);
		vsnprintf(text, sizeof(text), fmt, args);
		va_end(args);
		tell(link, "%s", text);
	}
	end(link, status, ENDING_NS);
}

// A host that hurries has so long to say something.
static void await(struct remote_link *link)
{
	if (link->hurries && link->state == REMOTE_RUNS && link->out >= 0)
		link->deadline = sp_now_ns() + SILENCE_NS;
}

void remote_link_stop(struct remote_link *link, unsigned times, bool hurries)
{
	link->hurries = hurries;
	switch (link->state) {
	case REMOTE_WAITS:
		link->state = REMOTE_GONE;
		link->status = 1;
		return;
	case REMOTE_CONNECTS: // there is no input yet whose end could be seen
		kill(link->pid, may_ask(link) ? SIGKILL : SIGTERM);
		end(link, 1, ENDING_NS);
		return;
	case REMOTE_PREPARES:
	case REMOTE_IS_DESCRIBED:
	case REMOTE_WANTS_SCRIPT:
		end(link, 1, ENDING_NS);
		return;
	case REMOTE_RUNS:
		if (times > 2) {
			remote_link_fail(link, 1, "is not waited for any more");
			link->deadline = sp_now_ns();
			return;
		}
		sp_buf_puts(&link->to_send, "end\n");
		await(link);
		return;
	case REMOTE_ENDED:
		if (times > 1)
			link->deadline = sp_now_ns();
		return;
	case REMOTE_GONE:
		return;
	}
}

// Why it is gone, when nobody has said that.
static void judge(struct remote_link *link, int status)
{
	const char *program = link->host->address ? link->shell->words.v[0] : "sh";
	char how[64];

	if (link->state == REMOTE_ENDED)
		return;
	link->status = 1;
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "has ended with status %d", WEXITSTATUS(status));
	if (link->state == REMOTE_CONNECTS)
		tell(link, "cannot be reached: %s %s%s%s", program, how, link->greeting.len ? "; it says: " : "", sp_buf_str(&link->greeting));
	else
		tell(link, "is gone before the script has ended: %s %s", program, how);
}

// Does something that it has said wait for a reader here?
static bool is_held_up(const struct remote_link *link)
{
	return (link->out >= 0 && remote_sink_is_full(link->output.sink)) || (link->err >= 0 && remote_sink_is_full(link->errors.sink));
}

void remote_link_tend(struct remote_link *link)
{
	int status;

	if (link->state == REMOTE_WAITS || link->state == REMOTE_GONE)
		return;
	if (link->deadline > 1 && is_held_up(link))
		link->deadline = SP_MAX(link->deadline, sp_now_ns() + LAST_WORDS_NS);
	if (link->deadline && sp_now_ns() >= link->deadline) {
		if (link->state == REMOTE_RUNS && link->out >= 0)
			remote_link_fail(link, 1, "was to end, has said nothing for %llu seconds, and is not waited for any more", SILENCE_NS / 1000000000);
		// The output may be held by a process that has nothing to do with us any more.
		close_end(&link->out);
		close_end(&link->err);
		kill(link->pid, link->deadline == 1 ? SIGKILL : SIGTERM);
		link->deadline = link->deadline == 1 ? 0 : 1;
	}
	if (link->out >= 0 || link->err >= 0)
		return;
	close_end(&link->in);
	if (waitpid(link->pid, &status, WNOHANG) != link->pid) {
		if (!link->deadline)
			link->deadline = sp_now_ns() + LAST_WORDS_NS;
		return;
	}
	remote_stream_end(&link->output);
	remote_stream_end(&link->errors);
	judge(link, status);
	link->state = REMOTE_GONE;
	link->pid = 0;
}

// ---- what it says -----------------------------------------------------------------------------------------------------

static void send(struct remote_link *link, const char *bytes, size_t size)
{
	sp_buf_printf(&link->to_send, "%zu\n", size);
	sp_buf_add(&link->to_send, bytes, size);
}

// With what only this host is told: its number and name, for tapsets/remote.stp.
static void send_arguments(struct remote_link *link)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf words = { 0 }, value = { 0 };

	sp_buf_puts(&words, link->shell->arguments);
	sp_buf_printf(&value, "-G__remote_id=%u", link->number);
	remote_script_quote(&words, sp_buf_str(&value));
	sp_buf_clear(&value);
	sp_buf_printf(&value, "-G__remote_uri=%s", link->host->label);
	remote_script_quote(&words, sp_buf_str(&value));
	send(link, sp_buf_str(&words), words.len);
}

void remote_link_give_script(struct remote_link *link, const struct sp_buf *bundle)
{
	send(link, bundle->data, bundle->len);
	link->state = REMOTE_PREPARES;
}

// The host has no spile-run: it gets this machine's.
static void give_runner(struct remote_link *link, const char *machine)
{
	static const char advice[] = "install it there, or make spile-run-static here";
	sp_cleanup(sp_buf_deinit) struct sp_buf bytes = { 0 };
	struct utsname here;
	struct sp_err *err;

	if (uname(&here) || !sp_streq(here.machine, machine)) {
		remote_link_fail(link, 4, "has no spile-run, and is a machine of another sort: %s, not %s; install spile-run there", machine,
				 here.machine);
		return;
	}
	if (!link->shell->runner) {
		remote_link_fail(link, 3, "has no spile-run, and there is none here that it could get: %s", advice);
		return;
	}
	err = sp_file_read(link->shell->runner, MAX_RUNNER, &bytes);
	if (err) {
		sp_cleanup_free char *text = sp_err_text(err);

		sp_err_free(err);
		remote_link_fail(link, 3, "has no spile-run, and gets none: %s", text);
		return;
	}
	send(link, bytes.data, bytes.len);
}

static void take_end(struct remote_link *link, const char *text)
{
	long status = strtol(text, NULL, 10);

	if (status > 128 && status < 128 + 65)
		tell(link, "spile-run was ended by signal %ld", status - 128);
	else if (status < 0 || status > 5)
		tell(link, "spile-run has ended with status %ld", status);
	end(link, status < 0 || status > 5 ? 1 : (int)status, LAST_WORDS_NS);
}

// What remote_script.c says, in its order, each once: a host that asks again and again would have all memory sent to it.
static const char *const words[] = { "get runner ", "machine", "described", "get arguments", "get script", "runs", "ended " };
enum { WORD_RUNNER, WORD_MACHINE, WORD_DESCRIBED, WORD_ARGUMENTS, WORD_SCRIPT, WORD_RUNS, WORD_ENDED };

// False: it is not the next that is to come.
static bool take_step(struct remote_link *link, const char *word)
{
	size_t i = link->n_words, len;

	if (i == WORD_RUNNER && !sp_starts_with(word, words[i]))
		i++; // the host has one
	len = i < SP_ARRAY_SIZE(words) ? strlen(words[i]) : 0;
	if (!len || strncmp(word, words[i], len) != 0 || (words[i][len - 1] != ' ' && word[len]))
		return false;
	link->n_words = i + 1;
	switch (i) {
	case WORD_RUNNER: give_runner(link, word + len); break;
	case WORD_MACHINE: link->describes = true; break;
	case WORD_DESCRIBED:
		link->describes = false;
		link->state = REMOTE_IS_DESCRIBED;
		break;
	case WORD_ARGUMENTS: send_arguments(link); break;
	case WORD_SCRIPT: link->state = REMOTE_WANTS_SCRIPT; break;
	case WORD_RUNS: link->state = REMOTE_RUNS; break;
	case WORD_ENDED: take_end(link, word + len); break;
	}
	return true;
}

// A line behind the mark.
static void take_word(struct remote_link *link, const char *word)
{
	if (link->state == REMOTE_CONNECTS)
		link->state = REMOTE_PREPARES;
	if (sp_starts_with(word, "cannot "))
		remote_link_fail(link, 3, "spile-run does not run there: %s; install it there, or make spile-run-static here",
				 word + strlen("cannot "));
	else if (sp_starts_with(word, "fails "))
		remote_link_fail(link, 1, "%s", word + strlen("fails "));
	else if (!take_step(link, word))
		remote_link_fail(link, 1, "says what is not understood: %s", word);
}

static void drop(struct sp_buf *buf, size_t len)
{
	if (!len)
		return;
	memmove(buf->data, buf->data + len, buf->len - len);
	buf->len -= len;
	buf->data[buf->len] = '\0';
}

// Before the script runs: lines. Others than ours come from what the login shell runs first. False: none is complete.
static bool take_line(struct remote_link *link)
{
	struct sp_buf *got = &link->got;
	char *newline = got->len ? memchr(got->data, '\n', got->len) : NULL, *marked;

	if (!newline) {
		if (got->len > MAX_TALK)
			remote_link_fail(link, 1, "says what is not understood");
		return false;
	}
	*newline = '\0';
	marked = strstr(got->data, link->mark);
	if (marked) {
		sp_cleanup_free char *word = sp_strdup(marked + strlen(link->mark));

		drop(got, (size_t)(newline + 1 - got->data));
		take_word(link, word);
		return true;
	}
	link->talked += (size_t)(newline + 1 - got->data);
	if (link->talked > MAX_TALK)
		remote_link_fail(link, 1, "says what is not understood");
	if (link->describes)
		sp_buf_printf(&link->description, "%s\n", got->data);
	if (link->state == REMOTE_CONNECTS && *got->data) {
		sp_buf_clear(&link->greeting);
		sp_buf_puts(&link->greeting, got->data);
	}
	drop(got, (size_t)(newline + 1 - got->data));
	return true;
}

// While the script runs: all is its output but the mark at the end. False: nothing more can be told from what there is.
static bool take_output(struct remote_link *link)
{
	struct sp_buf *got = &link->got;
	size_t mark_len = strlen(link->mark), len = got->len;
	char *marked = len ? memmem(got->data, len, link->mark, mark_len) : NULL, *newline;

	if (!marked && len) {
		// The end may be the mark's beginning.
		size_t tail = SP_MIN(len, mark_len - 1);

		while (tail && memcmp(got->data + len - tail, link->mark, tail) != 0)
			tail--;
		len -= tail;
	}
	if (!marked) {
		remote_stream_add(&link->output, got->data, len);
		drop(got, len);
		return false;
	}
	newline = memchr(marked, '\n', (size_t)(got->data + len - marked));
	if (!newline && got->data + len - marked > MAX_TALK)
		remote_link_fail(link, 1, "says what is not understood");
	if (!newline)
		return false;
	remote_stream_add(&link->output, got->data, (size_t)(marked - got->data));
	*newline = '\0';
	take_word(link, marked + mark_len);
	sp_buf_clear(got);
	return false;
}

static void take_all(struct remote_link *link)
{
	bool more = true;

	while (more && link->state != REMOTE_ENDED)
		more = link->state == REMOTE_RUNS ? take_output(link) : take_line(link);
	if (link->state == REMOTE_ENDED)
		sp_buf_clear(&link->got);
}

// ---- reading and writing -----------------------------------------------------------------------------------------------

static bool can_send(const struct remote_link *link)
{
	return link->in >= 0 && link->sent < link->to_send.len;
}

static void write_some(struct remote_link *link)
{
	ssize_t n = write(link->in, link->to_send.data + link->sent, link->to_send.len - link->sent);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		close_end(&link->in); // its output will tell
	if (n > 0)
		link->sent += (size_t)n;
	if (link->sent == link->to_send.len) {
		sp_buf_clear(&link->to_send);
		link->sent = 0;
	}
}

// False: there is no more.
static bool read_some(int fd, struct sp_buf *ret)
{
	char bytes[16384];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0)
		sp_buf_add(ret, bytes, (size_t)n);
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static void read_output(struct remote_link *link)
{
	bool more = read_some(link->out, &link->got);

	await(link);
	take_all(link);
	if (more)
		return;
	if (link->state == REMOTE_RUNS)
		remote_stream_add(&link->output, link->got.data, link->got.len);
	close_end(&link->out);
	link->deadline = link->deadline ? link->deadline : sp_now_ns() + LAST_WORDS_NS;
}

static void read_errors(struct remote_link *link)
{
	struct sp_buf bytes = { 0 };

	if (!read_some(link->err, &bytes))
		close_end(&link->err);
	if (bytes.len)
		remote_stream_add(&link->errors, bytes.data, bytes.len);
	await(link);
	sp_buf_deinit(&bytes);
}

void remote_link_watch(const struct remote_link *link, struct pollfd ret[3])
{
	ret[0] = (struct pollfd){ .fd = can_send(link) ? link->in : -1, .events = POLLOUT };
	ret[1] = (struct pollfd){ .fd = remote_sink_is_full(link->output.sink) ? -1 : link->out, .events = POLLIN };
	ret[2] = (struct pollfd){ .fd = remote_sink_is_full(link->errors.sink) ? -1 : link->err, .events = POLLIN };
}

void remote_link_work(struct remote_link *link, const struct pollfd polled[3])
{
	if (polled[0].revents && can_send(link))
		write_some(link);
	if (polled[2].revents && link->err >= 0)
		read_errors(link);
	if (polled[1].revents && link->out >= 0)
		read_output(link);
}

// ---- the process -------------------------------------------------------------------------------------------------------

// The command line of the remote shell; what it points to lives as long as the link and `command`.
static void make_command_line(const struct remote_link *link, const char *command, cli_text argv[], size_t room)
{
	static const char *const for_ssh[] = { "-T", "-oClearAllForwardings=yes", "-oServerAliveInterval=10", "-oServerAliveCountMax=3",
					       "-oConnectTimeout=30" };
	const struct remote_shell *shell = link->shell;
	size_t n = 0;

	if (!link->host->address) {
		argv[n++] = "sh";
		argv[n++] = "-c";
	}
	for (size_t i = 0; link->host->address && i < shell->words.n && n < room - 12; i++)
		argv[n++] = shell->words.v[i];
	if (link->host->address && shell->is_ssh) {
		for (size_t i = 0; i < SP_ARRAY_SIZE(for_ssh); i++)
			argv[n++] = for_ssh[i];
		if (!shell->is_alone)
			argv[n++] = "-oBatchMode=yes";
	}
	if (link->host->port) {
		argv[n++] = "-p";
		argv[n++] = link->host->port;
	}
	if (link->host->address)
		argv[n++] = link->host->address;
	argv[n++] = command;
	argv[n] = NULL;
}

// In the child. Ctrl-C, timeout(1) and others send signals to the whole group, but spile alone is to take them. So the process has a
// group of its own; or it ignores them, when it is to ask for a password, which takes the terminal's foreground group.
static void become_shell(const struct remote_link *link, const cli_text argv[], const int in[2], const int out[2], const int err[2])
{
	signal(SIGPIPE, SIG_DFL);
	if (may_ask(link)) {
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
	} else {
		setpgid(0, 0);
	}
	sigprocmask(SIG_SETMASK, &link->shell->signals, NULL);
	if (dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 || dup2(err[1], STDERR_FILENO) < 0)
		_exit(127);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static bool make_mark(struct remote_link *link)
{
	unsigned char random[8];
	int n = 0;

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return false;
	link->mark[n++] = '\036'; // a record separator
	for (size_t i = 0; i < sizeof(random); i++)
		n += snprintf(link->mark + n, sizeof(link->mark) - (size_t)n, "%02x", random[i]);
	link->mark[n++] = ' ';
	link->mark[n] = '\0';
	return true;
}

void remote_link_start(struct remote_link *link)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
	sp_cleanup(sp_buf_deinit) struct sp_buf command = { 0 };
	cli_text argv[64];

	if (!make_mark(link) || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
		tell(link, "cannot be reached: %s", strerror(errno));
		link->state = REMOTE_GONE;
		link->status = 1;
		return;
	}
	remote_script(&link->to_send, link->mark, link->host->address ? NULL : link->shell->runner);
	remote_script_command(&command, link->to_send.len);
	make_command_line(link, sp_buf_str(&command), argv, SP_ARRAY_SIZE(argv));
	link->state = REMOTE_CONNECTS;
	link->pid = fork();
	if (link->pid == 0)
		become_shell(link, argv, in, out, err);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	link->in = in[1];
	link->out = out[0];
	link->err = err[0];
	fcntl(link->in, F_SETFL, O_NONBLOCK);
	if (link->pid < 0) {
		tell(link, "cannot be reached: %s", strerror(errno));
		close_end(&link->in);
		close_end(&link->out);
		close_end(&link->err);
		link->state = REMOTE_GONE;
		link->status = 1;
	}
}

void remote_link_deinit(struct remote_link *link)
{
	sp_buf_deinit(&link->to_send);
	sp_buf_deinit(&link->got);
	sp_buf_deinit(&link->greeting);
	sp_buf_deinit(&link->description);
	sp_buf_deinit(&link->output.part);
	sp_buf_deinit(&link->errors.part);
}
