// SPDX-License-Identifier: GPL-2.0-or-later
/** perf's cache of probes: ~/.debug/OBJECT/BUILD-ID/probes, which a link ~/.debug/.build-id/XX/REST leads to. A file has for each
 *  probe a line "#DEFINITION" and one for tracefs. */
#ifndef SP_CLI_PROBES_H
#define SP_CLI_PROBES_H

/** `spile cache add`: argv[0] is "add", then options, and last the point with its variables. Returns the exit status. */
int probes_add(int argc, char **argv);
/** Adds a definition to our cache, with an option before it (NULL: none). Returns the exit status. */
int probes_resolve(const char *option, const char *definition);
/** `spile cache import-perf`: adds the probes of perf's cache to ours, where the objects are still of those builds. */
int probes_import(void);
/** Prints what the cache has, perf's own probes, too. */
void probes_list(void);

#endif
