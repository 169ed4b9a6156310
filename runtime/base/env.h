// SPDX-License-Identifier: GPL-2.0-or-later
/** What the environment may decide. A program with the set-user-ID bit or file capabilities is started by somebody who has
 *  fewer privileges: that user's environment must not choose what code it runs, or which files it reads and writes. */
#ifndef SP_BASE_ENV_H
#define SP_BASE_ENV_H

#include "runtime/base/util.h"

#include <spawn.h>

/** Has the program been started with more privileges than its user has (AT_SECURE, see getauxval(3))? */
bool sp_env_is_raised(void);
/** The value of a variable; NULL when it is not set, and always when the privileges are raised. Nothing here calls getenv(). */
const char *sp_env(const char *name);
/** PATH; the system's usual folders when it is not set, or the privileges are raised. */
const char *sp_env_path(void);
/** The file of a program that a shell would run by that name, to be freed; NULL: there is none. */
char *sp_env_program(const char *name);
/** HOME, when that folder belongs to the user of this process; else NULL: sudo may leave another user's. */
const char *sp_env_home(void);
/** posix_spawnp(3) of a program in sp_env_path(), with the environment when the privileges are not raised. */
int sp_env_spawn(const char *const args[], const posix_spawn_file_actions_t *actions, pid_t *pid_ret);
/** At the start of a program: the ends of its children are told, although who started it may ignore those of its own, which programs
 *  inherit (SIGCHLD); and a file that would become larger than RLIMIT_FSIZE lets is an error of write(2), not the end (SIGXFSZ). */
void sp_env_take_signals(void);
/** In a child, before it runs a command of the user's: only the user's own privileges are left. */
bool sp_env_drop(void);

#endif
