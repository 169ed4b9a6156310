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
#include "runtime/machine/insn.h"
#include "runtime/machine/target.h"
#include "runtime/machine/tracefs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COOKIE_HALF 32 // bits
#define SHARED "spile_shared"
#define UPROBE_MULTI_RETURN 1u // BPF_F_UPROBE_MULTI_RETURN

// The sites of one link.
struct batch {
	unsigned prog; // SP_NONE: each that can share a link
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
static void collect_of(struct attach *attach, struct batch *batch, unsigned index, struct sp_hash *seen)
{
	const struct bundle *bundle = attach->bundle;
	const struct sp_prog *prog = &bundle->progs[index];

	for (unsigned i = prog->first_site; i < prog->first_site + prog->n_sites; i++) {
		const struct sp_site *site = &bundle->sites[i];
		uint64_t where = is_of_kernel(batch->kind) ? site->args.kernel.linked : site->args.user.offset;
		void **place;

		if (attach->hooks[i] || attach->refused[i] || !belongs_to(attach, site, batch) ||
		    (is_of_kernel(batch->kind) && attach->suspect[i]))
			continue;
		place = sp_hash_insert(seen, &where, sizeof(where));
		if (*place)
			continue;
		*place = batch;
		sp_vec_push(&batch->sites, i);
	}
}

// A probe with a condition is detached alone.
static bool can_share(const struct attach *attach, unsigned prog)
{
	const struct sp_prog *p = &attach->bundle->progs[prog];

	return p->flags & SP_PROG_SHARES && !p->condition && load_prog_multi_fd(attach->load, prog) >= 0;
}

// Handlers of one place run in the order in which their links are attached. So all of a place share links, or none.
static void leave_out(const struct attach *attach, enum sp_site_kind kind, struct sp_hash *seen)
{
	for (unsigned i = 0; i < attach->bundle->n_sites; i++) {
		const struct sp_site *site = &attach->bundle->sites[i];

		if (site->kind == kind && (site->args.kernel.max_active || !can_share(attach, site->prog)))
			*sp_hash_insert(seen, &site->args.kernel.linked, sizeof(uint64_t)) = attach->load;
	}
}

static void collect(struct attach *attach, struct batch *batch)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash seen = { 0 };
	unsigned n = attach->bundle->n_progs;

	if (batch->prog != SP_NONE) {
		collect_of(attach, batch, batch->prog, &seen);
		return;
	}
	leave_out(attach, batch->kind, &seen);
	for (unsigned i = 0; i < n; i++) {
		unsigned prog = batch->kind == SP_SITE_KPROBE ? n - 1 - i : i;

		if (can_share(attach, prog))
			collect_of(attach, batch, prog, &seen);
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
		else
			attach->suspect[*site] = true;
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

	for (size_t i = 0; i < part->n; i++) {
		unsigned site = site_of(part, i), prog = attach->bundle->sites[site].prog;

		ret[i] = site - attach->bundle->progs[prog].first_site;
		if (part->batch->prog == SP_NONE)
			ret[i] |= (__u64)prog << COOKIE_HALF;
	}
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
	return attach_apart_make(make_uprobes, &attr, -1);
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
	sp_vec_push(&attach->links, (struct attach_link){ .site = site_of(part, 0), .is_shared = part->batch->prog == SP_NONE, .fd = fd });
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
		attach->suspect[site_of(part, 0)] = true;
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

static struct sp_err *load_shared(struct attach *attach)
{
	struct attach_shared *shared = &attach->shared;
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_KPROBE_MULTI);

	if (shared->program)
		return NULL;
	SP_TRY(attach_program_array(attach, attach->bundle->n_progs, &shared->array));
	const struct bpf_insn insns[] = { MOV_REG(BPF_REG_6, BPF_REG_1), CALL(BPF_FUNC_get_attach_cookie),
					  SHIFT_RIGHT(BPF_REG_0, COOKIE_HALF), MOV_REG(BPF_REG_1, BPF_REG_6),
					  MAP_FD(BPF_REG_2, shared->array), MOV_REG(BPF_REG_3, BPF_REG_0),
					  CALL(BPF_FUNC_tail_call), MOV(BPF_REG_0, 0), EXIT };

	shared->program = bpf_prog_load(BPF_PROG_TYPE_KPROBE, SHARED, "GPL", insns, SP_ARRAY_SIZE(insns), &opts);
	if (shared->program < 0) {
		shared->program = 0;
		return sp_err_errno(errno, "cannot load program %s for its link", SHARED);
	}
	sp_vec_push(&attach->ways, shared->program);
	return NULL;
}

// One that gives its function a result (bpf_override_return) is not taken.
static void put_programs(struct attach *attach, struct batch *batch)
{
	size_t n = 0;

	sp_vec_each(site, &batch->sites) {
		uint32_t prog = attach->bundle->sites[*site].prog;
		int fd = load_prog_multi_fd(attach->load, prog);

		if (bpf_map_update_elem(attach->shared.array, &prog, &fd, BPF_ANY))
			attach->suspect[*site] = true;
		else
			batch->sites.v[n++] = *site;
	}
	batch->sites.n = n;
}

static struct sp_err *link_batch(struct attach *attach, struct batch *batch)
{
	struct part all = { batch, 0, batch->sites.n };
	bool is_kernel = is_of_kernel(batch->kind);
	int program;

	if (batch->prog == SP_NONE) {
		SP_TRY(load_shared(attach));
		put_programs(attach, batch);
		return batch->sites.n ? link_kernel_batch(attach, batch, attach->shared.program) : NULL;
	}
	SP_TRY(load_prog_multi(attach->load, batch->prog, is_kernel ? BPF_TRACE_KPROBE_MULTI : TARGET_UPROBE_MULTI, &program));
	if (is_kernel)
		return link_kernel_batch(attach, batch, program);
	SP_TRY(attach_user_open(attach, batch->object));
	attach_user_map(&attach->files[batch->object]);
	errno = link_user_batch(attach, batch, program);
	return errno ? sp_err_errno(errno, "%s of %zu functions", hook_name(batch->kind), all.n) : NULL;
}

// Returns whether there was something to attach, and nothing keeps from trying more.
static bool attach_batch(struct attach *attach, unsigned prog, enum sp_site_kind kind, uint32_t object)
{
	sp_cleanup(batch_deinit) struct batch batch = { .prog = prog, .kind = kind, .object = object };
	sp_cleanup_free char *text = NULL;
	struct sp_err *err;

	collect(attach, &batch);
	if (batch.sites.n < least_sites(kind))
		return false;
	err = link_batch(attach, &batch);
	if (!err)
		return true;
	text = sp_err_text(err);
	sp_log(attach->log, SP_LOG_DEBUG, "each function gets a link of its own: %s", text);
	sp_err_free(err);
	return false;
}

// Of a place that has several handlers, one is in each link.
void attach_multi_shared(struct attach *attach, bool last_runs_first)
{
	if (!load_shares_link(attach->load) || attach->measured.is_wanted) // programs behind a jump are not measured
		return;
	while (attach_batch(attach, SP_NONE, last_runs_first ? SP_SITE_KPROBE : SP_SITE_KRETPROBE, 0))
		;
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
