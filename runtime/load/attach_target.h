// SPDX-License-Identifier: GPL-2.0-or-later
/** What programs of the tracing kind are made for: a function or a tracepoint, as the running kernel's BTF numbers them. */
#ifndef SP_RUNTIME_ATTACH_TARGET_H
#define SP_RUNTIME_ATTACH_TARGET_H

#include "runtime/base/err.h"
#include "runtime/base/util.h"
#include "runtime/base/vec.h"

struct btf;
struct layout;

struct bundle;
struct sp_site;

struct attach_module {
	struct btf *btf;
	int fd;
};

/** Nothing is read yet: zeroed but for `kernel`. */
struct attach_targets {
	struct layout *kernel; // stays for longer
	SP_VEC(struct attach_module) modules;
	bool asked_modules;
	SP_VEC(int) programs;
};

void attach_targets_deinit(struct attach_targets *targets);
/** What a program of the attach type `attach` is made for at a site. *fd_ret: the BTF of the module, or the BPF program, that *id_ret is
 *  a number in, open as long as `targets` are; 0: the kernel itself. */
struct sp_err *attach_targets_find(struct attach_targets *targets, const struct bundle *bundle, const struct sp_site *site,
				   unsigned attach, uint32_t *id_ret, int *fd_ret);

#endif
