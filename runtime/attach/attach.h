// SPDX-License-Identifier: GPL-2.0-or-later
/** Sites attached in the kernel. Every one is a link on a file descriptor of this process: nothing is pinned and no text
 *  is written to tracefs, so that the kernel detaches all when the process ends, however that ends. */
#ifndef SP_RUNTIME_ATTACH_H
#define SP_RUNTIME_ATTACH_H

#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/load/load.h"

#include <sys/types.h>

struct bpf_link;

struct attach_link {
	unsigned site; // or the first of several
	struct bpf_link *link; // NULL: only `fd`, which is ours
	int fd;
};

struct attach {
	const struct bundle *bundle;
	struct load *load;
	const struct sp_log *log;
	pid_t pid; // user-space probes fire in this process alone; 0: in every one
	int tracefs; // -1 until a site needs it
	bool asked_text;
	uint64_t text; // the kernel's _stext, when addresses are known and the kernel is the one that was compiled for; else 0
	const char **hooks; // by site: the kind of hook that it is attached by, "kprobe.multi"; NULL: it is not attached
	SP_VEC(struct attach_link) links;
	SP_VEC(int) others; // descriptors to be closed with the links, since that takes as long
};

void attach_init(struct attach *attach, const struct bundle *bundle, struct load *load, const struct sp_log *log,
		 pid_t pid);
/** Detaches all. */
void attach_deinit(struct attach *attach);

/** Does nothing for what attach_multi has attached. The error says which probe point, which hook, why, and what would
 *  help. */
struct sp_err *attach_site(struct attach *attach, unsigned site);
/** When it returns, no handler runs any more. */
void attach_detach(struct attach *attach);
/** What can be known to fail before anything runs, such as a kernel without kprobes. */
struct sp_err *attach_check_site(const struct bundle *bundle, unsigned site);

#endif
