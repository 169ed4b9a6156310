// SPDX-License-Identifier: GPL-2.0-or-later
/** `spile complete`: words for the completion of shells (packaging/completion/), one a line. */
#ifndef SP_CLI_COMPLETE_COMMAND_H
#define SP_CLI_COMPLETE_COMMAND_H

/** argv[0] is "complete". Returns the exit status. */
int complete_command(int argc, char **argv);

#endif
