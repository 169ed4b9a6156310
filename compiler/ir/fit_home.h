// SPDX-License-Identifier: GPL-2.0-or-later
/** Homes of strings and keys: on the BPF stack while it lasts, else in the scratch frame. */
#ifndef SP_IR_FIT_HOME_H
#define SP_IR_FIT_HOME_H

#include "compiler/ir/fit_calls.h"

/** Sets every home, stack_size and the scratch sizes, those of the unit included. */
void fit_home(struct ir_unit *unit, const struct fit_calls *calls);

#endif
