// SPDX-License-Identifier: GPL-2.0-or-later
/** `spile pack sign` and `spile pack verify`: signatures of compiled scripts, as minisign(1) makes them. */
#ifndef SP_CLI_SIGN_COMMAND_H
#define SP_CLI_SIGN_COMMAND_H

/** argv[0] is "sign" or "verify". Returns the exit status. */
int sign_command(int argc, char **argv);

#endif
