// SPDX-License-Identifier: GPL-2.0-or-later
/** What processes map, as the kernel tells it while it happens: a process that ends soon leaves no /proc to read. */
#ifndef SP_RUNTIME_MAPPED_H
#define SP_RUNTIME_MAPPED_H

#include "runtime/machine/image.h"

struct mapped;

/** Called for each mapping, in the order of time. */
struct mapped_events {
	void (*map)(void *ctx, pid_t pid, const struct image_mapping *mapping);
	void (*fork)(void *ctx, pid_t pid, pid_t parent);
	void (*exec)(void *ctx, pid_t pid);
	void (*exit)(void *ctx, pid_t pid);
};

/** Listens to `target` and its descendants; 0: to all processes. */
struct sp_err *mapped_open(pid_t target, struct mapped **ret);
/** Listens on a processor that has come online, too. */
struct sp_err *mapped_add_cpu(struct mapped *mapped, unsigned cpu);
/** Has an epoll object tell, as `data`, that much has come and wants to be taken soon. */
struct sp_err *mapped_watch(struct mapped *mapped, int epoll_fd, uint64_t data);
void mapped_close(struct mapped *mapped);
/** Tells what has happened since the last call. */
void mapped_take(struct mapped *mapped, const struct mapped_events *events, void *ctx);
/** How much was not told, because there was no room for it. */
uint64_t mapped_lost(const struct mapped *mapped);

#endif
