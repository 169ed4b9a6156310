// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/load/hooks.h"

#include "runtime/machine/privilege.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// `event` -1: there is none. errno says why it is not on.
static struct sp_err *keep(struct hooks *hooks, int prog_fd, int event, bool is_on)
{
	int error = errno;

	if (prog_fd < 0)
		return sp_err_errno(error, "cannot load the programs that %s", hooks->what);
	sp_vec_push(&hooks->fds, prog_fd);
	if (event >= 0)
		sp_vec_push(&hooks->events, event);
	if (is_on)
		return NULL;
	return error == EPERM || error == EACCES ? sp_err_errno(error, "cannot %s: %s", hooks->what, privilege_hint()) :
						   sp_err_errno(error, "cannot %s", hooks->what);
}

struct sp_err *hooks_attach(struct hooks *hooks, int prog_fd, struct perf_event_attr *attr)
{
	int fd = -1;

	attr->size = sizeof(*attr);
	if (prog_fd >= 0)
		fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return keep(hooks, prog_fd, fd, fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
}

struct sp_err *hooks_attach_event(struct hooks *hooks, int prog_fd, uint64_t event_id)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = event_id };

	return hooks_attach(hooks, prog_fd, &attr);
}

struct sp_err *hooks_attach_raw(struct hooks *hooks, int prog_fd, const char *name)
{
	int fd = prog_fd < 0 ? -1 : bpf_raw_tracepoint_open(name, prog_fd);

	return keep(hooks, prog_fd, fd, fd >= 0);
}

void hooks_stop(struct hooks *hooks)
{
	sp_vec_each(fd, &hooks->events)
		close(*fd);
	sp_vec_each(fd, &hooks->fds)
		close(*fd);
	sp_vec_deinit(&hooks->events);
	sp_vec_deinit(&hooks->fds);
}
