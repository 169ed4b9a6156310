// SPDX-License-Identifier: GPL-2.0-or-later
/** Whose stack it is. A stack that a script has kept is addresses alone, and processes have different programs at one address. */
#ifndef SP_RUNTIME_STACK_OWNER_H
#define SP_RUNTIME_STACK_OWNER_H

#include "runtime/print/processes.h"

/** The process, running or ended, whose code the addresses fit best: they lie in code, and a call is before each that is returned to.
 *  Of those that they fit alike, `first` (0: none) is it, or any when all of them have the same files there; when they fit none, it is
 *  `first`, too. 0: it is not known. */
pid_t stack_owner(const struct processes *processes, pid_t first, const uint64_t *addresses, size_t n);

#endif
