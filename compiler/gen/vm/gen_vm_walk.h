// SPDX-License-Identifier: GPL-2.0-or-later
/** Walks of arrays in the VM: an iterator is open until the walk ends, or until a RETURN or a failure leaves it. */
#ifndef SP_GEN_GEN_VM_WALK_H
#define SP_GEN_GEN_VM_WALK_H

#include "compiler/gen/core/gen_core.h"

void gen_vm_walk_foreach(struct gen *g, const struct ir_stmt *s);
/** Of struct gen_engine_flow. */
void gen_vm_walk_leave(struct gen *g);
void gen_vm_walk_try_begin(struct gen *g);
void gen_vm_walk_try_caught(struct gen *g);
/** Of a called function that ends with a failure, which its caller may catch: closes what is open. */
void gen_vm_walk_failed(struct gen *g);

#endif
