// SPDX-License-Identifier: GPL-2.0-or-later
/** BPF_PROG_LOAD of bpf(2): a program and what it is, and the verifier's log of one that is refused. */
#ifndef SP_RUNTIME_LOAD_CALL_H
#define SP_RUNTIME_LOAD_CALL_H

#include "runtime/load/code_link.h"

#include <linux/bpf.h>

#define LOAD_LOG_SIZE ((1u << 24) + 4096) // bytes; pages that are not written cost nothing

/** What the kernel is told of a program beside its code. */
struct load_kind {
	const char *name;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	bool sleeps;
	uint32_t target; // of BPF_PROG_TYPE_TRACING: in the kernel's BTF, or in that of the module in `target_fd`
	int target_fd;
};

/** The program's descriptor, or -1 with errno. `btf_fd`: of its types and lines, or -1. `log`, of LOAD_LOG_SIZE bytes: gets what the
 *  verifier says when it refuses the program, and ends with why; NULL: nobody asks. */
int load_call(const struct load_kind *kind, const struct code_program *code, int btf_fd, char *log);

#endif
