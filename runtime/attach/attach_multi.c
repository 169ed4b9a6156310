// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/attach/attach_multi.h"

#include "runtime/attach/attach_apart.h"
#include "runtime/attach/attach_depth.h"
#include "runtime/attach/attach_kernel.h"
#include "runtime/attach/attach_user.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/load/site.h"
#include "runtime/machine/target.h"
#include "runtime/machine/tracefs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UPROBE_MULTI_RETURN 1u // BPF_F_UPROBE_MULTI_RETURN

// The sites of one link.
struct batch {
	unsigned prog;
	enum sp_site_kind kind;
	uint32_t object; // uprobes: the file that they are in
	SP_VEC(unsigned) sites;
};

static void batch_deinit(struct batch *batch)
{
	sp_vec_deinit(&batch->sites);
}

static bool is_of_kernel(enum sp_site_kind kind)
{
	return kind == SP_SITE_KPROBE || kind == SP_SITE_KRETPROBE;
}

// The link names functions by their addresses, because several may have one name. Not each kernel that has such links keeps a
// module loaded while it is in one, so functions of modules are left out. No such link takes a max_active.
static bool belongs_to(struct attach *attach, const struct sp_site *site, const struct batch *batch)
{
	uint64_t address;

	if (site->kind != batch->kind)
		return false;
	if (!is_of_kernel(batch->kind))
		return site->object == batch->object;
	return !site->section && !site->args.kernel.offset && !site->args.kernel.max_active && attach_kernel_address(attach, site, &address);
}

// The kernel finds a site's cookie by the address, so no address may be in the link twice.
static void collect(struct attach *attach, struct batch *batch)
{
	const struct bundle *bundle = attach->bundle;
	const struct sp_prog *prog = &bundle->progs[batch->prog];
	sp_cleanup(sp_hash_deinit) struct sp_hash seen = { 0 };

	for (unsigned i = prog->first_site; i < prog->first_site + prog->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];
		uint64_t where = is_of_kernel(batch->kind) ? site->args.kernel.linked : site->args.user.offset;
		void **place;

		if (attach->refused[i] || !belongs_to(attach, site, batch))
			continue;
		place = sp_hash_insert(&seen, &where, sizeof(where));
		if (*place)
			continue;
		*place = batch;
		sp_vec_push(&batch->sites, i);
	}
}

// Drops the functions that the kernel cannot trace.
static struct sp_err *drop_untraceable(struct attach *attach, struct batch *batch)
{
	const struct bundle *bundle = attach->bundle;
	sp_cleanup(sp_hash_deinit) struct sp_hash functions = { 0 };
	size_t n = 0;

	if (attach->tracefs < 0)
		SP_TRY(tracefs_open(&attach->tracefs));
	SP_TRY(tracefs_functions(attach->tracefs, &functions));
	sp_vec_each(site, &batch->sites)
		if (tracefs_can_trace(&functions, bundle_text(bundle, bundle->sites[*site].symbol)))
			batch->sites.v[n++] = *site;
	batch->sites.n = n;
	return NULL;
}

// Sites `first` to `first` + `n` of the batch.
struct part {
	const struct batch *batch;
	size_t first, n;
};

static unsigned site_of(const struct part *part, size_t i)
{
	return part->batch->sites.v[part->first + i];
}

static __u64 *cookies_of(const struct attach *attach, const struct part *part)
{
	__u64 *ret = sp_calloc(part->n, sizeof(*ret));

	for (size_t i = 0; i < part->n; i++)
		ret[i] = site_of(part, i) - attach->bundle->progs[part->batch->prog].first_site;
	return ret;
}

// Gives the link, or -1 and errno.
static int link_kprobes(struct attach *attach, const struct part *part, int program)
{
	sp_cleanup_free uint64_t *addresses = sp_calloc(part->n, sizeof(*addresses));
	sp_cleanup_free __u64 *cookies = cookies_of(attach, part);
	LIBBPF_OPTS(bpf_link_create_opts, opts);

	for (size_t i = 0; i < part->n; i++)
		attach_kernel_address(attach, &attach->bundle->sites[site_of(part, i)], &addresses[i]);
	opts.kprobe_multi.flags = part->batch->kind == SP_SITE_KRETPROBE ? BPF_F_KPROBE_MULTI_RETURN : 0;
	opts.kprobe_multi.cnt = (uint32_t)part->n;
	opts.kprobe_multi.addrs = (const unsigned long *)addresses;
	opts.kprobe_multi.cookies = cookies;
	return bpf_link_create(program, 0, BPF_TRACE_KPROBE_MULTI, &opts);
}

