// SPDX-License-Identifier: GPL-2.0-or-later
/** `spile perf-data`: what a file of `perf record` has. */
#ifndef SP_CLI_PERF_COMMAND_H
#define SP_CLI_PERF_COMMAND_H

/** `argv[0]` is "perf-data"; returns the exit status. */
int perf_command(int argc, char **argv);

#endif
