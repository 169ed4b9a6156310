// SPDX-License-Identifier: GPL-2.0-or-later
// The standard input, for the handlers of input.char and input.line.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#define LINE_MOST (64 << 10) // as long as a string can be

struct rt_input {
	int fd; // what the standard input was
	int ready_fd; // always ready, in place of a file or device for which epoll(7) has no events; else -1
	bool has_chars, has_lines, is_changed, has_begun;
	pid_t group; // that this process is in: it cannot be asked for in the end
	struct termios before; // of the terminal; is_changed
	struct sp_buf line;
};

static bool is_for(const struct bundle *bundle, const struct sp_site *site, const char *name)
{
	return site->kind == SP_SITE_PROCFS && sp_streq(bundle_text(bundle, site->symbol), name);
}

static bool has_site(const struct spilert *rt, const char *name)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (is_for(rt->bundle, &rt->bundle->sites[i], name))
			return true;
	return false;
}

static bool has_events(int fd)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	bool ret = !epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &(struct epoll_event){ 0 });

	close(epoll_fd);
	return ret;
}

struct sp_err *rt_input_take(struct spilert *rt)
{
	bool has_chars = has_site(rt, SP_INPUT_CHAR), has_lines = has_site(rt, SP_INPUT_LINE);
	sp_cleanup_close int null = -1;
	struct rt_input *input;

	if (!has_chars && !has_lines)
		return NULL;
	if (rt->opts.watch && isatty(STDIN_FILENO))
		return sp_err_new(SP_ERR_USAGE, "--monitor takes the keys of the terminal, which the script reads, too");
	rt->input = input = sp_calloc(1, sizeof(*input));
	input->has_chars = has_chars;
	input->has_lines = has_lines;
	input->ready_fd = -1;
	input->group = getpgrp();
	input->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (input->fd < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0)
		return sp_err_errno(errno, "cannot take the standard input");
	if (!has_events(input->fd))
		input->ready_fd = eventfd(1, EFD_CLOEXEC);
	return NULL;
}

// In the background the terminal is another's, and who changes it is stopped.
static bool is_in_foreground(const struct rt_input *input)
{
	return tcgetpgrp(input->fd) == input->group;
}

void rt_input_start(struct spilert *rt)
{
	struct rt_input *input = rt->input;
	struct termios now;

	if (!input || !input->has_chars || !is_in_foreground(input) || tcgetattr(input->fd, &now))
		return;
	if (!input->is_changed || now.c_lflag & ICANON) // not yet, or a shell has changed it back while the process was stopped
		input->before = now;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	input->is_changed = !tcsetattr(input->fd, TCSANOW, &now);
}

int rt_input_fd(const struct spilert *rt)
{
	if (!rt->input)
		return -1;
	return rt->input->ready_fd >= 0 ? rt->input->ready_fd : rt->input->fd;
}

static void count_cut_line(struct spilert *rt)
{
	const struct bundle *bundle = rt->bundle;
	uint64_t *losses = (uint64_t *)((char *)rt->data + bundle->head->losses_offset);

	for (unsigned i = 0; i < bundle->n_sites; i++)
		if (is_for(bundle, &bundle->sites[i], SP_INPUT_LINE))
			losses[SP_LOSS_CUT * bundle->n_progs + bundle->sites[i].prog]++;
}

static void give_line(struct spilert *rt)
{
	struct sp_buf *line = &rt->input->line;

	if (line->len && rt_file_written(rt, SP_INPUT_LINE, NULL, line->data, line->len) < line->len)
		count_cut_line(rt);
	sp_buf_clear(line);
}

static void give(struct spilert *rt, const char *c)
{
	struct rt_input *input = rt->input;

	if (input->has_chars)
		rt_file_written(rt, SP_INPUT_CHAR, NULL, c, 1);
	if (!input->has_lines)
		return;
	if (input->line.len < LINE_MOST)
		sp_buf_putc(&input->line, *c);
	if (*c == '\n' && !rt_is_over(rt))
		give_line(rt);
}

void rt_input_serve(struct spilert *rt)
{
	struct rt_input *input = rt->input;
	char text[4096];
	ssize_t size = read(input->fd, text, sizeof(text));

	if (size < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	for (ssize_t i = 0; i < size && !rt_is_over(rt); i++)
		give(rt, &text[i]);
	if (size > 0) {
		input->has_begun = true;
		return;
	}
	if (size < 0)
		sp_log(&rt->log, SP_LOG_WARN, "the standard input cannot be read: %s", strerror(errno));
	else if (!input->has_begun)
		sp_log(&rt->log, SP_LOG_WARN, "there is nothing in the standard input, which the script reads");
	give_line(rt);
	epoll_ctl(rt->epoll_fd, EPOLL_CTL_DEL, rt_input_fd(rt), NULL);
}

void rt_input_end(struct spilert *rt)
{
	struct rt_input *input = rt->input;

	if (!input)
		return;
	if (input->is_changed && is_in_foreground(input))
		tcsetattr(input->fd, TCSANOW, &input->before);
	if (input->fd >= 0) {
		dup2(input->fd, STDIN_FILENO);
		close(input->fd);
	}
	if (input->ready_fd >= 0)
		close(input->ready_fd);
	sp_buf_deinit(&input->line);
	free(input);
	rt->input = NULL;
}
