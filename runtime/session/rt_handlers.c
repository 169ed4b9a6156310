// SPDX-License-Identifier: GPL-2.0-or-later
// Handlers that run in this process: for a probe, or as the rest of one that began in the kernel or under the user engine.
#define _GNU_SOURCE // process_vm_readv

#include "runtime/session/rt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// ---- memory ----------------------------------------------------------------------------------------------------------

static int read_memory(pid_t pid, uint64_t addr, void *dst, size_t size)
{
	struct iovec local = { dst, size }, remote = { (void *)(uintptr_t)addr, size };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

int rt_read_process(void *ctx, uint64_t addr, void *dst, size_t size)
{
	return read_memory((pid_t)((const struct vm_task *)ctx)->pid, addr, dst, size);
}

// ---- the rest of a handler -------------------------------------------------------------------------------------------

static void run_rest(struct spilert *rt, unsigned index, const void *record, size_t size)
{
	const struct sp_site *site = &rt->bundle->sites[index];
	struct sp_deferred head;
	struct vm_task task = { .deferred = &head, .read = rt_read_process, .ctx = &task };
	struct sp_err *err;

	memcpy(&head, record, sizeof(head));
	task.pid = (uint32_t)head.pid;
	task.tid = (uint32_t)head.tid;
	task.uid = (uint32_t)head.uid;
	task.gid = (uint32_t)head.gid;
	task.cpu = (uint32_t)head.cpu;
	memcpy(task.comm, head.comm, sizeof(task.comm));
	err = vm_run_rest(rt->vm, site->prog, index - rt->bundle->progs[site->prog].first_site, &task, record, size);
	if (err) {
		rt_finish(rt, err);
		rt->failed = rt->ending = true;
	}
}

static void run_rests(struct spilert *rt)
{
	rt->in_handler = true;
	rt->ran_handler |= rt->deferred.n > 0;
	for (size_t i = 0; i < rt->deferred.n; i++) {
		struct rt_record record = rt->deferred.v[i];

		// Behind an exit() runs the rest of the handler that called it, or of one that had begun to print.
		if (!rt->transport.exiting || ((const struct sp_event_head *)record.bytes)->kind & SP_EVENT_GOES_ON)
			run_rest(rt, record.site, record.bytes, record.size);
		free(record.bytes);
	}
	rt->deferred.n = 0;
	rt->in_handler = false;
}

void rt_put_off(void *ctx, unsigned site, const void *record, size_t size)
{
	struct spilert *rt = ctx;
	struct rt_record waiting = { site, sp_malloc(size), size };

	memcpy(waiting.bytes, record, size);
	sp_vec_push(&rt->deferred, waiting);
	if (!rt->in_handler)
		run_rests(rt);
}

void rt_ask_iteration(void *ctx, const char *name)
{
	struct spilert *rt = ctx;

	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (rt->bundle->sites[i].kind == SP_SITE_ITER && sp_streq(bundle_text(rt->bundle, rt->bundle->sites[i].symbol), name))
			sp_vec_push(&rt->iterations, i);
}

// ---- a whole handler -------------------------------------------------------------------------------------------------

static struct sp_err *run_handler(struct spilert *rt, unsigned index, const struct vm_task *task, const void *regs,
				  size_t size)
{
	const struct sp_site *site = &rt->bundle->sites[index];
	uint64_t start = rt->is_timed ? sp_now_ns() : 0;
	struct sp_err *err;

	if (rt->watch.is_off[site->prog])
		return NULL;
	rt->in_handler = rt->ran_handler = true;
	err = vm_run(rt->vm, site->prog, index - rt->bundle->progs[site->prog].first_site, task, regs, size);
	if (rt->is_timed)
		timing_add(&rt->timing, site->prog, start);
	run_rests(rt);
	return err;
}

// User memory is the target's for handlers that run for no program, and without a target our own.
static int read_target(void *ctx, uint64_t addr, void *dst, size_t size)
{
	const struct spilert *rt = ctx;

	return read_memory(rt->target > 0 ? rt->target : getpid(), addr, dst, size);
}

void rt_own_task(struct spilert *rt, struct vm_task *ret)
{
	vm_task_self(ret);
	ret->read = read_target;
	ret->ctx = rt;
}

struct sp_err *rt_run_handler(struct spilert *rt, unsigned index)
{
	struct vm_task task;

	rt_own_task(rt, &task);
	return run_handler(rt, index, &task, NULL, 0);
}

void rt_process_handler(void *ctx, unsigned index, const struct vm_task *task, const void *regs, size_t size)
{
	struct spilert *rt = ctx;
	struct sp_err *err;

	if (rt_is_over(rt))
		return;
	rt->was_seen = true;
	err = run_handler(rt, index, task, regs, size);
	if (err) {
		rt_finish(rt, err);
		rt->failed = rt->ending = true;
	}
}

unsigned *rt_ordered_sites(const struct bundle *bundle, enum sp_site_kind kind, unsigned *n_ret)
{
	unsigned *order = sp_calloc(bundle->n_sites, sizeof(*order)), n = 0;

	// By insertion: few, and equal numbers keep the script's order.
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		unsigned at = n;

		if (bundle->sites[i].kind != kind)
			continue;
		for (; at > 0 && bundle->sites[order[at - 1]].args.session.order > bundle->sites[i].args.session.order; at--)
			order[at] = order[at - 1];
		order[at] = i;
		n++;
	}
	*n_ret = n;
	return order;
}
