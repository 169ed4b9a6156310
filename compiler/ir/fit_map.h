// SPDX-License-Identifier: GPL-2.0-or-later
/** What the script does with each of its arrays. */
#ifndef SP_IR_FIT_MAP_H
#define SP_IR_FIT_MAP_H

#include "compiler/ir/fit.h"

/** When it is known which functions run where. */
void fit_map(struct ir_unit *unit);

#endif
