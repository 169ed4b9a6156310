// SPDX-License-Identifier: GPL-2.0-or-later
/** Values for nobody: `name = kernel_string($dentry->d_name->name)` in an alias whose users do not look at `name`.
 *
 *  A handler's local that is assigned and never read gets 0 instead of $variables, before anything asks what these are. So a $variable
 *  that is not there is no error when nobody wants it, debug information is not searched for it, and no hook is chosen for it.
 *  Prune then takes the assignment out, and says so. Values that something else comes of (calls with effects, matches of a
 *  regular expression) stay. */
#ifndef SP_SEMA_UNREAD_H
#define SP_SEMA_UNREAD_H

#include "compiler/sema/program.h"

/** After bind: locals and calls are known, $variables are not. Functions get their `has_effect`. */
void unread_drop(struct program *program);

#endif
