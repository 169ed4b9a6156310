// SPDX-License-Identifier: GPL-2.0-or-later
/** Programs at perf events, which is what kprobes, uprobes, tracepoints and samples are to the kernel. */
#ifndef SP_RUNTIME_ATTACH_EVENT_H
#define SP_RUNTIME_ATTACH_EVENT_H

#include "runtime/abi/bundle.h"
#include "runtime/base/util.h"

#include <linux/perf_event.h>
#include <sys/types.h>

#define ATTACH_EVENT_RETURN 1u // `config` of kprobes and uprobes: at the return of the function
#define ATTACH_EVENT_SEMAPHORE 32 // bits below the place of a uprobe's semaphore in `config`

/** Fills in what the site watches at the address. */
void attach_event_watch(const struct sp_site *site, uint64_t address, struct perf_event_attr *attr);
/** perf_event_open(2): the descriptor, or -1 with errno. */
int attach_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);
/** Lets the program run at the event, whose descriptor it takes over. *fd_ret keeps both. Returns 0, or the errno value. */
int attach_event_link(int event, int program, uint64_t cookie, int *fd_ret);
/** Both. */
int attach_event(const struct perf_event_attr *attr, pid_t pid, int cpu, int program, uint64_t cookie, int *fd_ret);

#endif
