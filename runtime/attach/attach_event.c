// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall
#include "runtime/attach/attach_event.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int attach_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

// Kernels before 5.15 have no such links, and no cookies.
static int link_program(int event, int program, uint64_t cookie, int *fd_ret)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int link = bpf_link_create(program, event, BPF_PERF_EVENT, &opts), error;

	if (link < 0 && (errno != EINVAL || cookie))
		return errno;
	if (link < 0 && ioctl(event, PERF_EVENT_IOC_SET_BPF, program))
		return errno;
	if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0)) {
		error = errno;
		if (link >= 0)
			close(link);
		return error;
	}
	*fd_ret = link >= 0 ? link : event;
	return 0;
}

int attach_event_link(int event, int program, uint64_t cookie, int *fd_ret)
{
	int error = link_program(event, program, cookie, fd_ret);

	if (error || *fd_ret != event) // the link keeps the event
		close(event);
	return error;
}

int attach_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int program, uint64_t cookie, int *fd_ret)
{
	int event = attach_event_open(attr, pid, cpu);

	return event < 0 ? errno : attach_event_link(event, program, cookie, fd_ret);
}

void attach_event_watch(const struct sp_site *site, uint64_t address, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_BREAKPOINT;
	attr->sample_period = 1;
	attr->bp_type = site->args.watch.reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	attr->bp_addr = address;
	attr->bp_len = site->args.watch.size;
}
