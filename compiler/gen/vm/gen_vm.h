// SPDX-License-Identifier: GPL-2.0-or-later
/** The user-side machine (the VM) as an engine: handlers that runtime/vm/ interprets.
 *
 *  The problem. begin, end and timers run outside of the kernel, and so does everything for users without privileges. They must
 *  mean what kernel code means, but have none of its limits.
 *
 *  The idea. The same functions make the same BPF instructions. What takes a page of code in the kernel is one call here: an array
 *  is sorted, a text is formatted, an aggregate is read. These calls (runtime/abi/uservm.h) have numbers that no helper of the
 *  kernel has. There is no verifier, so loops are loops, functions are called, and recursion is a call like others.
 *
 *  The invariant. Every call checks what it is given, since the interpreter trusts no address (runtime/vm/vm.h). */
#ifndef SP_GEN_GEN_VM_H
#define SP_GEN_GEN_VM_H

#include "compiler/gen/core/gen_core.h"

extern const struct gen_engine gen_vm;

#endif
