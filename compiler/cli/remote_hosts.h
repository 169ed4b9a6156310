// SPDX-License-Identifier: GPL-2.0-or-later
/** The hosts of --remote and --remote-hosts. */
#ifndef SP_CLI_REMOTE_HOSTS_H
#define SP_CLI_REMOTE_HOSTS_H

#include "compiler/cli/options.h"

struct remote_host {
	char *label; // what lines and messages call it; no two are the same
	char *address; // [USER@]HOST, for the remote shell; NULL: this machine
	char *port; // NULL: the remote shell's own
};

struct remote_hosts {
	SP_VEC(struct remote_host) list;
};

/** Returns 0, or the exit status after a message. */
int remote_hosts_read(const struct remote_options *options, struct remote_hosts *ret);
void remote_hosts_deinit(struct remote_hosts *hosts);

#endif
