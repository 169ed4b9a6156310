// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/session/account.h"

#include "runtime/attach/attach_depth.h"
#include "runtime/base/buf.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/json.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// struct bpf_link_info of a link on a kprobe event, or on many kprobes: the parts with `missed` came with Linux 6.7.
struct link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct {
			uint32_t event_type, pad;
			uint64_t func_name; // where to put the name: 0, not wanted
			uint32_t name_len, offset;
			uint64_t addr, missed, cookie;
		} event;
		struct {
			uint64_t addrs; // where to put them: 0, not wanted
			uint32_t count, flags;
			uint64_t missed, cookies;
		} multi;
	};
};

#define LINK_TYPE_PERF_EVENT 7 // BPF_LINK_TYPE_PERF_EVENT
#define LINK_TYPE_KPROBE_MULTI 8 // BPF_LINK_TYPE_KPROBE_MULTI
#define EVENT_KPROBE 3 // BPF_PERF_EVENT_KPROBE
#define EVENT_KRETPROBE 4 // BPF_PERF_EVENT_KRETPROBE

// What the kernel tells.
enum { TAKEN_RECURSION, TAKEN_MISSED, TAKEN_DEEP, N_TAKEN };

static uint64_t *taken(const struct account *account, unsigned kind, unsigned prog)
{
	return account->taken + kind * (account->bundle->n_progs + 1) + prog;
}

void account_init(struct account *account, const struct bundle *bundle)
{
	account->bundle = bundle;
	account->taken = sp_calloc(N_TAKEN * (bundle->n_progs + 1), sizeof(*account->taken));
}

void account_deinit(struct account *account)
{
	free(account->taken);
}

// `fd` may be -1: there is no link.
static uint64_t prog_recursions(int fd)
{
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	// The field came with Linux 5.12; an older kernel leaves it 0.
	return bpf_obj_get_info_by_fd(fd, &info, &size) ? 0 : info.recursion_misses;
}

static uint64_t link_missed(int fd)
{
	struct link_info info = { 0 };
	union bpf_attr attr = { 0 };

	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) || attr.info.info_len < sizeof(info))
		return 0;
	if (info.type == LINK_TYPE_KPROBE_MULTI)
		return info.multi.missed;
	if (info.type == LINK_TYPE_PERF_EVENT &&
	    (info.event.event_type == EVENT_KPROBE || info.event.event_type == EVENT_KRETPROBE))
		return info.event.missed;
	return 0;
}

void account_take(struct account *account, const struct attach *attach, const struct attach_part *part)
{
	sp_vec_each(link, &attach->links) {
		unsigned prog = link->is_shared ? account->bundle->n_progs : attach->bundle->sites[link->site].prog;

		if (!attach_is_in(attach, part, link->site))
			continue;
		*taken(account, TAKEN_RECURSION, prog) = prog_recursions(link->is_shared ? attach->shared.program : load_prog_fd(attach->load, prog)) +
							 prog_recursions(link->is_shared ? -1 : load_prog_multi_fd(attach->load, prog));
		*taken(account, TAKEN_MISSED, prog) += link_missed(link->fd);
	}
	attach_depth_take(attach, taken(account, TAKEN_DEEP, 0));
}

void account_add(struct account *account, const struct account *other)
{
	for (unsigned i = 0; i < N_TAKEN * (account->bundle->n_progs + 1); i++)
		account->taken[i] += other->taken[i];
}

struct kind {
	const char *word;
	enum sp_log_level level;
	const char *noun, *verb, *why;
};

static void report(const struct account *account, const struct sp_log *log, unsigned index, uint64_t count,
		   const struct kind *kind)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf points = { 0 };

	if (!count)
		return;
	bundle_put_points(account->bundle, index, &points);
	sp_log(log, kind->level, "%" PRIu64 " %s%s of %s %s %s (%s)", count, kind->noun, count == 1 ? "" : "s",
	       sp_buf_str(&points), count == 1 ? "was" : "were", kind->verb, kind->why);
}

static uint64_t losses(const struct account *account, const void *data, enum sp_loss loss, unsigned prog)
{
	const uint8_t *counts = (const uint8_t *)data + account->bundle->head->losses_offset;
	uint64_t count;

	if (prog == account->bundle->n_progs)
		return 0;
	memcpy(&count, counts + ((uint64_t)loss * account->bundle->n_progs + prog) * sizeof(count), sizeof(count));
	return count;
}

