// SPDX-License-Identifier: GPL-2.0-or-later
/** What can be said of user-side code before it runs: known instructions and calls, registers, jumps within the program,
 *  markers of immediate loads. What is left for run time are the addresses of memory accesses. */
#ifndef SP_RUNTIME_VM_VERIFY_H
#define SP_RUNTIME_VM_VERIFY_H

#include "runtime/load/bundle.h"

/** Checks the code of all programs; the records before it must have been validated. Error: SP_ERR_FORMAT, it names the
 *  program and the instruction. */
struct sp_err *vm_verify(const struct bundle *bundle);

#endif
