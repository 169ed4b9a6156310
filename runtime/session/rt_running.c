// SPDX-License-Identifier: GPL-2.0-or-later
// process.begin for the processes that run already. Their handlers run here, when those of new processes are attached and nothing else
// is, so that no event comes before the begin of its process. A process that is about to return from its fork, or to leave the dynamic
// linker, is met here and by the probe: SP_RUNNING_GLOBAL.
#include "runtime/session/rt.h"

#include "runtime/base/cleanup.h"
#include "runtime/load/site.h"
#include "runtime/machine/image.h"
#include "runtime/ptrace/ptrace_proc.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct running {
	struct spilert *rt;
	unsigned n; // of them
};

static bool is_wanted(const struct spilert *rt, pid_t pid)
{
	if (!rt->target)
		return true;
	return rt->confined ? family_has(&rt->family, pid) : pid == rt->target;
}

static bool is_for(const struct spilert *rt, const struct sp_site *site, pid_t pid)
{
	return site->program == SP_NONE || image_runs(pid, bundle_text(rt->bundle, rt->bundle->objects[site->program].path));
}

static void describe(void *ctx, struct vm_task *task)
{
	(void)ctx;
	ptrace_proc_ids((pid_t)task->pid, task);
	ptrace_proc_stat((pid_t)task->tid, task);
}

// Threads of the kernel have no program, and a process that has ended has none any more.
static void begin(struct running *running, pid_t pid)
{
	struct spilert *rt = running->rt;
	struct vm_task task = { .pid = (uint32_t)pid, .tid = (uint32_t)pid, .read = rt_read_process, .describe = describe, .ctx = &task };
	bool any = false;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (!is_wanted(rt, pid) || access(path, F_OK))
		return;
	for (unsigned i = 0; i < rt->bundle->n_sites && !rt_is_over(rt); i++) {
		const struct sp_site *site = &rt->bundle->sites[i];

		if (site->kind != SP_SITE_RUNNING || !is_for(rt, site, pid))
			continue;
		any = true;
		rt_process_handler(rt, i, &task, NULL, 0);
	}
	running->n += any;
}

static struct sp_err *begin_all(struct running *running)
{
	DIR *dir = opendir("/proc");

	if (!dir)
		return sp_err_errno(errno, "cannot read /proc");
	for (struct dirent *entry; !rt_is_over(running->rt) && (entry = readdir(dir));)
		if (sp_proc_entry(entry->d_name))
			begin(running, sp_proc_entry(entry->d_name));
	closedir(dir);
	return NULL;
}

bool rt_has_running(const struct spilert *rt)
{
	for (unsigned i = 0; i < rt->bundle->n_sites; i++)
		if (rt->bundle->sites[i].kind == SP_SITE_RUNNING)
			return !rt->child.pid;
	return false;
}

static void set_running(struct spilert *rt, int64_t value)
{
	int64_t *global = rt_find_global(rt, SP_RUNNING_GLOBAL);

	if (global)
		__atomic_store_n(global, value, __ATOMIC_SEQ_CST);
}

void rt_running_open(struct spilert *rt)
{
	if (rt_has_running(rt))
		set_running(rt, 1);
}

void rt_running_close(struct spilert *rt)
{
	if (!rt->running_until || sp_now_ns() < rt->running_until)
		return;
	rt->running_until = 0;
	set_running(rt, 0);
}

struct sp_err *rt_begin_running(struct spilert *rt)
{
	struct running running = { .rt = rt };

	if (!rt->user_engine && !family_sees_kernel_pids()) {
		sp_log(&rt->log, SP_LOG_WARN, "process.begin leaves out processes that run already: handlers do not know the pids of this PID namespace");
		return NULL;
	}
	SP_TRY(begin_all(&running));
	rt->running_until = sp_now_ns() + SP_RUNNING_MS * 1000000ull;
	sp_log(&rt->log, SP_LOG_INFO, "process.begin: %u process%s that ran already", running.n, running.n == 1 ? "" : "es");
	transport_flush(&rt->transport);
	rt->ending = rt->ending || rt_is_over(rt);
	return NULL;
}
