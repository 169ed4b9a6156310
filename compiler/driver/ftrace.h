// SPDX-License-Identifier: GPL-2.0-or-later
/** Probe points as commands of tracefs, for who uses ftrace or perf without spile. */
#ifndef SP_DRIVER_FTRACE_H
#define SP_DRIVER_FTRACE_H

#include <stdbool.h>

struct spile;

/** `what` is a probe point, and behind it the variables to record: "$NAME", "$params", "$vars", "$return". Prints a line for
 *  kprobe_events or uprobe_events for each site; `for_perf`: those of perf's cache, each behind a line "@BUILD-ID OBJECT" and one
 *  "#DEFINITION". Returns the exit status. */
int ftrace_print(struct spile *spile, const char *what, bool for_perf);
/** Resolves the probe point alone, and says what is wrong with it. Returns the exit status. *marks_ret becomes true when it has
 *  marks. */
int ftrace_resolve(struct spile *spile, const char *what, bool *marks_ret);

#endif
