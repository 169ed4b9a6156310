// SPDX-License-Identifier: GPL-2.0-or-later
/** --funcs, --lines, --vars, --types: what debug information says about a program or kernel. */
#ifndef SP_DRIVER_SHOW_H
#define SP_DRIVER_SHOW_H

#include "compiler/driver/session.h"

/** As spile_show. */
int show(struct spile *spile, const struct spile_show *what);

#endif
