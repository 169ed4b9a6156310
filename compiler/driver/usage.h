// SPDX-License-Identifier: GPL-2.0-or-later
/** The time and memory that this process has used, as SystemTap prints them behind each pass (-v). */
#ifndef SP_DRIVER_USAGE_H
#define SP_DRIVER_USAGE_H

#include "runtime/base/buf.h"

struct usage {
	int64_t user_us, system_us, real_us;
};

void usage_now(struct usage *ret);
/** Prints the time since then: "260usr/20sys/272real ms". */
void usage_print_time(struct sp_buf *out, const struct usage *since);
/** Prints the memory: "410728virt/101984res/8796shr/93148data kb". */
void usage_print_memory(struct sp_buf *out);

#endif
