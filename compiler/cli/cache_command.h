// SPDX-License-Identifier: GPL-2.0-or-later
/** `spile cache ...`: what is in the cache, and what is to be done with it. */
#ifndef SP_CLI_CACHE_COMMAND_H
#define SP_CLI_CACHE_COMMAND_H

/** argv[0] is "cache". Returns the exit status. */
int cache_command(int argc, char **argv);

/** "spile cache prune", and --clean-cache. */
int cache_prune_now(void);

#endif
