// SPDX-License-Identifier: GPL-2.0-or-later
/** `spile pack`: what is in packs and compiled scripts. */
#ifndef SP_CLI_PACK_COMMAND_H
#define SP_CLI_PACK_COMMAND_H

/** argv[0] is "pack". Returns the exit status. */
int pack_command(int argc, char **argv);

#endif
