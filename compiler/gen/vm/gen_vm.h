// SPDX-License-Identifier: GPL-2.0-or-later
/** The user-side machine as an engine: handlers that runtime/vm/ interprets. It has calls of its own (runtime/abi/uservm.h), which do
 *  at once what takes code in the kernel. */
#ifndef SP_GEN_GEN_VM_H
#define SP_GEN_GEN_VM_H

#include "compiler/gen/core/gen_core.h"

extern const struct gen_engine gen_vm;

#endif
