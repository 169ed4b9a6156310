// SPDX-License-Identifier: GPL-2.0-or-later
/** Functions of handlers that run in the VM. One call gets all of their memory: the handler's slots and gen_temp, then a frame for
 *  each call that can be under way; in a frame, the result and the arguments, then the function's slots and gen_temp. */
#ifndef SP_GEN_GEN_VM_FN_H
#define SP_GEN_GEN_VM_FN_H

#include "compiler/gen/core/gen_engine.h"

extern const struct gen_engine_fn gen_vm_fn;

#endif
