// SPDX-License-Identifier: GPL-2.0-or-later
/** Definitions in the probe cache of programs and kernels that have been updated since. What is there for the old build stays: it may be
 *  for other machines. */
#ifndef SP_CLI_PROBES_AGAIN_H
#define SP_CLI_PROBES_AGAIN_H

#include "compiler/cache/elf_id.h"
#include "compiler/cache/probe_file.h"

/** The build-id of the object that a file is for, when it is another one now; false: it is the same, or the object is not here. */
bool probes_again_build(const struct probe_file_head *head, char ret[ELF_ID_TEXT]);
/** Has the cache that definition for that build, too? */
bool probes_again_has(const char *build_id, enum probe_file_sort sort, const struct probe_file_line *definition);
/** Resolves definitions again, of all objects that have been updated. Returns the exit status. */
int probes_again(void);

#endif
