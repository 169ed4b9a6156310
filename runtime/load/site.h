// SPDX-License-Identifier: GPL-2.0-or-later
/** Who runs a site, and what its hook is called. */
#ifndef SP_RUNTIME_SITE_H
#define SP_RUNTIME_SITE_H

#include "runtime/abi/bundle.h"

#include <stdbool.h>

/** "kprobe", "fentry", ...: the hook's name. */
const char *site_hook_name(const struct sp_site *site);
/** Handlers that run in this process without being called by an event of the kernel: begin, end, error, timers. */
bool site_is_session(const struct sp_site *site);
/** Of several programs at one place the kernel runs the one first that was attached last. That differs from hook to hook. */
bool site_last_runs_first(enum sp_site_kind kind);
/** A probe in the code of a program. */
bool site_is_uprobe(const struct sp_site *site);
/** process() probes, which the user engine can run, too. */
bool site_is_process(const struct sp_site *site);

#endif
