// SPDX-License-Identifier: GPL-2.0-or-later
/** The runtime's own small BPF programs at tracepoints and uprobes, which keep a map up to date for the script's handlers. */
#ifndef SP_RUNTIME_HOOKS_H
#define SP_RUNTIME_HOOKS_H

#include "runtime/base/err.h"
#include "runtime/base/vec.h"

#include <linux/perf_event.h>
#include <stdint.h>

struct hooks {
	const char *what; // for messages: "follow processes"
	SP_VEC(int) fds; // of the programs
	SP_VEC(int) events; // that they are attached to
};

/** `prog_fd` as bpf_prog_load() gave it: below 0 it is an error, with errno. */
struct sp_err *hooks_attach(struct hooks *hooks, int prog_fd, struct perf_event_attr *attr);
/** To the tracepoint of that number. */
struct sp_err *hooks_attach_event(struct hooks *hooks, int prog_fd, uint64_t event_id);
/** To the tracepoint of that name, without its record; NULL: to the one that the program was loaded for. */
struct sp_err *hooks_attach_raw(struct hooks *hooks, int prog_fd, const char *name);
/** Closing the events is slow, so the caller may have taken them over to close them together with others. */
void hooks_stop(struct hooks *hooks);

#endif
