// SPDX-License-Identifier: GPL-2.0-or-later
/** Files that become shorter while they are read, as a program that is linked anew. They are mapped, and what is not there any more
 *  gives SIGBUS: that ends spile by a message with the file's name, and status 1. */
#ifndef SPILE_CLI_CUT_OFF_H
#define SPILE_CLI_CUT_OFF_H

void cut_off_watch(void);

#endif