static int make_uprobes(void *ctx)
{
	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, ctx, sizeof(struct target_uprobe_multi));
}

static int link_uprobes(struct attach *attach, const struct part *part, int program)
{
	const struct bundle *bundle = attach->bundle;
	sp_cleanup_free uint64_t *offsets = sp_calloc(part->n, sizeof(*offsets));
	sp_cleanup_free uint64_t *counters = sp_calloc(part->n, sizeof(*counters));
	sp_cleanup_free __u64 *cookies = cookies_of(attach, part);
	struct target_uprobe_multi attr = { .prog_fd = (uint32_t)program, .attach_type = TARGET_UPROBE_MULTI,
					    .path = (uintptr_t)attach->files[part->batch->object].path, .offsets = (uintptr_t)offsets,
					    .cookies = (uintptr_t)cookies, .ref_ctr_offsets = (uintptr_t)counters,
					    .count = (uint32_t)part->n };

	for (size_t i = 0; i < part->n; i++) {
		offsets[i] = bundle->sites[site_of(part, i)].args.user.offset;
		counters[i] = bundle->sites[site_of(part, i)].args.user.semaphore;
	}
	attr.flags = part->batch->kind == SP_SITE_URETPROBE ? UPROBE_MULTI_RETURN : 0;
	return attach_apart_make(make_uprobes, &attr);
}

// A kprobe alone gets a plain link: that saves loading the program a second time.
static size_t least_sites(enum sp_site_kind kind)
{
	return is_of_kernel(kind) ? 2 : 1;
}

// Does the kernel say so when it has such links, but does not take one of the places?
static bool is_refusal(enum sp_site_kind kind, int error)
{
	return is_of_kernel(kind) ? error == EINVAL || error == ENOENT || error == ESRCH : attach_user_is_refusal(error);
}

static const char *hook_name(enum sp_site_kind kind)
{
	return kind == SP_SITE_KPROBE ? "kprobe.multi" :
	       kind == SP_SITE_KRETPROBE ? "kretprobe.multi" :
	       kind == SP_SITE_UPROBE ? "uprobe.multi" : "uretprobe.multi";
}

// At the entries of functions whose returns have a link.
static void count_deep(struct attach *attach, const struct part *part)
{
	struct batch entries = *part->batch;
	const struct part at = { &entries, part->first, part->n };
	int program, fd;

	entries.kind = SP_SITE_UPROBE;
	if (!attach_depth_load(attach, entries.prog, true, &program))
		return;
	fd = link_uprobes(attach, &at, program);
	close(program);
	if (fd >= 0)
		sp_vec_push(&attach->links, (struct attach_link){ .site = site_of(part, 0), .fd = fd });
}

static void keep_link(struct attach *attach, const struct part *part, int fd)
{
	if (part->batch->kind == SP_SITE_URETPROBE)
		count_deep(attach, part);
	sp_vec_push(&attach->links, (struct attach_link){ .site = site_of(part, 0), .fd = fd });
	for (size_t i = 0; i < part->n; i++)
		attach->hooks[site_of(part, i)] = hook_name(part->batch->kind);
}

// The kernel refuses a link as a whole, and does not tell because of which place: halves are tried, then their halves, until the
// refused ones are alone. Returns 0, or the errno value when trying further is of no use.
static int link_part(struct attach *attach, const struct part *part, int program)
{
	struct part half = { part->batch, part->first, part->n / 2 };
	int fd = is_of_kernel(part->batch->kind) ? link_kprobes(attach, part, program) : link_uprobes(attach, part, program);
	int error = fd < 0 ? errno : 0;

	if (!error)
		keep_link(attach, part, fd);
	if (!error || !is_refusal(part->batch->kind, error))
		return error;
	if (part->n == 1) {
		// A kprobe of its own can be where the links of many cannot.
		attach->refused[site_of(part, 0)] = is_of_kernel(part->batch->kind) ? 0 : error;
		return 0;
	}
	error = link_part(attach, &half, program);
	half = (struct part){ part->batch, part->first + half.n, part->n - half.n };
	return error ? error : link_part(attach, &half, program);
}

