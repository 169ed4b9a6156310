// SPDX-License-Identifier: GPL-2.0-or-later
/** Loops: how often they run, when that can be told, and what form they take in kernel code. */
#ifndef SP_IR_FIT_LOOP_H
#define SP_IR_FIT_LOOP_H

#include "compiler/ir/fit_calls.h"

/** Sets `form` and `trips` of every loop. */
void fit_loop(struct ir_unit *unit, const struct fit_calls *calls);

#endif
