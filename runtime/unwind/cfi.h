// SPDX-License-Identifier: GPL-2.0-or-later
/** Call frame information of x86_64 (.eh_frame, .debug_frame) read into rows. The bytes are not trusted: what makes no sense is left
 *  out, and nothing is known of the instructions that it is about. */
#ifndef SP_RUNTIME_CFI_H
#define SP_RUNTIME_CFI_H

#include "runtime/unwind/cfi_program.h"

struct cfi_input {
	const uint8_t *bytes;
	size_t size;
	uint64_t address; // link-time, of the first byte
	bool is_debug_frame; // .debug_frame, else .eh_frame
};

/** Appends rows, sorted by link-time address: each holds up to the next one. */
void cfi_read(const struct cfi_input *input, struct cfi_rows *rows);

#endif
