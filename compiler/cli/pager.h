// SPDX-License-Identifier: GPL-2.0-or-later
/** Listings on a terminal go through $PAGER, which is less without one. */
#ifndef SP_CLI_PAGER_H
#define SP_CLI_PAGER_H

#include <sys/types.h>

/** Makes standard output a pipe to the pager when it is a terminal. Returns the pager's process, 0: none. */
pid_t pager_start(void);
/** Closes standard output and waits until the reader has left the pager. */
void pager_end(pid_t pager);

#endif
