// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's arrays and aggregates in the VM, which has a call for each thing that is done with them. */
#ifndef SP_GEN_GEN_VM_MAP_H
#define SP_GEN_GEN_VM_MAP_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_map gen_vm_map;

#endif
