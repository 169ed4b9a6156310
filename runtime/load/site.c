// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/load/site.h"

const char *site_hook_name(const struct sp_site *site)
{
	switch ((enum sp_site_kind)site->kind) {
	case SP_SITE_BEGIN:
		return "begin";
	case SP_SITE_END:
		return "end";
	case SP_SITE_ERROR:
		return "error";
	case SP_SITE_TIMER:
		return "timer";
	case SP_SITE_CONDITION:
		return "condition";
	case SP_SITE_KPROBE:
		return "kprobe";
	case SP_SITE_KRETPROBE:
		return "kretprobe";
	case SP_SITE_FENTRY:
	case SP_SITE_BPF:
		return "fentry";
	case SP_SITE_FEXIT:
	case SP_SITE_BPF_RETURN:
		return "fexit";
	case SP_SITE_UPROBE:
		return "uprobe";
	case SP_SITE_URETPROBE:
		return "uretprobe";
	case SP_SITE_RAW_TP:
		return "raw tracepoint";
	case SP_SITE_TP:
		return "tracepoint";
	case SP_SITE_SYSCALL:
		return "system call";
	case SP_SITE_PERF:
		return "perf event";
	case SP_SITE_WATCH:
		return "watchpoint";
	case SP_SITE_ITER:
		return "iterator";
	case SP_SITE_LSM:
		return "security hook";
	case SP_SITE_NETFILTER:
		return "netfilter hook";
	case SP_SITE_PROCFS:
		return "file";
	case SP_SITE_RUNNING:
		return "processes that run already";
	case SP_SITE_SAMPLE:
		return "perf.data";
	case SP_SITE_KIND_COUNT:
		break;
	}
	return "?";
}

// A kretprobe takes the return address at the function's entry, where the last one is the first; its handlers run when the
// addresses are taken back, in the other order.
bool site_last_runs_first(enum sp_site_kind kind)
{
	return kind == SP_SITE_KPROBE || kind == SP_SITE_FENTRY || kind == SP_SITE_FEXIT || kind == SP_SITE_UPROBE ||
	       kind == SP_SITE_URETPROBE || kind == SP_SITE_BPF || kind == SP_SITE_BPF_RETURN;
}

bool site_is_session(const struct sp_site *site)
{
	return site->kind == SP_SITE_BEGIN || site->kind == SP_SITE_END || site->kind == SP_SITE_ERROR ||
	       site->kind == SP_SITE_TIMER || site->kind == SP_SITE_CONDITION || site->kind == SP_SITE_PROCFS ||
	       site->kind == SP_SITE_RUNNING || site->kind == SP_SITE_SAMPLE;
}

bool site_is_process(const struct sp_site *site)
{
	return site_is_uprobe(site) || site->flags & SP_SITE_PROCESS;
}

bool site_is_uprobe(const struct sp_site *site)
{
	return site->kind == SP_SITE_UPROBE || site->kind == SP_SITE_URETPROBE;
}
