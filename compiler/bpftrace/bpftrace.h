// SPDX-License-Identifier: GPL-2.0-or-later
/** spile --from-bpftrace: a script of bpftrace in our language. */
#ifndef SP_BPFTRACE_BPFTRACE_H
#define SP_BPFTRACE_BPFTRACE_H

#include "runtime/base/buf.h"

/** Appends the script that does the same as `text`. Returns how many statements and probes could not be translated: they are comments
 *  in the script, with the reason. */
unsigned bpftrace_translate(const char *text, struct sp_buf *out);

#endif
