// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach_active.h"

#include "runtime/attach/attach_event.h"
#include "runtime/attach/attach_kernel.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/privilege.h"
#include "runtime/machine/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define EVENTS "kprobe_events"
#define GROUP "spile_"

// Returns 0, or the errno value.
static int write_line(int tracefs, const char *line)
{
	sp_cleanup_close int fd = openat(tracefs, EVENTS, O_WRONLY | O_APPEND | O_CLOEXEC);

	return fd < 0 || write(fd, line, strlen(line)) < 0 ? errno : 0;
}

static int remove_event(int tracefs, pid_t pid, unsigned number)
{
	char line[64];

	snprintf(line, sizeof(line), "-:" GROUP "%d/active_%u\n", (int)pid, number);
	return write_line(tracefs, line);
}

// "r20:spile_4711/active_1 vfs_read": the kernel refuses to remove one that is in use, so a pid of another namespace does no harm.
static void remove_old(int tracefs)
{
	int fd = openat(tracefs, EVENTS, O_RDONLY | O_CLOEXEC);
	sp_cleanup_fclose FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	sp_cleanup_free char *line = NULL;
	size_t cap = 0;

	while (file && getline(&line, &cap, file) > 0) {
		unsigned number;
		int pid;

		if (sscanf(line, "%*[r0-9]:" GROUP "%d/active_%u ", &pid, &number) == 2 && kill(pid, 0) && errno == ESRCH)
			remove_event(tracefs, pid, number);
	}
}

static struct sp_err *make(struct attach *attach, const struct sp_site *site, uint64_t *id_ret)
{
	const char *symbol = bundle_text(attach->bundle, site->symbol);
	uint64_t address = site->args.kernel.address;
	bool by_name = *symbol && !attach_kernel_address(attach, site, &address);
	sp_cleanup(sp_buf_deinit) struct sp_buf line = { 0 };
	char event[64];
	int error;

	if (attach->tracefs < 0)
		SP_TRY(tracefs_open(&attach->tracefs));
	if (!attach->n_active)
		remove_old(attach->tracefs);
	snprintf(event, sizeof(event), GROUP "%d/active_%u", (int)getpid(), ++attach->n_active);
	sp_buf_printf(&line, "r%" PRIu32 ":%s ", site->args.kernel.max_active, event);
	if (by_name)
		sp_buf_printf(&line, "%s\n", symbol);
	else
		sp_buf_printf(&line, "%#" PRIx64 "\n", address);
	error = write_line(attach->tracefs, sp_buf_str(&line));
	if (error)
		return attach_kernel_explain_kprobe(symbol, *symbol ? 0 : address, error);
	sp_vec_push(&attach->active, ((struct attach_active){ attach->n_active, (unsigned)(site - attach->bundle->sites) }));
	*strchr(event, '/') = ':';
	return tracefs_event_id(attach->tracefs, event, id_ret);
}

struct sp_err *attach_active(struct attach *attach, const struct sp_site *site, int program, uint64_t cookie, int *fd_ret)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	uint64_t id;
	int error;

	SP_TRY(make(attach, site, &id));
	attr.config = id;
	error = attach_event(&attr, -1, 0, program, cookie, fd_ret);
	return error ? sp_err_errno(error, "%s", bundle_text(attach->bundle, site->symbol)) : NULL;
}

// A link is closed for good a moment after its descriptor.
static void remove_unused(struct attach *attach, unsigned number)
{
	for (unsigned tries = 0; tries < 50 && remove_event(attach->tracefs, getpid(), number) == EBUSY; tries++)
		usleep(10000);
}

void attach_active_remove(struct attach *attach, const struct attach_part *part)
{
	size_t n = 0;

	sp_vec_each(active, &attach->active) {
		if (attach_is_in(attach, part, active->site))
			remove_unused(attach, active->number);
		else
			attach->active.v[n++] = *active;
	}
	attach->active.n = n;
}
