// SPDX-License-Identifier: GPL-2.0-or-later
/** BPF instructions as text, in the words of the kernel's verifier: "r1 = *(u64 *)(r6 +104)", with the names of maps, helpers and
 *  functions. */
#ifndef SP_RUNTIME_INSN_TEXT_H
#define SP_RUNTIME_INSN_TEXT_H

#include "runtime/base/buf.h"
#include "runtime/load/code.h"

/** Appends one instruction. Jumps go to instructions by their number within `function`. Returns how many slots it takes, 1 or 2. */
unsigned insn_text(const struct code *code, const struct code_function *function, uint32_t insn, struct sp_buf *out);
/** The helper's name; NULL: it is not known. */
const char *insn_helper_name(int32_t helper);

#endif
