// SPDX-License-Identifier: GPL-2.0-or-later
/** The directives of bpf_snprintf, for the user-space machine. */
#ifndef SP_RUNTIME_VM_FORMAT_H
#define SP_RUNTIME_VM_FORMAT_H

#include "runtime/base/buf.h"

struct vm_format {
	const uint64_t *values;
	size_t n_values;
	/** The string at an address; it is printed before the next one is asked for. */
	const char *(*string)(void *ctx, uint64_t addr);
	void *ctx;
};

/** Appends the text of `format`: %d %i %u %x %X %s %c %% with the flags `-+ 0`, a width, and l or ll. NULL, or what is
 *  wrong with the format or its values. */
const char *vm_format(const struct vm_format *f, const char *format, struct sp_buf *ret);

#endif
