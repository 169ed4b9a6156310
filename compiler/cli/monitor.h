// SPDX-License-Identifier: GPL-2.0-or-later
/** --monitor: the probes of a running script, with what they cost, its variables and its output, on the terminal; keys switch probes
 *  off and on.
 *
 *  The idea. While it lasts, standard output and standard error are a file in memory, so that nothing but the monitor draws on the
 *  terminal, whoever writes: the script, the runtime, or the command of -c. The last lines of the file are shown. The terminal is taken
 *  when the script has been loaded: until then a signal ends the process, which leaves nothing to be put in order. */
#ifndef SP_CLI_MONITOR_H
#define SP_CLI_MONITOR_H

#include "runtime/include/spilert.h"

struct monitor;

/** `name` is the script's; `opts` gets the watch. Returns 0, or an exit status after a message. */
int monitor_start(const char *name, double seconds, struct spilert_opts *opts, struct monitor **ret);
/** Takes the terminal. NULL is fine. */
void monitor_begin(struct monitor *monitor);

enum monitor_ends {
	MONITOR_IS_OTHER, // another process has run the session, and has done this
	MONITOR_WAITS, // until the terminal has taken everything
	MONITOR_HURRIES // a terminal that takes nothing for 2 s is given up
};
/** Gives the terminal back; what was written since it was drawn last, such as by the end probes, follows there. Returns an exit status:
 *  1 after a message that some of that was lost. NULL is fine. */
int monitor_end(struct monitor *monitor, enum monitor_ends how);

#endif
