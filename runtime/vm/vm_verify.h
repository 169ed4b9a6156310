// SPDX-License-Identifier: GPL-2.0-or-later
/** Checks of user-side code before it runs: instructions and calls are known, registers exist, jumps stay within the
 *  program, markers of immediate loads are right. Only addresses of memory accesses are left to be checked at run
 *  time. */
#ifndef SP_RUNTIME_VM_VERIFY_H
#define SP_RUNTIME_VM_VERIFY_H

#include "runtime/load/bundle.h"

/** Checks the code of all programs; the records before it must have been validated. Error: SP_ERR_FORMAT, it names the
 *  program and the instruction. */
struct sp_err *vm_verify(const struct bundle *bundle);

#endif
