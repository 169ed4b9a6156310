// SPDX-License-Identifier: GPL-2.0-or-later
/** What became of a script's lines: how many instructions of the kernel's programs each of them has, and which. */
#ifndef SP_RUNTIME_EXPLAIN_H
#define SP_RUNTIME_EXPLAIN_H

#include "runtime/load/bundle.h"

struct explain_input {
	const struct bundle *bundle;
	const char *script; // the name of a file whose text is `text`; other files are read
	const char *text;
	size_t size;
	bool code; // the instructions, too, behind their lines
};

/** Appends the lines of each file that code is of: the script whole, of others the lines that have instructions. */
void explain_lines(const struct explain_input *input, struct sp_buf *out);
#endif
