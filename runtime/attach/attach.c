// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/attach/attach.h"

#include "runtime/attach/attach_active.h"
#include "runtime/attach/attach_apart.h"
#include "runtime/attach/attach_depth.h"
#include "runtime/attach/attach_kernel.h"
#include "runtime/attach/attach_syscall.h"
#include "runtime/attach/attach_user.h"
#include "runtime/attach/attach_watch.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/privilege.h"
#include "runtime/load/site.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_OF_EACH 2 // a site has a perf event and its link, a program may have one more that is attached
#define OTHER_FILES 1024

void attach_want_files(const struct bundle *bundle)
{
	rlim_t wanted = ((rlim_t)bundle->n_sites + bundle->n_progs + bundle->n_objects) * FILES_OF_EACH + OTHER_FILES;
	struct rlimit limit, more;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	more = (struct rlimit){ wanted, SP_MAX(limit.rlim_max, wanted) };
	if (setrlimit(RLIMIT_NOFILE, &more) == 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void attach_init(struct attach *attach, const struct bundle *bundle, struct load *load, const struct sp_log *log,
		 pid_t pid)
{
	*attach = (struct attach){ .bundle = bundle, .load = load, .log = log, .pid = pid, .tracefs = -1,
				   .layout = attach->layout };
	attach->hooks = sp_calloc(bundle->n_sites, sizeof(*attach->hooks));
	attach->refused = sp_calloc(bundle->n_sites, sizeof(*attach->refused));
	attach->suspect = sp_calloc(bundle->n_sites, sizeof(*attach->suspect));
	attach->files = sp_calloc(bundle->n_objects, sizeof(*attach->files));
	for (uint32_t i = 0; i < bundle->n_objects; i++)
		attach->files[i].fd = -1;
	attach_user_protect(attach);
}

void attach_settle(struct attach *attach)
{
	for (uint32_t i = 0; attach->files && i < attach->bundle->n_objects; i++)
		attach_user_close(&attach->files[i]);
	layout_deinit(&attach->layout);
}

void attach_deinit(struct attach *attach)
{
	attach_detach(attach, NULL, NULL);
	attach_settle(attach);
	sp_vec_deinit(&attach->links);
	sp_vec_deinit(&attach->watches);
	attach_depth_deinit(attach);
	sp_vec_deinit(&attach->others);
	sp_vec_deinit(&attach->active);
	if (attach->tracefs >= 0)
		close(attach->tracefs);
	attach->tracefs = -1;
	attach_times_deinit(attach);
	free(attach->files);
	attach->files = NULL;
	free(attach->suspect);
	attach->suspect = NULL;
	free(attach->refused);
	attach->refused = NULL;
	free(attach->hooks);
	attach->hooks = NULL;
}

struct sp_err *attach_program_array(struct attach *attach, unsigned n, int *ret)
{
	*ret = bpf_map_create(BPF_MAP_TYPE_PROG_ARRAY, "spile_progs", sizeof(uint32_t), sizeof(uint32_t), n, NULL);
	if (*ret < 0)
		return sp_err_errno(errno, "cannot make a table");
	sp_vec_push(&attach->others, *ret);
	return NULL;
}

struct to_close {
	SP_VEC(int) fds;
	bool has_uprobes;
};

static void add_link(struct to_close *to, const struct attach *attach, const struct attach_link *link)
{
	sp_vec_push(&to->fds, link->fd);
	to->has_uprobes |= site_is_uprobe(&attach->bundle->sites[link->site]);
}

void attach_detach(struct attach *attach, void (*wait)(void *ctx, size_t n_left), void *ctx)
{
	const struct attach_part all = { SP_NONE, SP_NONE };
	struct to_close to = { 0 };

	sp_vec_each(link, &attach->links)
		add_link(&to, attach, link);
	sp_vec_each(fd, &attach->others)
		sp_vec_push(&to.fds, *fd);
	attach_apart_close(to.fds.v, to.fds.n, to.has_uprobes, wait, ctx);
	sp_vec_deinit(&to.fds);
	attach->links.n = attach->others.n = 0;
	attach_active_remove(attach, &all);
	attach_syscalls_deinit(attach);
	attach->shared.program = 0;
}

bool attach_is_in(const struct attach *attach, const struct attach_part *part, unsigned site)
{
	const struct sp_site *s = &attach->bundle->sites[site];

	return (part->prog == SP_NONE || s->prog == part->prog) && (part->object == SP_NONE || s->object == part->object);
}

void attach_detach_part(struct attach *attach, const struct attach_part *part)
{
	struct to_close to = { 0 };
	size_t n = 0;

	sp_vec_each(link, &attach->links) {
		if (attach_is_in(attach, part, link->site))
			add_link(&to, attach, link);
		else
			attach->links.v[n++] = *link;
	}
	attach->links.n = n;
	attach_apart_close(to.fds.v, to.fds.n, to.has_uprobes, NULL, NULL);
	attach_active_remove(attach, part);
	sp_vec_deinit(&to.fds);
	for (unsigned i = 0; i < attach->bundle->n_sites; i++)
		if (attach_is_in(attach, part, i))
			attach->hooks[i] = NULL;
}

static bool is_in_program(const struct bundle *bundle, const struct sp_site *site)
{
	return site->object != SP_NONE && bundle->objects[site->object].kind == SP_OBJECT_PROGRAM;
}

// At the entry of a function whose return has a link.
static void count_deep(struct attach *attach, unsigned index)
{
	struct sp_site entry = attach->bundle->sites[index];
	int program, fd = -1;

	entry.kind = SP_SITE_UPROBE;
	if (!attach_depth_load(attach, entry.prog, false, &program))
		return;
	sp_err_free(attach_user_uprobe(attach, &entry, program, 0, &fd));
	close(program);
	if (fd >= 0)
		sp_vec_push(&attach->links, (struct attach_link){ .site = index, .fd = fd });
}

// Gives the site's link; leaves it -1 when the function has pushed its links to `attach` itself. `cpu` -1: all processors.
static struct sp_err *attach_by_kind(struct attach *attach, unsigned index, int program, uint64_t cookie, int cpu, int *fd_ret)
{
	const struct sp_site *site = &attach->bundle->sites[index];

	switch ((enum sp_site_kind)site->kind) {
	case SP_SITE_KPROBE:
	case SP_SITE_KRETPROBE:
		if (site->args.kernel.max_active)
			return attach_active(attach, site, program, cookie, fd_ret);
		return attach_kernel_kprobe(attach, site, program, cookie, fd_ret);
	case SP_SITE_FENTRY:
	case SP_SITE_FEXIT:
	case SP_SITE_BPF:
	case SP_SITE_BPF_RETURN:
		return attach_kernel_trampoline(attach, site, program, fd_ret);
	case SP_SITE_LSM:
		return attach_kernel_lsm(attach, site, program, fd_ret);
	case SP_SITE_UPROBE:
	case SP_SITE_URETPROBE:
		return attach_user_uprobe(attach, site, program, cookie, fd_ret);
	case SP_SITE_RAW_TP:
		return attach_kernel_raw_tp(attach, site, program, fd_ret);
	case SP_SITE_TP:
		return attach_kernel_tp(attach, site, program, cookie, fd_ret);
	case SP_SITE_SYSCALL:
		return attach_syscall(attach, site, program);
	case SP_SITE_PERF:
		return attach_kernel_event(attach, index, program, cookie, cpu);
	case SP_SITE_WATCH:
		return is_in_program(attach->bundle, site) ? attach_watch(attach, index, program, cookie) :
							     attach_kernel_event(attach, index, program, cookie, cpu);
	case SP_SITE_NETFILTER:
		return attach_kernel_netfilter(attach, site, program, fd_ret);
	case SP_SITE_ITER:
		return attach_kernel_iter(attach, site, program, fd_ret);
	case SP_SITE_BEGIN:
	case SP_SITE_END:
	case SP_SITE_ERROR:
	case SP_SITE_TIMER:
	case SP_SITE_CONDITION:
	case SP_SITE_PROCFS:
	case SP_SITE_RUNNING:
	case SP_SITE_SAMPLE:
	case SP_SITE_KIND_COUNT:
		break;
	}
	return sp_err_bug("a site that is not the kernel's");
}

static struct sp_err *wrap(const struct bundle *bundle, const struct sp_site *site, struct sp_err *err)
{
	return sp_err_wrap(err, "cannot attach probe %s (%s)", bundle_text(bundle, site->point),
			   site_hook_name(site));
}

static struct sp_err *attach_to(struct attach *attach, unsigned index, int cpu, int *fd_ret)
{
	const struct bundle *bundle = attach->bundle;
	const struct sp_site *site = &bundle->sites[index];
	int program = -1;
	struct sp_err *err = load_prog(attach->load, site->prog, &program);

	if (!err)
		err = attach_by_kind(attach, index, program, index - bundle->progs[site->prog].first_site, cpu, fd_ret);
	return err ? wrap(bundle, site, err) : NULL;
}

struct sp_err *attach_site(struct attach *attach, unsigned index)
{
	const struct bundle *bundle = attach->bundle;
	const struct sp_site *site = &bundle->sites[index];
	int fd = -1;

	if (attach->hooks[index] || !load_has_prog(attach->load, site->prog))
		return NULL; // or optional, and refused by the verifier
	if (attach->refused[index])
		return wrap(bundle, site, attach_user_explain(bundle, site, attach->refused[index]));
	SP_TRY(attach_to(attach, index, -1, &fd));
	if (fd >= 0)
		sp_vec_push(&attach->links, (struct attach_link){ .site = index, .fd = fd });
	attach->hooks[index] = site_hook_name(site);
	if (site->kind == SP_SITE_URETPROBE)
		count_deep(attach, index);
	return NULL;
}

bool attach_is_per_cpu(const struct bundle *bundle, const struct sp_site *site)
{
	return site->kind == SP_SITE_PERF || (site->kind == SP_SITE_WATCH && !is_in_program(bundle, site));
}

struct sp_err *attach_cpu(struct attach *attach, unsigned index, unsigned cpu)
{
	int fd;

	if (!attach->hooks[index] || !attach_is_per_cpu(attach->bundle, &attach->bundle->sites[index]))
		return NULL;
	return attach_to(attach, index, (int)cpu, &fd);
}

struct sp_err *attach_check_site(const struct bundle *bundle, unsigned index)
{
	const struct sp_site *site = &bundle->sites[index];

	if ((site->kind == SP_SITE_KPROBE || site->kind == SP_SITE_KRETPROBE) && !privilege_has_event_source("kprobe"))
		return wrap(bundle, site, sp_err_new(SP_ERR_PRIVILEGE,
				"this kernel has no kprobes (CONFIG_KPROBE_EVENTS), or /sys is not mounted; kernel.trace() and process() probes may still work here"));
	if (site_is_uprobe(site) && !privilege_has_event_source("uprobe"))
		return wrap(bundle, site, sp_err_new(SP_ERR_PRIVILEGE,
				"this kernel has no uprobes (CONFIG_UPROBE_EVENTS), or /sys is not mounted; -c or -x with --engine=user probes programs without them"));
	return NULL;
}
