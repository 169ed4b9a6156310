// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE // syscall

#include "runtime/attach/attach_multi.h"

#include "runtime/attach/attach_kernel.h"
#include "runtime/base/cleanup.h"
#include "runtime/base/hash.h"
#include "runtime/machine/privilege.h"
#include "runtime/load/site.h"
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

// union bpf_attr of BPF_LINK_CREATE for many uprobes, which the headers of older systems do not have.
struct uprobe_multi_attr {
	uint32_t prog_fd, target_fd, attach_type, link_flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, flags, pid, reserved;
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
// module loaded while it is in one, so functions of modules are left out.
static bool belongs_to(struct attach *attach, const struct sp_site *site, const struct batch *batch)
{
	uint64_t address;

	if (site->kind != batch->kind)
		return false;
	if (!is_of_kernel(batch->kind))
		return site->object == batch->object;
	return !site->section && !site->args.kernel.offset && attach_kernel_address(attach, site, &address);
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

		if (!belongs_to(attach, site, batch))
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

// *refused_ret is set when the kernel has such links, but does not take one of the functions.
static struct sp_err *link_batch(struct attach *attach, const struct batch *batch, int *fd_ret, bool *refused_ret)
{
	const struct bundle *bundle = attach->bundle;
	sp_cleanup_free uint64_t *addresses = sp_calloc(batch->sites.n, sizeof(*addresses));
	sp_cleanup_free __u64 *cookies = sp_calloc(batch->sites.n, sizeof(*cookies));
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int prog_fd, fd;

	*refused_ret = false;
	SP_TRY(load_prog_multi(attach->load, batch->prog, BPF_TRACE_KPROBE_MULTI, &prog_fd));
	for (size_t i = 0; i < batch->sites.n; i++) {
		attach_kernel_address(attach, &bundle->sites[batch->sites.v[i]], &addresses[i]);
		cookies[i] = batch->sites.v[i] - bundle->progs[batch->prog].first_site;
	}
	opts.kprobe_multi.flags = batch->kind == SP_SITE_KRETPROBE ? BPF_F_KPROBE_MULTI_RETURN : 0;
	opts.kprobe_multi.cnt = (uint32_t)batch->sites.n;
	opts.kprobe_multi.addrs = (const unsigned long *)addresses;
	opts.kprobe_multi.cookies = cookies;
	fd = bpf_link_create(prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);
	if (fd >= 0) {
		*fd_ret = fd;
		return NULL;
	}
	*refused_ret = fd == -EINVAL || fd == -ENOENT || fd == -ESRCH;
	return sp_err_errno(-fd, "kprobe.multi of %zu functions", batch->sites.n);
}

// A single site gets a plain link: that saves loading the program a second time. Not so one of many uprobes, or one without
// CAP_SYS_ADMIN, which plain uprobes need and these links do not.
static size_t least_sites(const struct attach *attach, enum sp_site_kind kind)
{
	return is_of_kernel(kind) || (privilege_is_admin() && !load_has_many_uprobes(attach->load)) ? 2 : 1;
}

// If one function cannot be traced, the kernel refuses the whole link. The list of functions that can be traced is
// long, so it is only read after a refusal.
static struct sp_err *link_traceable(struct attach *attach, struct batch *batch, int *fd_ret)
{
	size_t n = batch->sites.n;
	bool refused;
	struct sp_err *err = link_batch(attach, batch, fd_ret, &refused);

	if (!refused)
		return err;
	sp_err_free(err);
	SP_TRY(drop_untraceable(attach, batch));
	if (batch->sites.n < least_sites(attach, batch->kind))
		return sp_err_new(SP_ERR_NOT_FOUND, "the kernel traces %zu of %zu functions", batch->sites.n, n);
	return link_batch(attach, batch, fd_ret, &refused);
}

static struct sp_err *link_uprobes(struct attach *attach, const struct batch *batch, int *fd_ret)
{
	const struct bundle *bundle = attach->bundle;
	sp_cleanup_free uint64_t *offsets = sp_calloc(batch->sites.n, sizeof(*offsets));
	sp_cleanup_free uint64_t *cookies = sp_calloc(batch->sites.n, sizeof(*cookies));
	sp_cleanup_free uint64_t *counters = sp_calloc(batch->sites.n, sizeof(*counters));
	const char *path = bundle_text(bundle, bundle->objects[batch->object].path);
	struct uprobe_multi_attr attr = { .attach_type = LOAD_UPROBE_MULTI, .path = (uintptr_t)path,
					  .offsets = (uintptr_t)offsets, .cookies = (uintptr_t)cookies,
					  .ref_ctr_offsets = (uintptr_t)counters,
					  .count = (uint32_t)batch->sites.n };
	int prog_fd;

	SP_TRY(load_prog_multi(attach->load, batch->prog, LOAD_UPROBE_MULTI, &prog_fd));
	for (size_t i = 0; i < batch->sites.n; i++) {
		offsets[i] = bundle->sites[batch->sites.v[i]].args.user.offset;
		counters[i] = bundle->sites[batch->sites.v[i]].args.user.semaphore;
		cookies[i] = batch->sites.v[i] - bundle->progs[batch->prog].first_site;
	}
	attr.prog_fd = (uint32_t)prog_fd;
	attr.flags = batch->kind == SP_SITE_URETPROBE ? UPROBE_MULTI_RETURN : 0;
	*fd_ret = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return *fd_ret >= 0 ? NULL : sp_err_errno(errno, "uprobe.multi of %zu functions", batch->sites.n);
}

static const char *hook_name(enum sp_site_kind kind)
{
	return kind == SP_SITE_KPROBE ? "kprobe.multi" :
	       kind == SP_SITE_KRETPROBE ? "kretprobe.multi" :
	       kind == SP_SITE_UPROBE ? "uprobe.multi" : "uretprobe.multi";
}

static void attach_batch(struct attach *attach, unsigned prog, enum sp_site_kind kind, uint32_t object)
{
	sp_cleanup(batch_deinit) struct batch batch = { .prog = prog, .kind = kind, .object = object };
	sp_cleanup_free char *text = NULL;
	struct sp_err *err;
	int fd;

	collect(attach, &batch);
	if (batch.sites.n < least_sites(attach, kind))
		return;
	err = is_of_kernel(kind) ? link_traceable(attach, &batch, &fd) : link_uprobes(attach, &batch, &fd);
	if (err) {
		text = sp_err_text(err);
		sp_log(attach->log, SP_LOG_DEBUG, "each function gets a link of its own: %s", text);
		sp_err_free(err);
		return;
	}
	sp_vec_push(&attach->links, (struct attach_link){ .site = batch.sites.v[0], .fd = fd });
	sp_vec_each(site, &batch.sites)
		attach->hooks[*site] = hook_name(kind);
}

static bool has_uprobes(const struct bundle *bundle, const struct sp_prog *prog)
{
	for (unsigned i = prog->first_site; i < prog->first_site + prog->n_sites; i++)
		if (site_is_uprobe(&bundle->sites[i]))
			return true;
	return false;
}

void attach_multi(struct attach *attach, unsigned prog, bool last_runs_first)
{
	const struct bundle *bundle = attach->bundle;
	enum sp_site_kind kind = last_runs_first ? SP_SITE_KPROBE : SP_SITE_KRETPROBE;

	if (!load_has_prog(attach->load, prog))
		return;
	// The first kernels with uprobe.multi compared the id with the thread's, not with the process's.
	if (has_uprobes(bundle, &bundle->progs[prog])) {
		for (uint32_t i = 0; i < bundle->n_objects && !attach->pid && last_runs_first; i++) {
			attach_batch(attach, prog, SP_SITE_UPROBE, i);
			attach_batch(attach, prog, SP_SITE_URETPROBE, i);
		}
		return;
	}
	attach_batch(attach, prog, kind, 0);
}
