// SPDX-License-Identifier: GPL-2.0-or-later
/** What debug information knows of a program or kernel, for people: --funcs, --lines, --vars, --types. */
#ifndef SP_DRIVER_SHOW_H
#define SP_DRIVER_SHOW_H

#include "compiler/driver/session.h"

/** As spile_show. */
int show(struct spile *spile, const struct spile_show *what);

#endif
