// SPDX-License-Identifier: GPL-2.0-or-later
/** What was lost, by probe: nothing is lost silently. */
#ifndef SP_RUNTIME_ACCOUNT_H
#define SP_RUNTIME_ACCOUNT_H

#include "runtime/attach/attach.h"

struct account {
	const struct bundle *bundle;
	// By kind and program, behind the programs that of the links which several share: the kernel does not tell whose it was. Events for
	// which it did not run a program because it was running on that CPU; for which there was no return instance; returns of calls
	// that were nested too deeply for the kernel.
	uint64_t *taken;
};

void account_init(struct account *account, const struct bundle *bundle);
void account_deinit(struct account *account);

/** Asks the kernel what the links of these sites have missed. To be called before they are detached. */
void account_take(struct account *account, const struct attach *attach, const struct attach_part *part);
/** Adds what another one has taken. */
void account_add(struct account *account, const struct account *other);
/** What a program has lost of a kind, and a word for it; NULL: there are no more kinds. */
const char *account_kind(unsigned kind);
uint64_t account_count(const struct account *account, const void *data, const uint64_t *dropped, unsigned prog, unsigned kind);

/** The sums of run-time errors and of handlers that did not run, then one warning a program and kind of loss.
 * `data`: spile_data; `dropped`: by program, what was printed and not read. */
/** Appends objects of JSON, a line for each kind of loss of each handler. */
void account_put_json(struct sp_buf *out, const struct account *account, const void *data, const uint64_t *dropped);
void account_report(const struct account *account, const void *data, const uint64_t *dropped, uint64_t errors,
		    const struct sp_log *log);

#endif
