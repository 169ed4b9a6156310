// SPDX-License-Identifier: GPL-2.0-or-later
// When all probes are attached and the command runs, the session gives up what it does not need any more. What it needs is in the
// object's tables and the options.
#include "runtime/abi/uservm.h"
#include "runtime/machine/sandbox.h"
#include "runtime/machine/tracefs.h"
#include "runtime/session/rt.h"

// Builds that watch themselves make other system calls.
#ifdef SP_NO_SANDBOX
#define CAN_FILTER false
#else
#define CAN_FILTER true
#endif

static bool has_format(const struct bundle *bundle, enum sp_format_kind kind)
{
	for (unsigned i = 0; i < bundle->n_formats; i++)
		if (bundle->formats[i].kind == kind)
			return true;
	return false;
}

// Commands, and the programs that mount file systems, get what the user has.
bool rt_runs_commands(const struct spilert *rt)
{
	return has_format(rt->bundle, SP_FORMAT_SYSTEM) || rt_files_fd(rt) >= 0;
}

static bool takes_locks(const struct bundle *bundle)
{
	for (unsigned i = 0; i < bundle->n_user; i++)
		if (bundle->user[i].code == (BPF_JMP | BPF_CALL) && !bundle->user[i].src_reg && bundle->user[i].imm == SP_VM_LOCK)
			return true;
	return false;
}

// Probes with a condition make their events later.
static bool makes_events(const struct bundle *bundle)
{
	for (unsigned i = 0; i < bundle->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];

		if ((site->kind == SP_SITE_KPROBE || site->kind == SP_SITE_KRETPROBE) && site->args.kernel.max_active)
			return true;
	}
	return false;
}

static unsigned needs_of(const struct spilert *rt)
{
	unsigned needs = 0;

	if (rt->load && (rt->programs.n || rt->modules.n || rt->conditions.n || rt->web || rt->opts.watch))
		needs |= SANDBOX_ATTACH;
	if (rt->uevents_fd >= 0 && rt_is_per_cpu(rt))
		needs |= SANDBOX_SAMPLE;
	if (rt->ptrace)
		needs |= SANDBOX_TRACE | SANDBOX_READ | SANDBOX_WRITE; // /proc/PID/mem of children
	if (rt->unwind || rt->bundle->n_user || rt_names_addresses(rt) || rt->data_before)
		needs |= SANDBOX_READ;
	if (makes_events(rt->bundle) || has_format(rt->bundle, SP_FORMAT_KERNEL_LOG) || has_format(rt->bundle, SP_FORMAT_TRACE_MARKER))
		needs |= SANDBOX_WRITE; // tracefs, /dev/kmsg
	if (rt->rotation)
		needs |= SANDBOX_WRITE | SANDBOX_REMOVE; // the next file, and the oldest one
	if (rt->child.pid || rt->ptrace) // the command; raise()
		needs |= SANDBOX_KILL;
	if (rt->load && takes_locks(rt->bundle))
		needs |= SANDBOX_RAISE;
	return needs;
}

struct confining {
	unsigned needs;
	struct sp_err *err;
};

static void confine(void *ctx)
{
	struct confining *c = ctx;

	sandbox_drop_capabilities(c->needs & ~(unsigned)SANDBOX_REMOVE);
	if (CAN_FILTER)
		c->err = sandbox_filter(c->needs);
}

// Debug information may be far away (debuginfod), and what was found is kept in caches.
static const char *why_kept(const struct spilert *rt)
{
	return rt_runs_commands(rt)			   ? "the script has commands or files"
	       : rt->opts.frames && rt_names_addresses(rt) ? "debug information names addresses"
							   : NULL;
}

struct sp_err *rt_sandbox(struct spilert *rt)
{
	struct confining c = { .needs = needs_of(rt) };
	const char *why = why_kept(rt);

	if (!rt->opts.sandbox)
		return NULL;
	if (why) {
		sp_log(&rt->log, SP_LOG_INFO, "privileges are kept: %s", why);
		return NULL;
	}
	vm_prepare(rt->vm);
	if ((rt->conditions.n || rt->modules.n) && rt->attach.tracefs < 0) // it may have to be mounted
		sp_err_free(tracefs_open(&rt->attach.tracefs));
	if (rt->tracer)
		tracer_call(rt->tracer, confine, &c);
	sandbox_drop_capabilities(c.needs & ~(unsigned)SANDBOX_REMOVE); // which the writer does
	if (!rt->tracer)
		confine(&c);
	if (c.err)
		return c.err;
	sp_log(&rt->log, SP_LOG_INFO, "privileges were given up, but those to%s%s%s%s%s%s",
	       c.needs & SANDBOX_ATTACH ? " attach probes," : "", c.needs & SANDBOX_SAMPLE ? " sample on new processors," : "", c.needs & SANDBOX_TRACE ? " write to the target," : "",
	       c.needs & SANDBOX_READ ? " read of other processes," : "", c.needs & SANDBOX_RAISE ? " hold locks in one go," : "",
	       " use arrays in the kernel");
	return NULL;
}
