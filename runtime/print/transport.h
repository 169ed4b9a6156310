// SPDX-License-Identifier: GPL-2.0-or-later
/** Where records arrive, from the ring buffer and from the VM: text goes to the output, exit and errors to the session. */
#ifndef SP_RUNTIME_TRANSPORT_H
#define SP_RUNTIME_TRANSPORT_H

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"
#include "runtime/base/log.h"
#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"

#include <signal.h>

struct transport {
	const struct bundle *bundle;
	const struct sp_log *log;
	struct symbols *symbols; // NULL: addresses have no names
	const sigset_t *signals; // the mask of commands that are run; NULL: this thread's
	int out_fd;
	struct sp_buf pending; // text that is not yet written; flushed when large and by transport_flush
	bool exiting; // exit() or the last error was seen
	bool is_cut; // and came from the kernel: of what follows, only who exited and the user-side handlers still speak
	uint64_t n_errors; // run-time errors seen
	bool failed; // writing failed (EPIPE, ENOSPC): the session ends; reported once
	bool no_warnings;
	bool errors_are_warnings; // suppress_handler_errors
};

void transport_init(struct transport *t, const struct bundle *bundle, const struct sp_log *log, int out_fd);
void transport_deinit(struct transport *t);

/** One record, untrusted: one that does not fit its format is reported as an internal error and dropped. */
void transport_record(struct transport *t, const void *record, size_t size);
/** A histogram as text. `what`: SP_STAT_LOG or SP_STAT_LINEAR, `buckets`: all that the shape has of it. */
void transport_hist(struct transport *t, const struct sp_stat_shape *shape, enum sp_stat what,
		    const uint64_t *buckets);
void transport_flush(struct transport *t);

#endif
