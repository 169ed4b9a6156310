// SPDX-License-Identifier: GPL-2.0-or-later
/** The room of printing: from a record to text.
 *
 *  The problem. Handlers in the kernel should do as little as possible, and format strings, symbol tables and
 *  histograms are much. But records are not to be trusted: a .spo from anywhere decides what they hold.
 *
 *  The idea. A handler sends raw values with the number of a format. transport.c checks the record against the bundle
 *  and passes it on: format.c prints by printf formats, format_value.c parts of C values, hist.c histograms, symbols.c
 *  (with mapped.c and symbols_file.c) names of addresses, unread.c the globals that a script only writes. The VM sends
 *  its records the same way, so both engines print the same.
 *
 *  The invariant. A record that does not fit its format is reported as an internal error and dropped; no record reads
 *  behind its end. After exit(), only the handler that called it and user-side handlers still speak.
 *
 *  The limits. Records of the kernel come in the order in which room in the ring buffer was reserved. Names of a
 *  process that has ended are known only if it was looked at, or told by the kernel, before. */
#ifndef SP_RUNTIME_TRANSPORT_H
#define SP_RUNTIME_TRANSPORT_H

#include "runtime/abi/event.h"
#include "runtime/base/buf.h"
#include "runtime/base/log.h"
#include "runtime/load/bundle.h"
#include "runtime/print/symbols.h"
#include "runtime/print/writer.h"

struct transport {
	const struct bundle *bundle;
	const struct sp_log *log;
	struct symbols *symbols; // NULL: addresses have no names
	const struct spilert_perf_writer *perf; // of perf_writer
	struct perf_writer *perf_writer; // what is printed goes there, too; NULL: there is none
	int out_fd;
	struct writer *writer; // writes to it; NULL: transport_flush does so itself
	bool drops; // output of handlers in this process is dropped when the reader is slow; false: it is waited for
	bool traces; // all handlers are in this process
	uint64_t *dropped; // by program: records that were; NULL: none
	bool (*gives_up)(void *ctx, unsigned idle_ms); // as for writer_wait
	/** Runs the rest of a handler: `site` is the index of one of the bundle's. The record is struct sp_deferred and more. */
	void (*deferred)(void *ctx, unsigned site, const void *record, size_t size);
	/** What the file has to be read whose handler runs (SP_SITE_PROCFS); `more`: beside what it was told before. */
	void (*value)(void *ctx, const struct sp_buf *text, bool more);
	/** Gets all text before it is written. NULL: nobody. */
	void (*copy)(void *ctx, const struct sp_buf *text);
	/** run_iter(name) */
	void (*iterate)(void *ctx, const char *name);
	void *ctx;
	struct sp_buf pending; // text that is not yet written; flushed when large and by transport_flush
	bool exiting; // exit() or the last error was seen
	bool is_cut; // and it came from the kernel: of what follows, only that handler's records and those of user-side handlers count
	uint64_t n_errors; // run-time errors seen
	bool is_broken; // a record was not what its format says: an internal error, which was told
	bool is_refused; // the kernel took no text, which was told
	bool gave_up; // nobody reads: `failed`, and what comes is dropped and counted
	bool failed; // writing failed (EPIPE, ENOSPC): the session ends; reported once
	bool json; // output is JSON, an object a line
	int64_t wall_offset; // ns from CLOCK_MONOTONIC to the time of day, for that
	bool no_warnings;
	bool errors_are_warnings; // suppress_handler_errors
};

void transport_init(struct transport *t, const struct bundle *bundle, const struct sp_log *log, int out_fd);
void transport_deinit(struct transport *t);

/** One record, untrusted: one that does not fit its format is reported as an internal error and dropped. */
void transport_record(struct transport *t, const void *record, size_t size);
/** A histogram of the aggregate `map`. `what`: SP_STAT_LOG or SP_STAT_LINEAR, `buckets`: all that the aggregate has of it. */
void transport_hist(struct transport *t, unsigned map, enum sp_stat what, const uint64_t *buckets);
void transport_flush(struct transport *t);
/** Has writing failed? A negative errno, or 0: the writer is asked. */
void transport_check(struct transport *t, int ret);

#endif
