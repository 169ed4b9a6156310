// SPDX-License-Identifier: GPL-2.0-or-later
/** Runs on other machines: --remote.
 *
 *  The problem. A script is to run on machines that have no compiler and no debug information, and perhaps no spile-run; all at once,
 *  with one output, and nothing may be left there.
 *
 *  The idea. Each host has one process here, `ssh HOST COMMAND`, whose standard streams are the connection (remote_link.h). COMMAND is
 *  a POSIX shell script (remote_script.c) that asks for what it needs: spile-run if it has none, the options, and, after it has told its
 *  description, the compiled script. A child of this process compiles, once for each description that differs (remote_job.h), while the
 *  one event loop of remote.c serves all connections. What the hosts print is put together line by line (remote_out.h).
 *
 *  The invariant. The other side ends when its standard input does: whatever becomes of this process or of the network, the script ends
 *  there, and its folder is removed. */
#ifndef SP_CLI_REMOTE_H
#define SP_CLI_REMOTE_H

#include "compiler/cli/cli.h"

/** Runs the script of the options on their hosts. Returns the exit status: the highest of all hosts; 1 of a
 *  host that cannot be reached, or goes away. */
int remote_run(struct cli *cli);

#endif