// SystemTap's line. "skipped" counts events whose handler did not run, or not to its end.
static void report_sums(const struct account *account, const void *data, uint64_t errors, const struct sp_log *log)
{
	uint64_t skipped = 0;

	for (unsigned i = 0; i <= account->bundle->n_progs; i++)
		skipped += losses(account, data, SP_LOSS_NESTED, i) + losses(account, data, SP_LOSS_BUSY, i) +
			   losses(account, data, SP_LOSS_PAUSED, i) +
			   *taken(account, TAKEN_RECURSION, i) + *taken(account, TAKEN_MISSED, i) + *taken(account, TAKEN_DEEP, i);
	if (errors || skipped)
		sp_log(log, SP_LOG_WARN, "Number of errors: %" PRIu64 ", skipped probes: %" PRIu64, errors, skipped);
}

enum { KIND_RECURSION = SP_LOSS_COUNT, KIND_MISSED, KIND_DEEP, KIND_UNREAD, N_KINDS }; // the first three as in `taken`

// A return whose entry was not kept was in most cases entered before the script was attached, which is no loss.
static const struct kind kinds[N_KINDS] = {
	[SP_LOSS_DROPPED] = { "ring-buffer", SP_LOG_WARN, "event", "lost", "the ring buffer was full: -s MB makes it larger" },
	[SP_LOSS_NESTED] = { "nested", SP_LOG_WARN, "event", "lost", "handlers nested too deeply" },
	[SP_LOSS_BUSY] = { "locked", SP_LOG_WARN, "event", "skipped", "another handler had the lock: -D MAXTRYLOCK=N waits longer" },
	[SP_LOSS_CUT] = { "cut-string", SP_LOG_WARN, "string", "cut", "-D MAXSTRINGLEN=N makes room" },
	[SP_LOSS_ABSENT] = { "unreadable-string", SP_LOG_WARN, "string", "left empty", "nothing could be read at its address" },
	[SP_LOSS_UNKEPT] = { "unknown-entry", SP_LOG_INFO, "event", "passed over",
			     "the function was entered before the script began, or its "
			     "entry or the record of the tracepoint is not known any more: -D MAXMAPENTRIES=N keeps more" },
	[SP_LOSS_PAUSED] = { "paused", SP_LOG_WARN, "event", "skipped", "the handlers took more than --max-overhead" },
	[SP_LOSS_STACK] = { "deep-stack", SP_LOG_WARN, "stack", "cut", "the innermost 127 functions are kept" },
	[KIND_RECURSION] = { "recursion", SP_LOG_WARN, "event", "lost", "the handler was running already" },
	[KIND_MISSED] = { "missed", SP_LOG_WARN, "event", "lost", "no free return instance, or a probe inside of a probe" },
	[KIND_DEEP] = { "deep-call", SP_LOG_WARN, "event", "lost",
			"the kernel sees returns of 64 nested calls of a thread: --engine=user sees all" },
	[KIND_UNREAD] = { "unread-output", SP_LOG_WARN, "piece", "lost", "the output was not read" },
};

const char *account_kind(unsigned kind)
{
	return kind < N_KINDS ? kinds[kind].word : NULL;
}

uint64_t account_count(const struct account *account, const void *data, const uint64_t *dropped, unsigned prog, unsigned kind)
{
	return kind < SP_LOSS_COUNT ? losses(account, data, (enum sp_loss)kind, prog) :
	       kind < KIND_UNREAD ? *taken(account, kind - KIND_RECURSION, prog) :
	       prog < account->bundle->n_progs ? dropped[prog] : 0;
}

static void put_json(struct sp_buf *out, const struct account *account, unsigned prog, const struct kind *kind, uint64_t count)
{
	sp_cleanup(sp_buf_deinit) struct sp_buf points = { 0 };

	bundle_put_points(account->bundle, prog, &points);
	sp_json_begin(out, NULL, '{');
	sp_json_text(out, "type", "loss");
	sp_json_text(out, "kind", kind->word);
	sp_json_text(out, "probe", sp_buf_str(&points));
	sp_json_unsigned(out, "count", count);
	sp_json_text(out, "text", kind->why);
	sp_json_end(out, '}');
	sp_buf_putc(out, '\n');
}

void account_put_json(struct sp_buf *out, const struct account *account, const void *data, const uint64_t *dropped)
{
	for (unsigned i = 0; i <= account->bundle->n_progs; i++) {
		for (unsigned kind = 0; kind < N_KINDS; kind++) {
			uint64_t count = account_count(account, data, dropped, i, kind);

			if (count)
				put_json(out, account, i, &kinds[kind], count);
		}
	}
}

void account_report(const struct account *account, const void *data, const uint64_t *dropped, uint64_t errors,
		    const struct sp_log *log)
{
	report_sums(account, data, errors, log);
	for (unsigned i = 0; i <= account->bundle->n_progs; i++)
		for (unsigned kind = 0; kind < N_KINDS; kind++)
			report(account, log, i, account_count(account, data, dropped, i, kind), &kinds[kind]);
}
