// SPDX-License-Identifier: GPL-2.0-or-later
/** What this machine can do, found out by trying. The text of it is spilert_describe (abi/target.h). */
#ifndef SP_RUNTIME_TARGET_H
#define SP_RUNTIME_TARGET_H

#include <stdbool.h>
#include <stdint.h>

/** Bits of enum sp_feature. `kernel` false: only what needs no privileges. */
uint64_t target_features(bool kernel);

#endif