// The kernel has a list of the functions that it can trace. It is long, so it is only read after a refusal.
static struct sp_err *link_kernel_batch(struct attach *attach, struct batch *batch, int program)
{
	struct part all = { batch, 0, batch->sites.n };
	int fd = link_kprobes(attach, &all, program);

	if (fd >= 0) {
		keep_link(attach, &all, fd);
		return NULL;
	}
	if (!is_refusal(batch->kind, errno))
		return sp_err_errno(errno, "%s of %zu functions", hook_name(batch->kind), all.n);
	SP_TRY(drop_untraceable(attach, batch));
	if (batch->sites.n < least_sites(batch->kind))
		return sp_err_new(SP_ERR_NOT_FOUND, "the kernel traces %zu of %zu functions", batch->sites.n, all.n);
	all.n = batch->sites.n;
	errno = link_part(attach, &all, program);
	return errno ? sp_err_errno(errno, "%s of %zu functions", hook_name(batch->kind), all.n) : NULL;
}

// Moves the sites that the kernel may refuse to the front; gives their number.
static size_t suspects_first(const struct attach *attach, struct batch *batch)
{
	size_t n = 0;

	sp_vec_each(site, &batch->sites) {
		unsigned moved = *site;

		if (!attach->suspect[moved])
			continue;
		*site = batch->sites.v[n];
		batch->sites.v[n++] = moved;
	}
	return n;
}

// A refusal of many places takes a tenth of a second, in which the kernel takes them back. So after the first one, those that
// are likely to be its reason are tried alone. Returns 0, or the errno value.
static int link_user_batch(struct attach *attach, struct batch *batch, int program)
{
	struct part part = { batch, 0, batch->sites.n };
	size_t n_suspects = suspects_first(attach, batch);
	int fd = link_uprobes(attach, &part, program), error = fd < 0 ? errno : 0;

	if (!error)
		keep_link(attach, &part, fd);
	if (!error || !is_refusal(batch->kind, error))
		return error;
	error = 0;
	for (part.n = 1; part.first < n_suspects && !error; part.first++)
		error = link_part(attach, &part, program);
	part.n = batch->sites.n - n_suspects;
	return error || !part.n ? error : link_part(attach, &part, program);
}

static struct sp_err *link_batch(struct attach *attach, struct batch *batch)
{
	struct part all = { batch, 0, batch->sites.n };
	bool is_kernel = is_of_kernel(batch->kind);
	int program;

	SP_TRY(load_prog_multi(attach->load, batch->prog, is_kernel ? BPF_TRACE_KPROBE_MULTI : TARGET_UPROBE_MULTI, &program));
	if (is_kernel)
		return link_kernel_batch(attach, batch, program);
	SP_TRY(attach_user_open(attach, batch->object));
	attach_user_map(&attach->files[batch->object]);
	errno = link_user_batch(attach, batch, program);
	return errno ? sp_err_errno(errno, "%s of %zu functions", hook_name(batch->kind), all.n) : NULL;
}

static void attach_batch(struct attach *attach, unsigned prog, enum sp_site_kind kind, uint32_t object)
{
	sp_cleanup(batch_deinit) struct batch batch = { .prog = prog, .kind = kind, .object = object };
	sp_cleanup_free char *text = NULL;
	struct sp_err *err;

	collect(attach, &batch);
	if (batch.sites.n < least_sites(kind))
		return;
	err = link_batch(attach, &batch);
	if (!err)
		return;
	text = sp_err_text(err);
	sp_log(attach->log, SP_LOG_DEBUG, "each function gets a link of its own: %s", text);
	sp_err_free(err);
}

void attach_multi(struct attach *attach, unsigned prog, bool last_runs_first)
{
	const struct bundle *bundle = attach->bundle;
	enum sp_site_kind kind = last_runs_first ? SP_SITE_KPROBE : SP_SITE_KRETPROBE;

	if (!load_has_prog(attach->load, prog))
		return;
	if (!site_is_uprobe(&bundle->sites[bundle->progs[prog].first_site])) {
		attach_batch(attach, prog, kind, 0);
		return;
	}
	// The first kernels with uprobe.multi compared the id with the thread's, not with the process's.
	if (attach->pid || !last_runs_first || !load_has_uprobe_multi(attach->load))
		return;
	for (uint32_t i = 0; i < bundle->n_objects; i++) {
		attach_batch(attach, prog, SP_SITE_UPROBE, i);
		attach_batch(attach, prog, SP_SITE_URETPROBE, i);
	}
}
