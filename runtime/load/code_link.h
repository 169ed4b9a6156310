// SPDX-License-Identifier: GPL-2.0-or-later
/** A program as bpf(2) takes it: with the functions that it calls behind it, and the descriptors of its maps in it. */
#ifndef SP_RUNTIME_CODE_LINK_H
#define SP_RUNTIME_CODE_LINK_H

#include "runtime/base/buf.h"
#include "runtime/base/err.h"
#include "runtime/base/vec.h"
#include "runtime/load/code.h"

struct code_program {
	const struct code *code;
	SP_VEC(struct bpf_insn) insns;
	struct sp_buf records[CODE_RECORDS]; // insn_off counts instructions of `insns`, that of CODE_CORE_RELO bytes
};

/** `map_fds`: one for each of code->maps. */
struct sp_err *code_link(const struct code *code, uint32_t function, const int *map_fds, struct code_program *ret);
/** Does it call that helper of the kernel (BPF_FUNC_...)? */
bool code_calls(const struct code_program *program, int helper);
void code_program_deinit(struct code_program *program);

#endif
