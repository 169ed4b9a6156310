// SPDX-License-Identifier: GPL-2.0-or-later
/** How often each handler ran and how long it took. Of handlers in the kernel only the sum is known, which the
 *  kernel keeps; of those of system calls, the programs that go on to them. */
#ifndef SP_RUNTIME_TIMING_H
#define SP_RUNTIME_TIMING_H

#include "runtime/attach/attach.h"
#include "runtime/base/buf.h"

struct timing {
	const struct bundle *bundle;
	struct timing_prog {
		uint64_t hits, sum, min, max; // ns
	} *progs; // by program: those that ran here
	int stats_fd; // while it is open the kernel measures, too; -1
};

void timing_init(struct timing *timing, const struct bundle *bundle);
void timing_deinit(struct timing *timing);

/** Has the kernel measure, too. */
struct sp_err *timing_start_kernel(struct timing *timing);
/** A handler has run here from `start_ns` (of sp_now_ns) on. */
void timing_add(struct timing *timing, unsigned prog, uint64_t start_ns);

/** How often a handler has run, and how long altogether. False: never. */
bool timing_total(const struct timing *timing, const struct attach *attach, unsigned prog, uint64_t *hits_ret, uint64_t *ns_ret);

/** Adds those of a BPF program, which the kernel has measured. `fd` may be -1. */
void timing_add_kernel(int fd, uint64_t *hits, uint64_t *ns);

/** One line a handler that has run. */
void timing_print(struct sp_buf *out, const struct timing *timing, const struct attach *attach);
/** The same as objects of JSON. */
void timing_put_json(struct sp_buf *out, const struct timing *timing, const struct attach *attach);

#endif
