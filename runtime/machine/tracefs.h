// SPDX-License-Identifier: GPL-2.0-or-later
/** What the runtime asks the tracing file system: numbers and fields of tracepoints, and which functions can be traced. */
#ifndef SP_RUNTIME_TRACEFS_H
#define SP_RUNTIME_TRACEFS_H

#include "runtime/base/err.h"
#include "runtime/base/hash.h"

/** A directory descriptor. */
struct sp_err *tracefs_open(int *ret);
/** The number of a tracepoint, "system:name", as perf_event_open takes it. SP_ERR_NOT_FOUND when there is none. */
struct sp_err *tracefs_event_id(int tracefs, const char *event, uint64_t *ret);
/** The offset of a field in a tracepoint's record. SP_ERR_NOT_FOUND when there is none. */
struct sp_err *tracefs_event_field(int tracefs, const char *event, const char *field, unsigned *ret);
/** What the kernel can trace, without modules: for tracefs_can_trace(). */
struct sp_err *tracefs_functions(int tracefs, struct sp_hash *functions);
/** Can all functions of that name be traced? The list that the kernel gives has no addresses before Linux 6.5. */
bool tracefs_can_trace(const struct sp_hash *functions, const char *name);

#endif
