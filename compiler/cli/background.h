// SPDX-License-Identifier: GPL-2.0-or-later
/** -F: the script runs on in a process of its own, without a terminal, once its probes are attached. */
#ifndef SP_CLI_BACKGROUND_H
#define SP_CLI_BACKGROUND_H

#include <stdbool.h>

/** Forks. False: this is the new process, which has *begun_ret for background_begin(), no terminal, and nothing at standard input and
 *  output. True: this is the old one, which has waited until that call, and printed the number of the process, or until its end; it
 *  passes on signals meanwhile. Its exit status is in *status_ret. */
bool background_start(int *begun_ret, int *status_ret);
/** In the new process: its probes are attached, and the old process may end. From here on messages go to `messages`, a file descriptor. */
void background_begin(int begun, int messages);

#endif
