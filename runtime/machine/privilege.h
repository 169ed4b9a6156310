// SPDX-License-Identifier: GPL-2.0-or-later
/** What this process may do with BPF, and what would help when it may not. */
#ifndef SP_RUNTIME_PRIVILEGE_H
#define SP_RUNTIME_PRIVILEGE_H

#include "runtime/base/err.h"

#include <linux/perf_event.h>

/** Can programs of the kind that probes need be loaded? NULL, or SP_ERR_PRIVILEGE that says what is missing. */
struct sp_err *privilege_check_bpf(void);
/** Why the kernel said EPERM or EACCES, and what would help. A sentence without a full stop. */
const char *privilege_hint(void);
/** The same for uprobes. */
const char *privilege_uprobe_hint(void);
/** Why perf_event_open(2) gave the errno value `error` for such an event; NULL for 0. */
struct sp_err *privilege_explain_event(int error, const struct perf_event_attr *attr);
/** Is there a perf event source of that name ("kprobe", "uprobe")? */
bool privilege_has_event_source(const char *name);
/** Its number, for perf_event_open(2). */
struct sp_err *privilege_event_type(const char *name, uint32_t *ret);

#endif
