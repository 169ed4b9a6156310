// SPDX-License-Identifier: GPL-2.0-or-later
/** Listings on a terminal go through $PAGER, or less when that is not set. */
#ifndef SP_CLI_PAGER_H
#define SP_CLI_PAGER_H

#include <sys/types.h>

/** Makes standard output a pipe to the pager, if it is a terminal. Returns the process id of the pager; 0: none was started. */
pid_t pager_start(void);
/** Closes standard output and waits until the reader has left the pager. */
void pager_end(pid_t pager);

#endif
