// SPDX-License-Identifier: GPL-2.0-or-later
/** What programs of the tracing kind are made for: a function or a tracepoint, as the running kernel's BTF numbers them. */
#ifndef SP_RUNTIME_ATTACH_TARGET_H
#define SP_RUNTIME_ATTACH_TARGET_H

#include "runtime/base/util.h"
#include "runtime/base/vec.h"

struct btf;

struct attach_module {
	struct btf *btf;
	int fd;
};

/** Zeroed: nothing is read yet. */
struct attach_targets {
	struct btf *kernel;
	SP_VEC(struct attach_module) modules;
	bool asked_kernel, asked_modules;
};

void attach_targets_deinit(struct attach_targets *targets);
/** `kind`: BTF_KIND_FUNC, BTF_KIND_TYPEDEF. *fd_ret: the module's BTF, open as long as `targets` are; 0: the kernel itself.
 *  False: there is none of that name. */
bool attach_targets_find(struct attach_targets *targets, const char *name, unsigned kind, uint32_t *id_ret, int *fd_ret);

#endif
