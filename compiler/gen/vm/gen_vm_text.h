// SPDX-License-Identifier: GPL-2.0-or-later
/** Text and records in the VM, which has calls for both. */
#ifndef SP_GEN_GEN_VM_TEXT_H
#define SP_GEN_GEN_VM_TEXT_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_text gen_vm_text;
extern const struct gen_engine_record gen_vm_record;

#endif
